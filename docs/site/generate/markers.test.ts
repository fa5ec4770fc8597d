import { describe, expect, test } from 'vitest';
import { fillParts, withoutParts } from './markers.ts';
import type { Part } from './parts/part.ts';
import { sample } from './parts/sample.ts';

const parts: Record<string, Part> = {
  greeting: {
    options: { to: { values: ['all', 'some'] }, by: { values: ['me'], optional: true } },
    make: ({ to }) => `Hello ${to}`,
  },
  sample,
};

const page = (begin: string, content = '', end = '<!-- end greeting -->') =>
  `# Title\n\n${begin}\n${content}${end}\n\nText.\n`;
const fill = (begin: string, end?: string) => fillParts(page(begin, '', end), 'docs/page.md', parts);

describe('a generated part', () => {
  const begin = '<!-- begin greeting to=all by=me -->';
  const filled = page(begin, '\nHello all\n\n');

  test('is written between its markers, also a second time', () => {
    expect(fill(begin)).toBe(filled);
    expect(fillParts(filled, 'docs/page.md', parts)).toBe(filled);
  });

  test('replaces what somebody has changed in it, and nothing else', () => {
    expect(fillParts(filled.replace('Hello', 'Goodbye'), 'docs/page.md', parts)).toBe(filled);
  });

  test('is not part of the text that is written by hand', () => {
    expect(withoutParts(filled)).toBe('# Title\n\n\nText.\n');
  });

  test.each([
    ['an unknown name', '<!-- begin farewell to=all -->', 'farewell', 'there is no generated part farewell'],
    ['a name that every object has', '<!-- begin toString -->', 'toString', 'there is no generated part toString'],
    ['an unknown value', '<!-- begin greeting to=nobody -->', 'greeting', 'to must be one of all, some, not nobody'],
    ['an unknown key', '<!-- begin greeting to=all at=noon -->', 'greeting', 'greeting takes no at=noon'],
    ['a key twice', '<!-- begin greeting to=all to=some -->', 'greeting', 'greeting has to twice'],
    ['a missing key', '<!-- begin greeting -->', 'greeting', 'greeting needs to'],
    ['a marker within a line', 'See <!-- begin greeting to=all -->', 'greeting', 'a generated part begins with a line'],
    ['another end', '<!-- begin greeting to=all -->', 'farewell', 'the part needs a line <!-- end greeting -->'],
  ])('with %s stops with file and line', (_fault, begin, end, message) => {
    expect(() => fill(begin, `<!-- end ${end} -->`)).toThrow(`docs/page.md:3: ${message}`);
  });

  test('without an end stops before the next part begins', () => {
    const two = `${begin}\n\n${filled}`;
    expect(() => fillParts(two, 'docs/page.md', parts)).toThrow('docs/page.md:1: the part needs a line');
  });
});

describe('a sample', () => {
  const fillSample = (options: string) => fill(`<!-- begin sample ${options} -->`, '<!-- end sample -->');

  test('becomes a block of code', () => {
    expect(fillSample('file=docs/site/testing/site-server.ts tab=Server')).toMatch(
      /-->\n\n```ts \[Server\]\nimport [\s\S]+\n```\n\n<!--/,
    );
  });

  test('can be one region, without the indentation that its lines share', () => {
    expect(fillSample('file=docs/samples/java/Merchant.java region=query')).toMatch(/```java\n\S[^#]*\n```/);
  });

  test.each([
    ['file', 'file=docs/nowhere.ts', 'docs/nowhere.ts'],
    [
      'region',
      'file=docs/samples/python/signature.py region=nowhere',
      'docs/samples/python/signature.py has no region nowhere',
    ],
  ])('of a missing %s stops with file and line', (_kind, options, message) => {
    expect(() => fillSample(options)).toThrow(/^docs\/page\.md:3: /);
    expect(() => fillSample(options)).toThrow(message);
  });
});
