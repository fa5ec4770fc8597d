import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';
import * as catalogue from '../../generated/catalogue.ts';

const folder = fileURLToPath(new URL('../../generated/', import.meta.url));
const timeout = 60_000;

/** The data of `generated/catalogue.ts` as a module of literals, each with the type that `catalogue.ts` gives it. */
const literals = [
  `import type * as catalogue from './catalogue.ts';`,
  ...Object.entries(catalogue)
    .filter(([, value]) => typeof value !== 'function')
    .map(([name, value]) => `export const ${name}: typeof catalogue.${name} = ${JSON.stringify(value)};`),
].join('\n');

/** Each fault that the compiler finds in a module that stands in `generated/`. */
function faultsOf(module: string): string[] {
  const file = `${folder}literals.ts`;
  const options: ts.CompilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    resolveJsonModule: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, getSourceFile } = host;
  host.fileExists = (path) => path === file || fileExists(path);
  host.getSourceFile = (path, version) =>
    path === file ? ts.createSourceFile(path, module, version) : getSourceFile(path, version);
  const diagnostics = ts.getPreEmitDiagnostics(ts.createProgram([file], options, host));
  return diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
}

test('the data of every catalogue fit the types that the compiler takes for granted', { timeout }, () => {
  expect(literals.split('\n').length).toBeGreaterThan(10);
  expect(faultsOf(literals)).toEqual([]);
});

test.each([
  ['a level that does not exist', '"level":"MUST"', '"level":"SHALL"', '"SHALL"'],
  ['an id that does not exist', '"final":"orders.states.final"', '"final":"orders.lost"', '"orders.lost"'],
  ['a field that does not exist', '"level":"MUST"', '"level":"MUST","colour":"red"', 'colour'],
  ['a number where there is text', '"unit":"days"', '"unit":7', 'number'],
])('%s is noticed', { timeout }, (_what, from, to, fault) => {
  // Compared as a boolean: the whole text would drown the report.
  expect(literals.includes(from)).toBe(true);
  expect(faultsOf(literals.replace(from, to))).toEqual([expect.stringContaining(fault)]);
});
