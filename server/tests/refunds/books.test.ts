import { beforeEach, describe, expect, test } from 'vitest';
import { problemOf } from '../support/contract.ts';
import { iso, refundServer, untouched } from '../support/refund-server.ts';
import { type RefundClient, refundClient, refundFailureOf, refundOf } from '../support/refunds.ts';
import { advance, newMerchant } from '../support/server.ts';
import type { Credentials } from '../support/signing.ts';

const { clock, server, newRefunder, paidOrder, books } = await refundServer();
let merchant: RefundClient;

beforeEach(async () => {
  merchant = await newRefunder();
});

describe('the books', () => {
  test.each([
    [[], { available: '999990', reserved: '10', deducted: '0' }],
    [['processing_started'], { available: '999990', reserved: '10', deducted: '0' }],
    [['processing_started', 'completed'], { available: '999990', reserved: '0', deducted: '10' }],
    [['processing_started', 'failed'], { available: '1000000', reserved: '0', deducted: '0' }],
    [['failed'], { available: '1000000', reserved: '0', deducted: '0' }],
    [['closed'], { available: '1000000', reserved: '0', deducted: '0' }],
  ])('after %j', async (way, expected) => {
    const { orderId } = await paidOrder();
    const { refundOrderId } = await merchant.create(orderId);
    await merchant.move(refundOrderId, ...way);
    expect(await books()).toEqual({ ...expected, total: '1000000' });
  });

  test('balance through 12 refunds at once that end in every way', async () => {
    const put = '100.000000000000000007';
    const own = await newMerchant(server, { balances: { USDT: put } });
    const client = refundClient(server, own);
    const value = '10.000000000000000001';
    const orders = await Promise.all(
      Array.from({ length: 12 }, () => paidOrder(own, { orderAmount: { value, currency: 'USDT' } })),
    );
    const answers = await Promise.all(orders.map(({ orderId }) => client.post(client.body(orderId))));
    const refunds = answers.filter(({ status }) => status === 200).map(refundOf);
    const refused = answers.filter(({ status }) => status !== 200).map((answer) => refundFailureOf(answer, 400).code);
    // Nine times the amount is what the balance covers; for the tenth three in the last place are missing.
    expect(refused).toEqual(Array(3).fill('INSUFFICIENT_BALANCE'));
    expect(await books(own)).toMatchObject({ reserved: '90.000000000000000009', total: put });
    const ways = [['processing_started', 'completed'], ['processing_started', 'failed'], ['closed']];
    await Promise.all(
      refunds.map(({ refundOrderId }, index) => client.move(refundOrderId, ...(ways[index % 3] ?? []))),
    );
    expect(await books(own)).toEqual({
      available: '70.000000000000000004',
      reserved: '0',
      deducted: '30.000000000000000003',
      total: put,
    });
  });

  test('do not change over a move that is refused, or made twice', async () => {
    const { orderId } = await paidOrder();
    const { refundOrderId } = await merchant.create(orderId);
    await merchant.move(refundOrderId, 'processing_started');
    const answers = await Promise.all(
      ['completed', 'failed', 'completed', 'failed'].map((type) => merchant.event(refundOrderId, { type })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    const before = await books();
    const ended = await merchant.query(refundOrderId);
    for (const type of ['processing_started', 'completed', 'failed', 'closed']) {
      problemOf(await merchant.event(refundOrderId, { type }), 409);
    }
    expect(await books()).toEqual(before);
    expect(before.total).toBe('1000000');
    expect(before.reserved).toBe('0');
    expect(await merchant.query(refundOrderId)).toEqual(ended);
  });
});

describe('a refund of an automatic merchant', () => {
  let automatic: Credentials;
  let client: RefundClient;

  beforeEach(async () => {
    automatic = await newMerchant(server, { automatic: true });
    client = refundClient(server, automatic);
  });

  test('is worked on after a second, and done after two more', async () => {
    const { orderId } = await paidOrder(automatic);
    const { refundOrderId } = await client.create(orderId);
    const created = clock.read();
    clock.advance(999);
    expect((await client.query(refundOrderId)).status).toBe('PENDING');
    clock.advance(1);
    expect((await client.query(refundOrderId)).status).toBe('PROCESSING');
    expect(await books(automatic)).toMatchObject({ reserved: '10' });
    clock.advance(1999);
    expect((await client.query(refundOrderId)).status).toBe('PROCESSING');
    clock.advance(1);
    expect(await client.query(refundOrderId)).toMatchObject({
      status: 'SUCCEEDED',
      completedTime: iso(created + 3000),
    });
    expect(await books(automatic)).toEqual({ ...untouched, available: '999990', deducted: '10' });
  });

  test('is done before the answer to a clock advance, and dated at its time', async () => {
    const orders = [await paidOrder(automatic), await paidOrder(automatic), await paidOrder(automatic)];
    const created = Date.parse(
      (await Promise.all(orders.map(({ orderId }) => client.create(orderId))))[0]?.createdTime ?? '',
    );
    await advance(server, automatic.merchantId, 3600);
    for (const { orderId } of orders) {
      const [stored] = await server.storage.reads.listRefundsOfOrder(automatic.merchantId, orderId);
      expect(stored).toMatchObject({ status: 'SUCCEEDED', endedAt: created + 3000 });
    }
    expect(await books(automatic)).toEqual({ ...untouched, available: '999970', deducted: '30' });
  });

  test('is done without any request', async () => {
    const { orderId } = await paidOrder(automatic);
    await client.create(orderId);
    clock.advance(3000);
    const read = async () => (await server.storage.reads.listRefundsOfOrder(automatic.merchantId, orderId))[0]?.status;
    await expect.poll(read, { interval: 20, timeout: 20_000 }).toBe('SUCCEEDED');
    expect((await books(automatic)).deducted).toBe('10');
  });

  test('moves by events as well', async () => {
    const { orderId } = await paidOrder(automatic);
    const { refundOrderId } = await client.create(orderId);
    await client.move(refundOrderId, 'closed');
    await advance(server, automatic.merchantId, 3600);
    expect((await client.query(refundOrderId)).status).toBe('CLOSED');
    expect(await books(automatic)).toEqual(untouched);
  });
});

test('of a merchant that is not automatic nothing moves by time', async () => {
  const { orderId } = await paidOrder();
  const { refundOrderId } = await merchant.create(orderId);
  await advance(server, merchant.merchantId, 365 * 86_400);
  expect((await merchant.query(refundOrderId)).status).toBe('PENDING');
});
