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
import { afterAll, beforeAll, expect, test } from 'vitest';
import { generate } from './generate.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const committed = join(root, 'generated');

/** What conformance/checks/generate.ts makes of the checks; a test beside it compares the two. */
const ofChecks = ['checks.json'];

/** The typed faces of the generated JSON, written by hand. */
const byHand = ['catalogue.ts', 'contract.ts', 'package-file.ts', 'sandbox-control-contract.ts'];

test('the committed files are those that the contract gives', async () => {
  const generated = await generate();
  const names = readdirSync(committed, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(committed, join(parentPath, name)).split(sep).join('/'));
  expect([...generated.keys(), ...ofChecks, ...byHand].sort()).toEqual(names.sort());
  // Compared as booleans, because the difference of such files would fill the report.
  const stale = [...generated].filter(([name, text]) => readFileSync(join(committed, name), 'utf8') !== text);
  expect(
    stale.map(([name]) => name),
    'run `npm run generate` and commit what it writes',
  ).toEqual([]);
});

test.each(byHand)('%s says in its first line that it is written by hand', (name) => {
  expect(readFileSync(join(committed, name), 'utf8')).toMatch(/^\/\/ Written by hand: /);
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

/** The exit code of `generate.ts --check` in the copy, and what it complains about. */
function check(): Promise<{ code: number; complaints: string[] }> {
  const tsx = join(root, 'node_modules/tsx/dist/cli.mjs');
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [tsx, 'openapi/generate/generate.ts', '--check'],
      { cwd: copy },
      (_error, _out, stderr) =>
        resolve({
          code: child.exitCode ?? -1,
          complaints: stderr
            .split('\n')
            .filter((line) => line !== '')
            .sort(),
        }),
    );
  });
}

const complaint = (name: string) => `generated/${name} is stale: run \`npm run generate\` and commit it`;

test('--check notices a changed source, a changed output and a missing one, and nothing else', async () => {
  // Generated another time, the files are the same.
  expect(await check()).toEqual({ code: 0, complaints: [] });

  edit('openapi/schemas/refunds.yaml', 'maxItems: 100', 'maxItems: 99');
  edit('generated/sandbox-control.ts', '// Generated', '// Written');
  rmSync(join(copy, 'generated/catalogue/limits.json'));
  expect(await check()).toEqual({
    code: 1,
    complaints: ['catalogue/constraints.json', 'catalogue/limits.json', 'openapi.json', 'sandbox-control.ts'].map(
      complaint,
    ),
  });
});

function edit(file: string, from: string, to: string): void {
  const text = readFileSync(join(copy, file), 'utf8');
  expect(text).toContain(from);
  writeFileSync(join(copy, file), text.replace(from, to));
}
