import { execFile } from 'node:child_process';
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { generate } from './generate.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const committed = join(root, 'generated');

/** What conformance/checks/generate.ts makes of the checks; a test beside it compares the two. */
const ofChecks = ['checks.json'];

/** The typed faces of the generated JSON, written by hand. */
const byHand = ['catalogue.ts', 'contract.ts', 'package-file.ts', 'sandbox-control-contract.ts'];

const textOf = (folder: string, file: string) => readFileSync(join(folder, file), 'utf8');

/** The files of a folder and of the folders in it, in the order of their paths. */
const filesOf = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).split(sep).join('/'))
    .sort();

test('the committed files are those that the contract gives', async () => {
  const generated = await generate();
  expect([...generated.keys(), ...ofChecks, ...byHand].sort()).toEqual(filesOf(committed));
  // Compared as booleans, because the difference of such files would fill the report.
  const stale = [...generated].filter(([name, text]) => textOf(committed, name) !== text);
  expect(
    stale.map(([name]) => name),
    'run `npm run generate` and commit what it writes',
  ).toEqual([]);
});

test.each(byHand)('%s says in its first line that it is written by hand', (name) => {
  expect(textOf(committed, name)).toMatch(/^\/\/ Written by hand: /);
});

let copy = '';

beforeAll(() => {
  copy = realpathSync(mkdtempSync(join(tmpdir(), 'assay-generated-')));
  for (const part of ['openapi', 'generated', 'package.json', 'redocly.yaml']) {
    cpSync(join(root, part), join(copy, part), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction');
});

afterAll(() => rmSync(copy, { recursive: true }));

test('the command writes what has changed, what was edited and what was missing, and changes nothing else', async () => {
  edit('openapi/schemas/refunds.yaml', 'maxItems: 100', 'maxItems: 99');
  edit('generated/sandbox-control.ts', '// Generated', '// Written');
  rmSync(join(copy, 'generated/catalogue/errors.json'));
  const tsx = join(root, 'node_modules/tsx/dist/cli.mjs');
  await promisify(execFile)(process.execPath, [tsx, 'openapi/generate/generate.ts'], { cwd: copy });
  const names = filesOf(committed);
  expect(filesOf(join(copy, 'generated'))).toEqual(names);
  const changed = names.filter((name) => textOf(copy, `generated/${name}`) !== textOf(root, `generated/${name}`));
  expect(changed).toEqual(['catalogue/constraints.json', 'catalogue/limits.json', 'openapi.json']);
  expect(textOf(copy, 'generated/openapi.json')).toContain('"maxItems": 99');
});

function edit(file: string, from: string, to: string): void {
  const text = textOf(copy, file);
  expect(text).toContain(from);
  writeFileSync(join(copy, file), text.replace(from, to));
}
