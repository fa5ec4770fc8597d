// What the README says by hand is what the project does.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { reportFormats } from '../../conformance/reporters/formats.ts';
import { exitCodes } from '../../conformance/run/exit-codes.ts';
import { pagesFolder, rootFolder } from './folders.ts';

const readme = readFileSync(join(rootFolder, 'README.md'), 'utf8');

test('the README names every exit code with its meaning', () => {
  const rows = Object.entries(exitCodes).map(([code, meaning]) => `| ${code} | ${meaning} |`);
  expect(rows.filter((row) => !readme.includes(`${row}\n`))).toEqual([]);
});

test('the README names every format of reports', () => {
  expect(Object.keys(reportFormats).filter((format) => !readme.includes(`\n| \`${format}\` | `))).toEqual([]);
});

/** The blocks of code in this language. */
const blocksOf = (text: string, language: string): string[] =>
  [...text.matchAll(/^```(\w+).*\n([\s\S]*?)^```$/gm)].flatMap(([, name, code = '']) =>
    name === language ? [code] : [],
  );

/** The variables of the environment that the commands use before they set them. */
function unsetIn(text: string): string[] {
  const commands = blocksOf(text, 'sh').join('\n');
  const used = [...commands.matchAll(/\$\{?([A-Z][A-Z_]*)/g)];
  const isSet = (name: string, before: string) => new RegExp(`(^|\\s)${name}=`, 'm').test(before);
  return used.flatMap(({ 1: name = '', index }) => (isSet(name, commands.slice(0, index)) ? [] : [name]));
}

test('the README and the guide to the sandbox set each variable before they use it', () => {
  expect(unsetIn(readme)).toEqual([]);
  expect(unsetIn(readFileSync(join(pagesFolder, 'sandbox.md'), 'utf8'))).toEqual([]);
  expect(unsetIn('```sh\ncurl "$CONTROL"\nCONTROL=x\n```\n')).toEqual(['CONTROL']);
});

/** The names that a program neither imports nor declares. */
function unknownIn(code: string): string[] {
  const name = 'sample.ts';
  const host = ts.createCompilerHost({});
  const source = ts.createSourceFile(name, code, ts.ScriptTarget.ESNext);
  const options = { noLib: true, noResolve: true, types: [] };
  const program = ts.createProgram([name], options, { ...host, getSourceFile: () => source });
  const isUnknown = ({ code: number }: ts.Diagnostic) => [2304, 2552, 2580, 18004].includes(number);
  return program
    .getSemanticDiagnostics()
    .filter(isUnknown)
    .map(({ start = 0, length }) => code.slice(start, start + (length ?? 0)))
    .filter((each) => each !== 'process');
}

test('the programs of the README import or declare all that they use', () => {
  expect(blocksOf(readme, 'ts').map(unknownIn)).toEqual([[], []]);
  expect(unknownIn("const a = { target };\nwriteFileSync('x', a);\n")).toEqual(['target', 'writeFileSync']);
});
