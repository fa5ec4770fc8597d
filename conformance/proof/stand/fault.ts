import type { Area, RequirementId } from '../../../generated/catalogue.ts';
import type { AppParts } from '../../../server/app.ts';
import type { Handler } from './proxy.ts';

/** How a server is made to differ from the reference server, without a change of its source. */
export interface Make {
  /** Exchanges parts of it. */
  parts?: (parts: AppParts) => AppParts;
  /** Stands in front of the merchants' operations. */
  merchantApi?: Handler;
  /** Stands in front of the control API. */
  control?: Handler;
  /** A path under which the target is reached, such as `/pay`; `merchantApi` sees it in the requests' targets. */
  prefix?: string;
  /** The areas that the target is said to have; absent: all. */
  areas?: readonly Area[];
  /** Merchants in these roles are configured. Unless `control` is given, there is then no control API. */
  configured?: readonly ('default' | 'other')[];
}

/** A wrong server, with the check that must find out. */
export interface Fault {
  /** Permanent. */
  readonly id: string;
  /** What this server does, as a sentence. */
  readonly title: string;
  /** What the check must name as broken. */
  readonly breaks: RequirementId;
  /** The check that turns red. */
  readonly caughtBy: string;
  /**
   * Where an invariant's rule must find out: the checks that exchange what it shows in, by id. Absent: the situations of the rule's
   * area. No other check looks at the server, so the rule finds the fault alone.
   */
  readonly feeds?: readonly string[];
  readonly make: Make;
}

/** A conforming server that is none the less different. No check may accuse it. */
export interface Variant {
  /** Permanent. */
  readonly id: string;
  /** What is different about it, as a sentence. */
  readonly title: string;
  /** The only area whose operations are different; absent: all may be. */
  readonly area?: Area;
  readonly make: Make;
}

/** A server that is wrong as a whole. No run may find it conformant, and each must say why. */
export type HopelessServer = Variant;
