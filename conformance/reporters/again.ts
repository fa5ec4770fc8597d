import { isObject } from '../contract/json.ts';
import type { Report } from '../run/report.ts';
import { shellWord } from '../text/shell-word.ts';

/** The flags that name the target. The configuration file and the environment have the other settings. */
const repeated = ['target', 'control', 'driver', 'config'] as const;

/** A shell command that runs one check again. It holds no secrets; they come from the environment. */
export function againCommand(report: Pick<Report, 'target' | 'seed' | 'configuration'>, check: string): string {
  const flags = flagsOf(report);
  const words = repeated.flatMap((name) => {
    const value = flags[name];
    return typeof value === 'string' ? [`--${name}`, value] : [];
  });
  return ['assay', 'run', ...words, '--check', check, '--seed', String(report.seed)].map(shellWord).join(' ');
}

/** The flags of a run from the command line. A run that a program started has none, and is repeated against its target. */
function flagsOf({ target, configuration }: Pick<Report, 'target' | 'configuration'>): { [name: string]: unknown } {
  const { flags } = configuration;
  return isObject(flags) ? flags : { target };
}
