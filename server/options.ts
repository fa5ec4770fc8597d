import type { Choices } from '../generated/catalogue.ts';
import type { Logger } from './runtime/logger.ts';
import type { SeedMerchant } from './services/control/merchants.ts';

/** How `assay serve` is set up. */
export interface ServerOptions {
  host: string;
  /** 0: a free one. */
  port: number;
  /** Address under which merchants and customers reach the server, without a closing slash; default: where it listens. */
  publicUrl?: string;
  /** `:memory:`, a file of SQLite, or the address of a PostgreSQL server. */
  database: string;
  mode: 'sandbox' | 'production';
  /** Name and version by which the control API introduces the server. */
  implementation: string;
  /** Bearer token of the control API; default: a new one for each start. Sandbox mode only. */
  controlToken?: string;
  /** Port of the metrics, on the same host; 0: a free one; absent: there are none. */
  metricsPort?: number;
  /** What the server does where the contract leaves it open; default: what the register names as the reference. */
  choices?: Choices;
  /** Merchants that are made at the start where they are not there yet. */
  seed?: readonly SeedMerchant[];
  /** Default: writes nothing. */
  logger?: Logger;
}
