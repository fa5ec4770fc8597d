import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { type Vector, vectorNamed, vectors, wrongVectors } from '../../../conformance/wire/signing/testing/vectors.ts';

/** Opens the signing guide in a browser. */
type Open = () => Promise<{ page: Page; close(): Promise<void> }>;

/** The values that the calculator shows, by the ids of their elements. */
const shown = (page: Page): Promise<Record<string, string>> =>
  page
    .locator('.calculator .steps [id]')
    .evaluateAll((places) =>
      Object.fromEntries(
        places.map(({ id, textContent }) => [id.replace('calculator-', ''), String(textContent).trim()]),
      ),
    );

/** The values that the calculator must show for a vector. */
function valuesOf({ components, hashInput, sha256Hex, signatureString, signature, bodyLength, query }: Vector) {
  const hashed = {
    body: `The body, ${bodyLength ?? 0} bytes`,
    query: `The query, ${Buffer.byteLength(query ?? '')} bytes`,
  };
  return {
    ...Object.fromEntries(components.map((component, index) => [`component-${index + 1}`, component])),
    hashed: hashInput === 'body' || hashInput === 'query' ? hashed[hashInput] : 'Nothing: there is no query.',
    ...(sha256Hex !== null && { 'sha256-hex': sha256Hex }),
    'signature-string': signatureString,
    signature,
  };
}

/**
 * The vectors with a body, which the page's text area could change, and the first of each other group, which the first word of
 * an id names. Other tests try all vectors without a page.
 */
const someVectors = vectors.filter(({ id }) => {
  const [group] = id.split('-');
  return group === 'body' || vectors.find((each) => each.id.startsWith(`${group}-`))?.id === id;
});

/** One vector for each field of values used by mistake, and some that need none. Other tests try all vectors without a page. */
const someWrongVectors = wrongVectors.filter(({ id }) =>
  [
    ...['secret-of-another-merchant', 'timestamp-of-another-request', 'path-full-url'],
    ...['signature-hex', 'body-re-serialised-whitespace', 'query-sorted'],
  ].includes(id),
);

const verdictIn = (page: Page) => page.locator('#calculator-verdict');

/** Registers the tests of the calculator in the finished page. */
export function calculatorTests(open: Open): void {
  describe('the calculator in its page', () => {
    test('gives the values of the vectors', async () => {
      const { page, close } = await open();
      expect(someVectors.length).toBeGreaterThan(20);
      for (const vector of someVectors) {
        await page.selectOption('#calculator-example', vector.id);
        await page.locator('#calculator-signature').filter({ hasText: vector.signature }).waitFor();
        expect(await shown(page), vector.id).toEqual(valuesOf(vector));
      }
      await close();
    }, 120_000);

    test('calculates with typed values and stores none of them', async () => {
      const { page, close } = await open();
      const vector = vectorNamed('orders-create');
      await page.getByLabel('Method', { exact: true }).selectOption('POST');
      await page.getByLabel('X-Timestamp').fill('1767225600');
      await expect.poll(() => page.locator('.calculator').innerText()).toContain('1767225600000');
      await page.getByLabel('X-Timestamp').fill(vector.timestamp);
      await page.getByLabel('Path, and query').fill(vector.path);
      await page.getByLabel('Body', { exact: true }).fill(String(vector.body));
      await expect.poll(() => verdictIn(page).innerText()).toBe('Still missing: the secret.');
      await page.getByLabel('API secret').fill(vector.secret);
      await page.locator('#calculator-signature').filter({ hasText: vector.signature }).waitFor();
      expect(await shown(page)).toEqual(valuesOf(vector));

      const kept = await page.evaluate<string>(
        'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
      );
      expect(kept).not.toContain(vector.secret);
      await page.reload();
      expect(await page.getByLabel('API secret').inputValue()).toBe('');
      await close();
    });

    test('names the mistake behind a wrong signature, and recognises a right one', async () => {
      const { page, close } = await open();
      expect(someWrongVectors).toHaveLength(6);
      for (const { vector, mistake, wrong, ...rest } of someWrongVectors) {
        const { used = {} }: { used?: { secret?: string; timestamp?: string; origin?: string } } = rest;
        await page.selectOption('#calculator-example', '');
        await page.selectOption('#calculator-example', vector);
        if (Object.keys(used).length > 0) {
          await page.locator('.calculator details').evaluate((details) => details.setAttribute('open', ''));
          await page.getByLabel('Another timestamp').fill(used.timestamp ?? '');
          await page.getByLabel('Another secret').fill(used.secret ?? '');
          await page.getByLabel('Scheme and host').fill(used.origin ?? '');
        }
        await page.getByLabel('X-Signature').fill(wrong.signature);
        await verdictIn(page).getByText(mistake, { exact: true }).waitFor();
        await page.getByLabel('X-Signature').fill(vectorNamed(vector).signature);
        await verdictIn(page).getByText('The signature is right.').waitFor();
      }
      await page.getByLabel('X-Signature').fill('bm8=');
      await verdictIn(page).getByText('no single known mistake explains it').waitFor();
      await close();
    }, 120_000);
  });
}
