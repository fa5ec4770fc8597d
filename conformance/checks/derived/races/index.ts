import type { CheckDeclaration } from '../../../check/define-checks.ts';
import { balanceRaces } from './balance.ts';
import { differentCreateRaces } from './different-creates.ts';
import { differingRepeatRaces } from './differing-repeats.ts';
import { endOfOrderRaces } from './ends-of-orders.ts';
import { endOfRefundRaces } from './ends-of-refunds.ts';
import { failingRepeatRaces } from './failing-repeats.ts';
import { repeatRaces } from './repeats.ts';
import { undisturbedRaces } from './undisturbed.ts';

/** What shows only where two requests meet. Requests that overlap order nothing, so each check looks at what every order of them excludes. */
export const raceChecks: readonly CheckDeclaration[] = [
  ...endOfOrderRaces,
  ...repeatRaces,
  ...failingRepeatRaces,
  ...balanceRaces,
  ...endOfRefundRaces,
  ...undisturbedRaces,
  ...differentCreateRaces,
  ...differingRepeatRaces,
].map((check) => ({ ...check, long: true }));
