import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { instrument, type Mutant, type SourceFile } from './instrument.ts';
import { mutatedSources, rootFolder, sourcesIn } from './sources.ts';

/** The folder of the instrumented build. Packages are found from here as from the right build. */
export const buildFolder = join(rootFolder, 'dist/mutation');

const compilerOptions: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.ESNext,
  verbatimModuleSyntax: true,
  rewriteRelativeImportExtensions: true,
};

/** Builds the server with all mutants in it into this folder, and resolves with them. */
export async function buildMutants(folder = buildFolder): Promise<readonly Mutant[]> {
  const { files, mutants } = await instrument(mutatedSources());
  const instrumented = new Map(files.map((file) => [file.name, file]));
  rmSync(folder, { recursive: true, force: true });
  // The modules import JSON from there.
  cpSync(join(rootFolder, 'generated'), join(folder, 'generated'), { recursive: true });
  for (const source of [...sourcesIn('server'), ...sourcesIn('generated')]) {
    write(folder, instrumented.get(source.name) ?? source);
  }
  return mutants;
}

function write(folder: string, { name, content }: SourceFile): void {
  const path = join(folder, name.replace(/\.ts$/, '.js'));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, ts.transpileModule(content, { compilerOptions, fileName: name }).outputText);
}
