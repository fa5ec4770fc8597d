import { basename } from 'node:path';

/** `command:` in front of the command line of a driver. */
export const commandPrefix = 'command:';

/**
 * The name of the program that a command line starts, such as `python3` for `TOKEN=… python3 driver.py`. The rest of the line may hold
 * secrets, so that nothing else of it is shown.
 */
export function programOf(commandLine: string): string {
  const words = commandLine.match(/(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s"'\\])+/gs) ?? [];
  const program = words.find((word) => !/^[A-Za-z_][A-Za-z0-9_]*=/.test(word) && word !== 'env' && word !== 'exec');
  return basename((program ?? '').replace(/["'\\]/g, '')) || 'a program';
}

/** The value of `--driver` as it may be shown: the file of a module, or the name of a program. */
export function shownDriver(name: string): string {
  return name.startsWith(commandPrefix) ? `${commandPrefix}${programOf(name.slice(commandPrefix.length))} …` : name;
}
