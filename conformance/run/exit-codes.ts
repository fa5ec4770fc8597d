/** What each exit code of `assay run` means. Other commands use some of them, with the same meaning. */
export const exitCodes = {
  0: 'nothing failed, except known failures of the baseline',
  1: 'a check failed, or an entry of the baseline is stale',
  2: 'wrong usage or configuration, or a report that cannot be written after a run that would exit with 0',
  3: 'no judgement: the target cannot be reached, nothing ran, a MUST of the scope was not judged, a limit stopped the run, or the target answered nothing any more',
  70: 'a fault of Assay itself',
  130: 'ended by Ctrl-C, with the results so far',
  143: 'ended by SIGTERM, with the results so far',
} as const;

/** What the exit codes of `assay judge` mean, which has no target, no baseline and no scope. */
export const judgeExitCodes = {
  0: 'no rule failed',
  1: 'a rule failed',
  2: exitCodes[2],
  3: 'no judgement: the history shows nothing that a rule could judge',
  70: exitCodes[70],
} as const;

/** Exit codes with their meanings, a line each, for the help of a command. */
export function exitCodeLines(meanings: Readonly<Record<number, string>>): string {
  return ['Exit codes:', ...Object.entries(meanings).map(([code, meaning]) => `  ${code.padEnd(5)}${meaning}`)].join(
    '\n',
  );
}
