import type { Credentials } from '../drivers/driver.ts';
import type { Bodies } from './bodies.ts';

/** Everything on which a request depends beside its number. */
export interface FuzzWorld {
  seed: number;
  /** Host and port of the server. */
  host: string;
  controlToken: string;
  bodies: Bodies;
  merchants: {
    /** Their clocks run as real time does. Orders are paid and refunded for them. */
    steady: readonly Credentials[];
    /** Their clocks are advanced, their settings are unusual. */
    odd: readonly Credentials[];
  };
  /** Address of the receiver of webhooks, without a path. */
  receiver: string;
  /** The platform's id in the answer to the request with this number. `undefined`: it got none, or none any more. */
  idOf(number: number): string | undefined;
}

/** The receiver behaves as the path of a webhook says. */
export const receiverPaths = ['/ok', '/ok', '/ok', '/500', '/reset', '/silent', '/garbage', '/endless', '/redirect'];
