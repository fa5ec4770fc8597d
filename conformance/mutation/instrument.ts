import { createHash } from 'node:crypto';
import { Instrumenter } from '@stryker-mutator/instrumenter';

/** The source text of a file; `name` is its path from the root of the project. */
export interface SourceFile {
  name: string;
  content: string;
}

/** One change of one place in the source. */
export interface Mutant {
  /** Its number in the instrumented build. It changes with the source. */
  id: string;
  file: string;
  /** The first line of the changed place, counted from 1. */
  line: number;
  /** The whole text of that line. */
  within: string;
  /** The text that is changed, in one line. The end of a long text is replaced by its digest. */
  code: string;
  /** The text in its place, shortened like `code`. */
  replacement: string;
}

/** Files in which every mutant stands beside the right code, and the mutants. */
export interface Instrumented {
  files: readonly SourceFile[];
  mutants: readonly Mutant[];
}

/** The instrumenter reports progress only, which nobody needs. */
const silent = () => undefined;
const never = () => false;
const noLog = {
  ...{ trace: silent, debug: silent, info: silent, warn: silent, error: silent, fatal: silent },
  ...{ isTraceEnabled: never, isDebugEnabled: never, isInfoEnabled: never },
  ...{ isWarnEnabled: never, isErrorEnabled: never, isFatalEnabled: never },
};

/** Puts all mutants of these TypeScript files into them. Each mutant is inactive until the namespace names it (`active.ts`). */
export async function instrument(sources: readonly SourceFile[]): Promise<Instrumented> {
  const files = sources.map((source) => ({ ...source, mutate: true }));
  const options = { plugins: null, excludedMutations: [], ignorers: [] };
  const result = await new Instrumenter(noLog).instrument(files, options);
  const linesOf = new Map(sources.map(({ name, content }) => [name, content.split('\n')]));
  const mutants = result.mutants.map(({ id, fileName, location, replacement }): Mutant => {
    const { start, end } = location;
    const lines = (linesOf.get(fileName) ?? []).slice(start.line, end.line + 1);
    const within = lines[0]?.trim() ?? '';
    // The end is cut off first, because both ends may stand in the same line.
    const cut = [...lines.slice(0, -1), lines.at(-1)?.slice(0, end.column) ?? ''];
    const code = [cut[0]?.slice(start.column) ?? '', ...cut.slice(1)].join('\n');
    return { id, file: fileName, line: start.line + 1, within, code: brief(code), replacement: brief(replacement) };
  });
  return { files: result.files, mutants };
}

/** The longest text that is shown whole, in characters. */
const longest = 90;

/** A text in one line. The end of a long one is replaced by its digest, so that every change of it shows. */
function brief(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= longest) return line;
  return `${line.slice(0, longest)}… #${createHash('sha256').update(line).digest('hex').slice(0, 8)}`;
}
