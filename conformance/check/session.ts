import type { Area } from '../../generated/catalogue.ts';
import type { Credentials, Driver } from '../drivers/driver.ts';
import type { Recorder } from '../history/recorder.ts';
import type { AbsenceWatch } from '../wire/absence.ts';
import type { Connections } from '../wire/connections.ts';
import type { LimitGuard } from '../wire/limits.ts';
import type { OvertakingWatch } from '../wire/overtaken.ts';
import type { Pace } from '../wire/pace.ts';
import type { Patience } from '../wire/patience.ts';
import type { RateRefusals } from '../wire/rate-refusals.ts';
import type { RateWaits } from '../wire/rate-waits.ts';
import type { Receiver, WebhookSettings } from '../wire/receiver.ts';
import type { Recovery } from '../wire/recovery.ts';
import type { SilenceWatch } from '../wire/silence.ts';
import type { AwaitedEvents } from './awaited-events.ts';
import type { Need } from './needs.ts';
import type { MerchantsByRole } from './roles.ts';

/** State shared by all checks of a run. */
export interface Session {
  /** Address of the target, with a path prefix where it has one, without a closing slash. */
  target: string;
  runId: string;
  seed: number;
  driver: Driver;
  /** Areas that the target has. Absent: all areas. */
  areas?: readonly Area[] | undefined;
  /** Needs that the configuration leaves out of the scope on purpose. Absent: none. */
  without?: readonly Need[] | undefined;
  /** Configured credentials by role, for targets without a driver that makes merchants. */
  merchants: MerchantsByRole;
  /** Platform ids of configured paid orders of the default merchant. */
  paidOrders: readonly string[];
  /** How many of them have been taken: the first ones. */
  paidOrdersTaken: number;
  webhooks: WebhookSettings;
  /** The receiver of webhooks for all checks. It begins to listen at the first call. */
  receiver(): Promise<Receiver>;
  connections: Connections;
  limits: LimitGuard;
  /** How many checks ask at the same time. */
  pace: Pace;
  /** What refusals for the rate of requests tell. */
  rateRefusals: RateRefusals;
  /** How much the run has waited because of them. */
  rateWaits: RateWaits;
  /** Watches whether the target answers at all. */
  silence: SilenceWatch;
  /** Waits for a target that has ended and may come back. */
  absences: AbsenceWatch;
  /** Watches for requests that a target leaves waiting for others. */
  overtaking: OvertakingWatch;
  /** How long answers are awaited. */
  patience: Patience;
  /** How the run goes on after refusals that may say nothing about a request. */
  recovery: Recovery;
  /** Events that checks wait for before they judge. */
  events: AwaitedEvents;
  /** What has happened in the run so far. */
  history: Recorder;
  /** How long one request may take, in milliseconds. */
  timeout: number;
  /** How long to wait for a state for which the contract sets no deadline, in milliseconds. */
  settle: number;
  /** How long to wait for a webhook, in milliseconds. */
  webhookWait: number;
  /** Merchants made for all checks, by role and settings. One whose requests are refused for their rate is replaced by a new one for the checks that follow. */
  shared: Map<string, Promise<Credentials>>;
  /** Whether the driver has taken every setting so far that no check asked for. */
  takesFurtherSettings: boolean;
  /** The keys that checks have had revoked. */
  revokedKeys: Set<string>;
  /** Texts that must never be shown: keys, secrets, tokens, passwords. */
  secrets: Set<string>;
  /** Closes the connections and the receiver. */
  close(): Promise<void>;
}
