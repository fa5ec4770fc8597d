import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { beforeAll, expect, test } from 'vitest';
import * as catalogue from '../../generated/catalogue.ts';

const folder = fileURLToPath(new URL('../../generated/', import.meta.url));

/** The data of `generated/catalogue.ts` as exported literals, a line each, with the type that `catalogue.ts` gives it. */
const literals = Object.entries(catalogue)
  .filter(([, value]) => typeof value !== 'function')
  .map(([name, value]) => `export const ${name}: typeof catalogue.${name} = ${JSON.stringify(value)};`);

/** Faults in the data: a text, what it is replaced by, and what the compiler names. */
const faults: [what: string, from: string, to: string, named: string][] = [
  ['a level that does not exist', '"level":"MUST"', '"level":"SHALL"', '"SHALL"'],
  ['an id that does not exist', '"final":"orders.states.final"', '"final":"orders.lost"', '"orders.lost"'],
  ['a field that does not exist', '"level":"MUST"', '"level":"MUST","colour":"red"', 'colour'],
  ['a number where there is text', '"unit":"days"', '"unit":7', 'number'],
];

/** The lines of the literals in which a text is replaced: the first one that has it. */
function wrongLines([, from, to]: (typeof faults)[number]): string[] {
  const line = literals.find((each) => each.includes(from));
  return line === undefined ? [] : [line.replace(from, to)];
}

/** What the compiler says of each of these modules, which stand in `generated/`, compiled together. */
function compile(modules: readonly (readonly string[])[]): string[][] {
  const sources = new Map(
    modules.map((lines, index) => [
      `${folder}literals-${index}.ts`,
      [`import type * as catalogue from './catalogue.ts';`, ...lines].join('\n'),
    ]),
  );
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
  host.fileExists = (path) => sources.has(path) || fileExists(path);
  host.getSourceFile = (path, version) => {
    const source = sources.get(path);
    return source === undefined ? getSourceFile(path, version) : ts.createSourceFile(path, source, version);
  };
  const program = ts.createProgram([...sources.keys()], options, host);
  return [...sources.keys()].map((path) =>
    ts
      .getPreEmitDiagnostics(program, program.getSourceFile(path))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' ')),
  );
}

let right: string[] | undefined;
let wrong: string[][];
beforeAll(() => {
  [right, ...wrong] = compile([literals, ...faults.map(wrongLines)]);
});

test('the data of every catalogue fit the types that the compiler takes for granted', () => {
  expect(literals.length).toBeGreaterThan(10);
  expect(right).toEqual([]);
});

test.each(faults.map(([what, , , named], index) => ({ what, named, index })))(
  '$what is noticed',
  ({ named, index }) => {
    expect(wrong[index]).toEqual([expect.stringContaining(named)]);
  },
);
