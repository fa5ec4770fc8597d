import type { Area } from '../../generated/catalogue.ts';
import type { Credentials, Driver } from '../drivers/driver.ts';
import type { Connections } from '../wire/connections.ts';
import type { LimitGuard } from '../wire/limits.ts';
import type { Receiver, WebhookSettings } from '../wire/receiver.ts';

/** State shared by all checks of a run. */
export interface Session {
  /** Address of the target, with a path prefix where it has one, without a closing slash. */
  target: string;
  runId: string;
  seed: number;
  driver: Driver;
  /** Areas that the target has; absent: all. */
  areas?: readonly Area[] | undefined;
  /** Configured credentials by role, for targets without a driver that makes merchants. */
  merchants: Readonly<Partial<Record<Role, Credentials>>>;
  /** Platform ids of configured paid orders of the default merchant that no check has taken yet. */
  paidOrders: string[];
  webhooks: WebhookSettings;
  /** The receiver of webhooks for all checks; it begins to listen at the first call. */
  receiver(): Promise<Receiver>;
  connections: Connections;
  limits: LimitGuard;
  /** Milliseconds by which the target's clock is ahead of ours. */
  clockSkew: number;
  timeout: number;
  /** How long to wait for a change that the contract sets no deadline for, in milliseconds. */
  settle: number;
  /** How long to wait for a webhook, in milliseconds. */
  webhookWait: number;
  /** Merchants made for the whole run, by role. */
  shared: Map<Role, Promise<Credentials>>;
  /** Texts that no report may show. */
  secrets: Set<string>;
  /** Closes everything that the session has opened. */
  close(): Promise<void>;
}

/** The part that a merchant has in the checks. */
export type Role = 'default' | 'other' | 'checkoutDisabled' | 'lowBalance';
