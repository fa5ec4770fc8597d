import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pagesFolder } from '../folders.ts';
import { relativeLinks, upToDatePages } from './pages.ts';

const onDisk = (path: string) => {
  const file = join(pagesFolder, path);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
};

test('every page has its generated parts as they must be', () => {
  const stale = [...upToDatePages()].filter(([path, text]) => onDisk(path) !== text);
  expect(stale.map(([path]) => `docs/pages/${path} is stale: run \`npm run generate\` and commit it`)).toEqual([]);
});

test.each([
  ['to a page', '[x](/states#refunds)', '[x](../states.md#refunds)'],
  ['to the first page of a folder', '[x](/operations/)', '[x](index.md)'],
  ['to a page in another folder', '[x](/conformance/ci)', '[x](../conformance/ci.md)'],
  ['to a file of the site', '[x](/reference.html#/a)', '[x](/reference.html#/a)'],
  ['within the page', '[x](#here)', '[x](#here)'],
  ['to another host', '[x](https://example.com/a)', '[x](https://example.com/a)'],
])('a link %s leads there in a repository browser, too', (_kind, given, expected) => {
  expect(relativeLinks(given, 'operations/getOrder.md')).toBe(expected);
});
