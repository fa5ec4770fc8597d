import { describe, expect, test } from 'vitest';
import { expandDirectives } from './markers.ts';
import type { Part } from './parts/part.ts';
import { expandSnippets } from './snippets.ts';

const parts: Record<string, Part> = {
  greeting: {
    options: { to: { values: ['all', 'some'] }, by: { values: ['me'], optional: true } },
    make: ({ to }) => `Hello ${to}`,
  },
};

const expand = (directive: string) => expandDirectives(`# Title\n\n${directive}\n`, 'docs/page.md', parts);

describe('a directive', () => {
  test('gives way to what its part makes', async () => {
    expect(await expand('<!-- @generated greeting to=all by=me -->')).toBe('# Title\n\nHello all\n');
  });

  test.each([
    ['of a name that there is not', '<!-- @generated farewell to=all -->', 'there is no generated part farewell'],
    ['of a name that every object has', '<!-- @generated toString -->', 'there is no generated part toString'],
    ['with a value that there is not', '<!-- @generated greeting to=nobody -->', 'to is one of all, some, not nobody'],
    ['with a key that there is not', '<!-- @generated greeting to=all at=noon -->', 'greeting takes no at=noon'],
    ['with a key twice', '<!-- @generated greeting to=all to=some -->', 'greeting has to twice'],
    ['without a key that it needs', '<!-- @generated greeting -->', 'greeting needs to'],
    ['within a line', 'See <!-- @generated greeting to=all -->', 'a directive has a line of its own'],
  ])('%s stops the build, with its file and line', async (_what, directive, message) => {
    await expect(expand(directive)).rejects.toThrow(`docs/page.md:3: ${message}`);
  });
});

describe('an include', () => {
  const include = (line: string) => expandSnippets(`# Title\n${line}`, 'docs/page.md', import.meta.dirname);

  test('becomes a block of code', () => {
    expect(include('<<< @/../testing/site-server.ts{ts} [Server]')).toMatch(
      /^# Title\n```ts \[Server\]\nimport [\s\S]+\n```$/,
    );
  });

  test.each([
    ['of a file that there is not', '<<< @/nowhere.ts', 'there is no nowhere.ts'],
    ['of a region that there is not', '<<< @/snippets.ts#nowhere{ts}', 'there is no snippets.ts#nowhere'],
    ['that is written otherwise', '<<< nowhere.ts', 'an include reads'],
  ])('%s stops the build, with its file and line', (_what, line, message) => {
    expect(() => include(line)).toThrow(`docs/page.md:2: ${message}`);
  });
});
