import type { CheckContext } from '../../check/context.ts';
import type { OperationArea } from '../../contract/operations.ts';
import type { Credentials } from '../../drivers/driver.ts';
import type { WayToAsk } from './way-to-ask.ts';

/** An order or a refund that a check of the run has made, as far as asking for it again takes. */
export interface MadeRecord {
  area: OperationArea;
  merchant: Credentials;
  /** The platform's id of it. */
  id: string;
  /** The merchant's own id of it. */
  ownId: string;
  /** The platform's id of the order that a refund gives back. */
  ofOrder?: string;
  /** How it was made, in words that many records share. */
  kind: string;
  /** In what it may differ from others, by its create. */
  features: readonly string[];
  /** Every way in which it may be found, its own id first. The requests are those of the check that asks; `as`: another merchant than its own. */
  waysToAsk(context: CheckContext, as?: Credentials): readonly WayToAsk[];
}

/** By the history of its run, which all checks of the run share. */
const recordsOfRuns = new WeakMap<CheckContext['history'], MadeRecord[]>();

/** Keeps what a check has made for a look at the end of the run. */
export function rememberMade(context: CheckContext, record: MadeRecord): void {
  const records = recordsOfRuns.get(context.history) ?? [];
  recordsOfRuns.set(context.history, records);
  records.push(record);
}

/** What the checks of the run have made so far. */
export const recordsMade = ({ history }: CheckContext): readonly MadeRecord[] => recordsOfRuns.get(history) ?? [];
