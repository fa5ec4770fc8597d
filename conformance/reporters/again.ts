import { isObject } from '../contract/json.ts';
import type { CheckReport, Report } from '../run/report.ts';
import { shellWord } from '../text/shell-word.ts';
import { askedBy } from './asked-by.ts';

/** The flags that name the target. The configuration file and the environment have the other settings. */
const repeated = ['target', 'control', 'driver', 'config'] as const;

/**
 * A shell command that runs one check again, written as the run's own command was. It holds no secrets; they come from the environment. A
 * check that judges what others exchange is run together with those.
 */
export function againCommand(
  report: Pick<Report, 'target' | 'seed' | 'configuration'>,
  check: Pick<CheckReport, 'id' | 'exchanges'>,
): string {
  const flags = flagsOf(report);
  const words = repeated.flatMap((name) => {
    const value = flags[name];
    return typeof value === 'string' ? [`--${name}`, value] : [];
  });
  const checks = [check.id, ...askedBy(check)].flatMap((id) => ['--check', id]);
  const args = ['run', ...words, ...checks, '--seed', String(report.seed)].map(shellWord).join(' ');
  return `${commandOf(report)} ${args}`;
}

/** The command of a run from the command line. A program that runs checks has the package, and so the package's command is found there. */
function commandOf({ configuration: { command } }: Pick<Report, 'configuration'>): string {
  return typeof command === 'string' ? command : 'npx --no-install assay';
}

/** The flags of a run from the command line. A run that a program started has none, and is repeated against its target. */
function flagsOf({ target, configuration }: Pick<Report, 'target' | 'configuration'>): { [name: string]: unknown } {
  const { flags } = configuration;
  return isObject(flags) ? flags : { target };
}
