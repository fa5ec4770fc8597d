import { type Choices, referenceChoices } from '../../../generated/catalogue.ts';
import { type CheckoutClient, checkoutClient } from '../support/checkout.ts';
import { controlOf } from '../support/contract.ts';
import { type RefundClient, refundClient } from '../support/refunds.ts';
import {
  type MerchantClient,
  merchantClient,
  newMerchant,
  orderEvent,
  startTestServer,
  type TestServer,
} from '../support/server.ts';

/** A server that makes other choices, with a merchant of its own. */
export interface Chosen {
  server: TestServer;
  merchant: MerchantClient;
  checkout: CheckoutClient;
  refunds: RefundClient;
  /** A hosted order that was paid; `event` says how. Answers with its platform id. */
  paidOrder(event?: object): Promise<string>;
}

/** What an observer sees of an open point, for each of its values: a new one does not compile until it stands here. */
export interface Point<Value extends string> {
  seen: Readonly<Record<Value, unknown>>;
  observe(chosen: Chosen): Promise<unknown>;
}

/** The points of one part of the interface. */
export type Points<Id extends keyof Choices> = { readonly [Each in Id]: Point<Choices[Each]> };

/** Starts a server that differs from the reference in these choices. */
export async function startChosen(choices: Partial<Choices>): Promise<Chosen> {
  const server = await startTestServer({ choices: { ...referenceChoices, ...choices } });
  const credentials = await newMerchant(server);
  const merchant = merchantClient(server, credentials);
  return {
    server,
    merchant,
    checkout: checkoutClient(server, credentials),
    refunds: refundClient(server, credentials),
    paidOrder: async (event = {}) => {
      const order = await merchant.create();
      await moveOrder(server, order, { type: 'transaction_detected', ...event }, { type: 'payment_confirmed' });
      return order.orderId;
    },
  };
}

/** Lets events happen to an order; fails unless it takes each of them. */
export async function moveOrder(
  server: TestServer,
  order: { merchantId: string; orderId: string },
  ...events: object[]
): Promise<void> {
  for (const event of events) controlOf(await orderEvent(server, order, event), 200, 'OrderEventResult');
}
