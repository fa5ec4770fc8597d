import { expect, test } from 'vitest';
import { checkoutClient } from './support/checkout.ts';
import { failureOf, outcomeOf } from './support/contract.ts';
import { merchantClient, newMerchant, stoppedClock } from './support/server.ts';
import { sharedServer } from './support/shared-server.ts';

const clock = stoppedClock(Date.now());
const server = await sharedServer({ clock: clock.read });

test('a limit counts requests about hosted and checkout orders together, and no others', async () => {
  const credentials = await newMerchant(server, { orderRateLimit: { requests: 3, perSeconds: 60 } });
  const merchant = merchantClient(server, credentials);
  const checkout = checkoutClient(server, credentials);
  const order = await merchant.create();
  await merchant.query(order.orderId);
  expect(failureOf(await merchant.get('no-order-with-this-id')).code).toBe('40001');

  const refused = failureOf(await merchant.post(merchant.body()));
  expect(refused).toMatchObject({ code: '99999', data: { status: 'FAILED', orderId: null } });
  expect(refused.message).toBe('the limit of requests about orders is 3 in 60 s; try again in 60 s');
  expect(outcomeOf(await checkout.post(checkout.body()), 'checkout.create')).toBe('200 99999');
  const refunds = `/api/v1/merchants/${credentials.merchantId}/refunds?refundOrderId=ref.none`;
  expect((await merchant.request('GET', refunds)).status).toBe(404);

  clock.advance(60_000);
  await merchant.query(order.orderId);
});

test('there is none by default', async () => {
  const merchant = merchantClient(server, await newMerchant(server));
  const order = await merchant.create();
  for (let count = 0; count < 50; count += 1) await merchant.query(order.orderId);
});
