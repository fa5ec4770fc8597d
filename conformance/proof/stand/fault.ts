import type { Area, OpenPointId, RequirementId } from '../../../generated/catalogue.ts';
import type { AppParts } from '../../../server/app.ts';
import type { Send, WebhookRequest } from '../../../server/services/delivery/deliver.ts';
import type { Handler } from './proxy.ts';

/** Sends a webhook in its own way, where `send` sends it rightly. */
export type WebhookHandler = (webhook: WebhookRequest, send: Send) => ReturnType<Send>;

/** The differences between a server and the reference server, made without a change of its source. */
export interface Make {
  /** Replaces parts of the server. */
  parts?: (parts: AppParts) => AppParts;
  /** Handles the requests of merchants before the server does. */
  merchantApi?: Handler;
  /** Handles the requests of the control API before the server does. */
  control?: Handler;
  /** Makes what handles the webhooks of one server before they leave it. */
  webhooks?: () => WebhookHandler;
  /** A path under which the target is reached, such as `/pay`; `merchantApi` sees it in the requests' targets. */
  prefix?: string;
  /** The areas of the target by the configuration; absent: all. */
  areas?: readonly Area[];
  /** Merchants in these roles are configured. Unless `control` is given, there is then no control API. */
  configured?: readonly ('default' | 'other')[];
  /**
   * Its control API restarts it, and what is different about it shows only after that. `parts` is called at each start of the server,
   * whose data stays. Absent: it cannot be restarted.
   */
  restarts?: true;
  /** How many paid orders of the default merchant are configured. Absent: none. */
  paidOrders?: number;
}

/** A wrong server, with the check that must find the fault. */
export interface Fault {
  /** Permanent. */
  readonly id: string;
  /** A sentence that says what this server does. */
  readonly title: string;
  /** The requirement that the check must report as broken. */
  readonly breaks: RequirementId;
  /** The id of the check that must fail. */
  readonly caughtBy: string;
  /**
   * Where an invariant's rule must find out: the checks that exchange what it shows in, by id. Absent: the situations of the rule's
   * area. No other check looks at the server, so the rule finds the fault alone.
   */
  readonly feeds?: readonly string[];
  readonly make: Make;
}

/**
 * A function that declares a wrong server, where the ids of the checks that catch it begin with `prefix`; `check` is the rest
 * of the id. A handler in the place of `make` handles the requests of merchants.
 */
export const faultsCaughtBy =
  (prefix: string) =>
  (id: string, title: string, breaks: RequirementId, check: string, make: Make | Handler): Fault => ({
    id,
    title,
    breaks,
    caughtBy: `${prefix}${check}`,
    make: typeof make === 'function' ? { merchantApi: make } : make,
  });

/** A server that differs from the reference server and conforms nevertheless. No check may fail for it. */
export interface Variant {
  /** Permanent. */
  readonly id: string;
  /** A sentence that says what is different about it. */
  readonly title: string;
  /** The only area whose operations, or webhooks, are different; absent: all may be. */
  readonly area?: Area;
  /** The only open point at which it takes another answer; absent: it may at all. */
  readonly openPoint?: OpenPointId;
  readonly make: Make;
}

/** A server that is wrong as a whole. No run may find it conformant, and every run must say why. */
export interface HopelessServer extends Variant {
  /** What its run must name as the cause, or a part of it. */
  readonly cause: string | RegExp;
  /** What its answers leave to be judged, where they say nothing of what was asked: `nothing`, or the form of `refusals`. Absent: more than that. */
  readonly leaves?: 'nothing' | 'refusals';
  /** The only sentences that it may be found to break. Absent: any. */
  readonly breaks?: RegExp;
}
