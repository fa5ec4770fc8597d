import { basename, delimiter, dirname, relative } from 'node:path';
import { shellWord } from '../text/shell-word.ts';

/** How a process was started. */
export interface CalledAs {
  /** The path of the script, as node has it: absolute, with links as they are. */
  script: string;
  /** The folder in which the command was called. */
  folder: string;
  environment: Readonly<Record<string, string | undefined>>;
}

/**
 * The command as a person can type it again in the same folder: `assay` where a shell finds it, `npx --no-install assay` where it comes from the package of
 * a project, and node with the path of the script in a clone.
 */
export function commandName({ script, folder, environment }: CalledAs = callOf()): string {
  const isInstalled = basename(script) === 'assay';
  // npm puts the commands of the project before a person's own in PATH, so that these are found there by npm's processes alone.
  if (isInstalled && environment.npm_command !== undefined) return 'npx --no-install assay';
  if (isInstalled && (environment.PATH ?? '').split(delimiter).includes(dirname(script))) return 'assay';
  if (isInstalled && dirname(script).endsWith('.bin')) return 'npx --no-install assay';
  return `node ${shellWord(relative(folder, script))}`;
}

const callOf = (): CalledAs => ({
  script: process.argv[1] ?? '',
  folder: process.cwd(),
  environment: process.env,
});
