// What the README says by hand is what the project does.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { reportFormats } from '../../conformance/reporters/formats.ts';
import { exitCodes } from '../../conformance/run/exit-codes.ts';
import { rootFolder } from './folders.ts';

const readme = readFileSync(join(rootFolder, 'README.md'), 'utf8');

test('the README names every exit code with its meaning', () => {
  const rows = Object.entries(exitCodes).map(([code, meaning]) => `| ${code} | ${meaning} |`);
  expect(rows.filter((row) => !readme.includes(`${row}\n`))).toEqual([]);
});

test('the README names every format of reports', () => {
  expect(Object.keys(reportFormats).filter((format) => !readme.includes(`\n| \`${format}\` | `))).toEqual([]);
});
