import { isObject } from '../contract/json.ts';
import type { Report } from '../run/report.ts';
import { shellWord } from '../text/shell-word.ts';

/** Flags that say what is judged; what else a run was told stands in its configuration or its environment. */
const repeated = ['target', 'control', 'driver', 'config'] as const;

/** A command that runs one check again, as a shell takes it; secrets are left to the environment. */
export function againCommand(report: Pick<Report, 'target' | 'seed' | 'configuration'>, check: string): string {
  const flags = flagsOf(report);
  const words = repeated.flatMap((name) => {
    const value = flags[name];
    return typeof value === 'string' ? [`--${name}`, value] : [];
  });
  return ['assay', 'run', ...words, '--check', check, '--seed', String(report.seed)].map(shellWord).join(' ');
}

/** The flags of a run from the command line; a run that a program began is repeated against its target. */
function flagsOf({ target, configuration }: Pick<Report, 'target' | 'configuration'>): { [name: string]: unknown } {
  const { flags } = configuration;
  return isObject(flags) ? flags : { target };
}
