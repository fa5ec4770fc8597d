import type { CheckReport } from '../run/report.ts';
import type { ByItself } from '../run/verdict.ts';

/** What it says of the target that a failed check passes when it is run once more by itself, as the end of a sentence about the check. */
const meanings: Readonly<Record<ByItself, string>> = {
  passes:
    'passed when it was run once more by itself: the fault depends on what is asked before or beside it, or on chance',
  'passes-on-new-connections':
    'failed again by itself, and passed with a connection for each request: the fault depends on what came before on the connection',
};

/**
 * Of several checks one that passed by itself, and what that says, as a sentence without its stop: of those one that needed new connections, which
 * says most. `undefined`: none did.
 */
export function byItselfText(checks: readonly Pick<CheckReport, 'id' | 'byItself'>[]): string | undefined {
  const check =
    checks.find(({ byItself }) => byItself === 'passes-on-new-connections') ?? checks.find(({ byItself }) => byItself);
  return check?.byItself && `${check.id} ${meanings[check.byItself]}`;
}
