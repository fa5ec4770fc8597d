// Texts and comments of the repository name only files and folders that exist.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rootFolder } from './folders.ts';
import { commentsOf, staleReferences, treeOf } from './testing/references.ts';

const list = ['ls-files', '--cached', '--others', '--exclude-standard'];
const tree = treeOf(execFileSync('git', list, { cwd: rootFolder, encoding: 'utf8' }).trim().split('\n'));
const read = (file: string) => readFileSync(join(rootFolder, file), 'utf8');
const stale = (files: readonly string[], textOf: (file: string) => string) =>
  files.flatMap((file) => staleReferences(textOf(file), tree).map((name) => `${file} names ${name}`));

test('documents name only files and folders that exist', () => {
  const documents = tree.files.filter((file) => /^(?:[A-Z]+|docs\/.*)\.md$/.test(file));
  expect(documents).toContain('README.md');
  expect(stale(documents, read)).toEqual([]);
});

test('comments name only files and folders that exist', () => {
  const sources = tree.files.filter(
    (file) => /\.(?:[cm]?ts|mjs|js|vue|ya?ml|py|java|sh)$/.test(file) && !file.startsWith('generated/'),
  );
  expect(sources.length).toBeGreaterThan(100);
  expect(stale(sources, (file) => commentsOf(file, read(file)))).toEqual([]);
});

const example = treeOf(['server/services/orders/moves.ts', 'openapi/catalogue/requirements/orders.yaml', 'README.md']);

test.each([
  ['a file that does not exist', 'See `server/services/orders.ts`.', ['server/services/orders.ts']],
  ['a file in a folder that is not at the root', 'See services/orders.ts', ['services/orders.ts']],
  ['a folder named as a file', '`openapi/catalogue/requirements.yaml`', ['openapi/catalogue/requirements.yaml']],
  ['a file named as a folder', 'server/services/orders/moves.ts/', ['server/services/orders/moves.ts/']],
  ['a folder that does not exist', 'openapi/checks/', ['openapi/checks/']],
  [
    'a file and a folder that exist',
    'server/services/orders/moves.ts, services/orders/moves.ts and openapi/catalogue.',
    [],
  ],
  ['a path of the interface', 'GET /server/orders and https://server/orders/1.json', []],
])('%s', (_kind, text, expected) => {
  expect(staleReferences(text, example)).toEqual(expected);
});

test('comments are told from code', () => {
  const code = "/** See a/b. */\nconst x = 'c/d'; // not e/f\nconst url = 'https://g/h';";
  expect(commentsOf('x.ts', code)).toBe('/** See a/b. */\n // not e/f');
  expect(commentsOf('x.yaml', 'key: a/b # see c/d')).toBe(' # see c/d');
});
