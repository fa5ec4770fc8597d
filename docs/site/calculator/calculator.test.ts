import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { vectors, wrongVectors } from '../../../conformance/wire/signing/testing/vectors.ts';
import { rootFolder } from '../folders.ts';
import { calculate, type Entry, problemsOf } from './calculator.ts';
import { examples } from './examples.ts';

/** The example of a vector. */
function entryOf(id: string): Entry {
  const found = examples.find((example) => example.id === id);
  if (!found) throw new Error(`there is no example ${id}`);
  return found.entry;
}

describe('the calculation by Web Crypto', () => {
  test.each(vectors)('$id: gives every value of the vector', async (vector) => {
    const entry = entryOf(vector.id);
    expect(problemsOf(entry)).toEqual({});
    const { steps, hashedBytes, verdict } = await calculate(entry);
    expect(steps).toEqual({
      components: vector.components,
      hashInput: vector.hashInput,
      signatureString: vector.signatureString,
      signature: vector.signature,
      ...(vector.sha256Hex !== null && { sha256Hex: vector.sha256Hex, sha256Base64: vector.sha256Base64 }),
    });
    if (vector.hashInput === 'body') expect(hashedBytes).toBe(vector.bodyLength ?? 0);
    expect(verdict).toEqual({ kind: 'none' });
    expect((await calculate({ ...entry, given: ` ${vector.signature}\n` })).verdict).toEqual({ kind: 'right' });
  });

  test.each(wrongVectors)('$id: names the mistake', async (vector) => {
    const { used = {} }: { used?: { secret?: string; timestamp?: string; origin?: string } } = vector;
    const { timestamp: otherTimestamp = '', secret: otherSecret = '', origin = '' } = used;
    const right = vectors.find(({ id }) => id === vector.vector);
    const entry = { ...entryOf(`${right?.id}`), given: vector.wrong.signature, otherTimestamp, otherSecret, origin };
    const { verdict } = await calculate(entry);
    expect(verdict).toMatchObject({ kind: 'mistake', mistake: { code: vector.mistake } });
  });

  test('names no mistake if none explains the signature', async () => {
    const { verdict } = await calculate({ ...entryOf('orders-query'), given: 'bm8=' });
    expect(verdict).toEqual({ kind: 'unknown' });
  });
});

describe('an entry with a problem', () => {
  const good = entryOf('orders-create');
  test.each<[string, Partial<Entry>, keyof Entry, string]>([
    ['a whole URL', { target: 'https://pay.example/api' }, 'target', 'slash'],
    ['a space in the path', { target: '/a b' }, 'target', 'percent-encoded'],
    ['seconds', { timestamp: '1767225600' }, 'timestamp', '1767225600000'],
    ['no secret', { secret: '' }, 'secret', 'secret'],
    ['a GET with a body', { method: 'GET' }, 'body', 'GET'],
    ['no Base64', { bodyForm: 'base64' }, 'body', 'Base64'],
  ])('%s: the message is at its field', (_, changes, field, text) => {
    const problems = problemsOf({ ...good, ...changes });
    expect(Object.keys(problems)).toEqual([field]);
    expect(problems[field]).toContain(text);
  });
});

test('the code that the page loads works without Node', () => {
  const own = ['calculator', 'examples', 'web-digests'].map((name) => `docs/site/calculator/${name}.ts`);
  const shared = ['altered-content', 'digests', 'steps', 'wrong-signatures'].map(
    (name) => `conformance/wire/signing/${name}.ts`,
  );
  for (const file of [...own, ...shared, 'generated/catalogue.ts']) {
    const text = readFileSync(join(rootFolder, file), 'utf8');
    expect(text, file).not.toMatch(/from 'node:|\bBuffer\b|\bprocess\./);
  }
});
