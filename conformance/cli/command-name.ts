import { basename, delimiter, dirname, relative, sep } from 'node:path';
import { isSea } from 'node:sea';
import { shellWord } from '../text/shell-word.ts';

/** How a process was started. */
export interface CalledAs {
  /** The path of the script, as node has it: absolute, with links as they are. */
  script: string;
  /** The folder in which the command was called. */
  folder: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** Whether the script is the single executable. */
  executable: boolean;
}

/**
 * The command as a person can type it again in the same folder: `assay` where a shell finds it, `npx --no-install assay` where it comes from the package of
 * a project, the path of the single executable, and node with the path of the script in a clone.
 */
export function commandName({ script, folder, environment, executable }: CalledAs = callOf()): string {
  const isInPath = (environment.PATH ?? '').split(delimiter).includes(dirname(script));
  if (executable) return shellWord(isInPath ? basename(script) : pathToRun(relative(folder, script)));
  const isInstalled = basename(script) === 'assay';
  // npm puts the commands of the project before a person's own in PATH, so that these are found there by npm's processes alone.
  if (isInstalled && environment.npm_command !== undefined) return 'npx --no-install assay';
  if (isInstalled && isInPath) return 'assay';
  if (isInstalled && dirname(script).endsWith('.bin')) return 'npx --no-install assay';
  return `node ${shellWord(relative(folder, script))}`;
}

/** A relative path as a shell takes it for a program: with a slash in it. */
const pathToRun = (path: string): string => (path.includes(sep) ? path : `.${sep}${path}`);

const callOf = (): CalledAs => ({
  // The second argument of the single executable is as it was typed.
  script: isSea() ? process.execPath : (process.argv[1] ?? ''),
  folder: process.cwd(),
  environment: process.env,
  executable: isSea(),
});
