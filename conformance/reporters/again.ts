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
  const checks = [check.id, ...askedBy(check)].flatMap((id) => ['--check', id]);
  return commandLine(report, 'run', [...checks, '--seed', String(report.seed)]);
}

/** A shell command that examines the target of a run step by step, written in the same way. */
export const doctorCommand = (run: Pick<Report, 'target' | 'configuration'>): string => commandLine(run, 'doctor', []);

function commandLine(run: Pick<Report, 'target' | 'configuration'>, name: string, args: readonly string[]): string {
  const flags = flagsOf(run);
  const words = repeated.flatMap((flag) => {
    const value = flags[flag];
    return typeof value === 'string' ? [`--${flag}`, value] : [];
  });
  return [commandOf(run), ...[name, ...words, ...args].map(shellWord)].join(' ');
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
