import type { Choices } from '../generated/catalogue.ts';
import type { Logger } from './runtime/logger.ts';
import type { SeedMerchant } from './services/control/merchants.ts';

/** The options of a server. */
export interface ServerOptions {
  host: string;
  /** 0: a free port. */
  port: number;
  /** Address at which merchants and customers reach the server, without a closing slash; default: the address on which it listens. */
  publicUrl?: string;
  /** `:memory:`, a file of SQLite, or the address of a PostgreSQL server. */
  database: string;
  /** The keys of the secrets in the database, 32 bytes each; the first encrypts. Default: none, secrets are plain text. */
  encryptionKeys?: readonly Buffer[];
  mode: 'sandbox' | 'production';
  /** Name and version by which the control API introduces the server. */
  implementation: string;
  /** Bearer token of the control API, at least 16 characters; default: a new one for each start. Sandbox mode only. */
  controlToken?: string;
  /**
   * What the control API's restart does: begin anew in this process, with nothing but the data, or call this function, which ends the
   * process. Default: the control API has no restart.
   */
  restart?: 'in-process' | (() => void);
  /** How long a connection stays open between two requests, in milliseconds; 0: without an end. Default: `serverLimits`. */
  keepAliveTimeout?: number;
  /** Port of the metrics, on the same host; 0: a free port; absent: no metrics. */
  metricsPort?: number;
  /** The behaviour at the open points of the contract; default: the reference choices of the catalogue. */
  choices?: Choices;
  /** Merchants that are created at the start unless they exist. */
  seed?: readonly SeedMerchant[];
  /** Default: a logger that writes nothing. */
  logger?: Logger;
}
