import { sumAmounts } from '../../domain/money.ts';
import type { OrderCreateRequest } from '../../domain/order.ts';
import { controlOf, type OrderView } from './contract.ts';
import { type RefundClient, refundClient } from './refunds.ts';
import { merchantClient, newMerchant, orderEvent, stoppedClock } from './server.ts';
import { sharedServer } from './shared-server.ts';
import type { Credentials } from './signing.ts';

/** Moments as the API writes them. */
export const iso = (milliseconds: number) => new Date(milliseconds).toISOString();

/** A day, in milliseconds. */
export const day = 86_400_000;

/** The account of a merchant that has refunded nothing. */
export const untouched = { available: '1000000', reserved: '0', deducted: '0', total: '1000000' };

/** A server for all tests of a file, by a clock that stands still, with merchants that have paid orders and accounts. */
export async function refundServer() {
  const clock = stoppedClock();
  const server = await sharedServer({ clock: clock.read });
  let refunder: Credentials;

  /** Makes the merchant of a test, which is meant where the test names none. */
  async function newRefunder(): Promise<RefundClient> {
    const client = refundClient(server, await newMerchant(server));
    refunder = client;
    return client;
  }

  /** A hosted order of a merchant, paid. */
  async function paidOrder(
    owner = refunder,
    changes: Partial<OrderCreateRequest> = {},
    detected: object = {},
  ): Promise<OrderView> {
    const client = merchantClient(server, owner);
    const order = await client.create(changes);
    for (const event of [{ type: 'transaction_detected', ...detected }, { type: 'payment_confirmed' }]) {
      controlOf(await orderEvent(server, order, event), 200, 'OrderEventResult');
    }
    return client.query(order.orderId);
  }

  /** A merchant's account in the database. */
  async function books({ merchantId }: Credentials = refunder, currency = 'USDT') {
    const account = (await server.storage.reads.findMerchant(merchantId))?.ledger[currency];
    if (!account) throw new Error(`no account in ${currency}`);
    const { available, reserved, deducted } = account;
    return { available, reserved, deducted, total: sumAmounts([available, reserved, deducted]) };
  }

  return { clock, server, newRefunder, paidOrder, books };
}
