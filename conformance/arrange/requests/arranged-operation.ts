import type { Area } from '../../../generated/catalogue.ts';
import type { CheckContext } from '../../check/context.ts';
import type { Need } from '../../check/needs.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { Credentials } from '../../drivers/driver.ts';
import type { Answer } from '../../wire/exchange.ts';
import type { SignedClient, SignedRequest } from './signed-client.ts';

/** A request that keeps every rule, not sent yet. */
export interface PreparedRequest {
  client: SignedClient;
  request: SignedRequest;
  /** The request's body; absent for operations without one. */
  body?: JsonObject;
  /** What the request makes; absent: the operation makes nothing. */
  makes?: {
    /** The field of the body that holds its id, given by the merchant. */
    id: 'merchantOrderId' | 'merchantRefundOrderId';
    /** Asks for it under that id, or under another one that was sent; answered with success once it was made. */
    find(id?: string): Promise<Answer>;
  };
}

/** One operation of the contract, as checks that hold for several operations see it. */
export interface Operation {
  /** Its name in the contract (`x-name`). */
  readonly name: string;
  readonly area: Extract<Area, 'orders' | 'refunds' | 'checkout'>;
  /** What it does, as words for titles and messages: `a create`, `a refund query`. */
  readonly noun: string;
  /** Where its body's schema stands in the contract; absent: it has none. */
  readonly bodySchema?: string;
  /** The schema of a refusal in its area. */
  readonly failure: 'OrderFailure' | 'RefundFailure' | 'CheckoutFailure';
  /** What has to be there before a right request can be made. */
  readonly needs: readonly Need[];
  /**
   * Takes the steps before a request that keeps every rule, and makes the request: of ids of its own, and so that it would
   * be answered with success. Throws `Inconclusive` when a step does not work.
   */
  prepare(context: CheckContext, merchant: Credentials): Promise<PreparedRequest>;
}

/** A POST of `body`, signed and sent alike. */
export function post(path: string, body: unknown): SignedRequest {
  return { method: 'POST', path, body: Buffer.from(JSON.stringify(body)) };
}
