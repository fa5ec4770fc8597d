import { beforeEach, describe, expect, test } from 'vitest';
import { contractOf, controlOf } from '../support/contract.ts';
import { iso, refundServer } from '../support/refund-server.ts';
import { type RefundClient, refundFailureOf, refundOf } from '../support/refunds.ts';

const { clock, newRefunder, paidOrder } = await refundServer();
let merchant: RefundClient;

beforeEach(async () => {
  merchant = await newRefunder();
});

describe('the record', () => {
  const always = [
    'acquiringOrderId',
    'createdTime',
    'merchantOrderId',
    'merchantRefundOrderId',
    'paymentMethod',
    'refundAmount',
    'refundCurrency',
    'refundOrderId',
    'status',
  ];

  test.each([
    ['PENDING', [], ['estimatedCompletionTime', 'merchantDeductAmount']],
    ['PROCESSING', ['processing_started'], ['estimatedCompletionTime', 'merchantDeductAmount']],
    ['SUCCEEDED', ['processing_started', 'completed'], ['completedTime', 'merchantDeductAmount']],
    ['FAILED', ['processing_started', 'failed'], ['errorCode', 'errorMessage', 'failedTime']],
    ['FAILED', ['failed'], ['errorCode', 'errorMessage', 'failedTime']],
    ['CLOSED', ['closed'], ['closedTime']],
  ])('that is %s after %j has what applies to it, and nothing more', async (status, way, own) => {
    const { orderId } = await paidOrder();
    const { refundOrderId, createdTime } = await merchant.create(orderId);
    clock.advance(60_000);
    await merchant.move(refundOrderId, ...way);
    const refund = await merchant.query(refundOrderId);
    expect(Object.keys(refund).sort()).toEqual([...always, ...own].sort());
    expect(refund).toMatchObject({ status, createdTime });
    for (const time of ['completedTime', 'failedTime', 'closedTime'] as const) {
      if (own.includes(time)) expect(refund[time]).toBe(iso(clock.read()));
    }
    if (status === 'FAILED') expect(refund.errorCode).toBe('EXCHANGE_BALANCE_INSUFFICIENT');
  });

  test('of a failure says what the event said', async () => {
    const { orderId } = await paidOrder();
    const { refundOrderId } = await merchant.create(orderId);
    const failed = { type: 'failed', errorCode: 'WALLET_GONE', errorMessage: 'The wallet is gone' };
    controlOf(await merchant.event(refundOrderId, failed), 200, 'RefundEventResult');
    const { errorCode, errorMessage } = await merchant.query(refundOrderId);
    expect({ errorCode, errorMessage }).toEqual({ errorCode: 'WALLET_GONE', errorMessage: 'The wallet is gone' });
  });
});

describe('query', () => {
  test('finds a refund by each of its ids', async () => {
    const { orderId } = await paidOrder();
    const refund = await merchant.create(orderId, { merchantRefundOrderId: 'ü &=+/?% 🍵' });
    for (const query of [
      `refundOrderId=${refund.refundOrderId}`,
      `merchantRefundOrderId=${encodeURIComponent('ü &=+/?% 🍵')}`,
      `acquiringOrderId=${orderId}&more=1`,
    ]) {
      expect(refundOf(await merchant.get(query))).toEqual(refund);
    }
  });

  test('takes refundOrderId before merchantRefundOrderId before acquiringOrderId, and does not try the next', async () => {
    const refunds = [];
    for (let index = 0; index < 3; index += 1) refunds.push(await merchant.create((await paidOrder()).orderId));
    const [a, b, c] = refunds;
    if (!a || !b || !c) throw new Error('three refunds were to be made');
    const byPlatform = `refundOrderId=${a.refundOrderId}`;
    const byMerchant = `merchantRefundOrderId=${b.merchantRefundOrderId}`;
    const byOrder = `acquiringOrderId=${c.acquiringOrderId}`;
    expect(refundOf(await merchant.get(`${byOrder}&${byMerchant}&${byPlatform}`))).toEqual(a);
    expect(refundOf(await merchant.get(`${byOrder}&${byMerchant}`))).toEqual(b);
    expect(refundOf(await merchant.get(byOrder))).toEqual(c);
    for (const miss of [`refundOrderId=ref.nothing&${byMerchant}&${byOrder}`, `merchantRefundOrderId=no&${byOrder}`]) {
      expect(refundFailureOf(await merchant.get(miss), 404).code).toBe('REFUND_NOT_FOUND');
    }
  });

  test.each([
    'merchantRefundOrderId=',
    'acquiringOrderId=',
    'merchantRefundOrderId=a%00b',
    'merchantRefundOrderId=%E0%A4%A',
    'acquiringOrderId=no-such-form',
    'merchantRefundOrderId=a&merchantRefundOrderId=b',
    'acquiringOrderId[]=a&merchantRefundOrderId=',
  ])('by refundOrderId is answered with its refund, whatever stands beside it: %s', async (beside) => {
    const refund = await merchant.create((await paidOrder()).orderId);
    const own = `refundOrderId=${refund.refundOrderId}`;
    for (const query of [`${own}&${beside}`, `${beside}&${own}`]) {
      expect(refundOf(await merchant.get(query))).toEqual(refund);
    }
    expect((await merchant.get(beside)).status).not.toBe(200);
  });

  test.each(['', '%E0%A4%A', 'a&refundOrderId=b'])('by refundOrderId=%s finds nothing', async (id) => {
    const { merchantRefundOrderId } = await merchant.create((await paidOrder()).orderId);
    const beside = `merchantRefundOrderId=${encodeURIComponent(merchantRefundOrderId)}`;
    expect([400, 404]).toContain((await merchant.get(`${beside}&refundOrderId=${id}`)).status);
  });

  test.each(['', 'more=1'])('without any id is refused: "%s"', async (query) => {
    expect(refundFailureOf(await merchant.get(query), 400).code).toBe('INVALID_PARAMETER');
  });

  test.each([
    'refundOrderId=ref.nothing',
    'refundOrderId=%00',
    'merchantRefundOrderId=no',
    'acquiringOrderId=ord.nothing',
  ])('%s is not found', async (query) => {
    expect(refundFailureOf(await merchant.get(query), 404).code).toBe('REFUND_NOT_FOUND');
  });

  test('by an order that has no refund is not found', async () => {
    const { orderId } = await paidOrder();
    expect(refundFailureOf(await merchant.get(`acquiringOrderId=${orderId}`), 404).code).toBe('REFUND_NOT_FOUND');
  });
});

describe('batch query', () => {
  const batchOf = async (ids: string[], client = merchant) =>
    contractOf(await client.batch(ids), 200, 'RefundBatchSuccess').data;

  test('answers in the order of the request, repeats once, unknown ones left out', async () => {
    const refunds = [];
    for (let index = 0; index < 3; index += 1) refunds.push(await merchant.create((await paidOrder()).orderId));
    const [a, b, c] = refunds;
    if (!a || !b || !c) throw new Error('three refunds were to be made');
    const ids = [c, a, c, b, a].map(({ merchantRefundOrderId }) => merchantRefundOrderId);
    expect(await batchOf([...ids.slice(0, 2), 'unknown', '', '\u0000', a.refundOrderId, ...ids.slice(2)])).toEqual([
      c,
      a,
      b,
    ]);
    expect(await batchOf(['unknown'])).toEqual([]);
  });

  test('takes 100 ids, and refuses 101 and none', async () => {
    const { merchantRefundOrderId } = await merchant.create((await paidOrder()).orderId);
    const ids = Array.from({ length: 99 }, (_, index) => `unknown-${index}`);
    expect((await batchOf([...ids, merchantRefundOrderId])).map((each) => each.merchantRefundOrderId)).toEqual([
      merchantRefundOrderId,
    ]);
    for (const refused of [
      [...ids, merchantRefundOrderId, 'one more'],
      [],
      Array(101).fill('same'),
      [7],
      'text',
      undefined,
    ]) {
      expect(refundFailureOf(await merchant.batch(refused), 400).code).toBe('INVALID_PARAMETER');
    }
  });

  test('shows refunds as they stand', async () => {
    const { merchantRefundOrderId, refundOrderId } = await merchant.create((await paidOrder()).orderId);
    await merchant.move(refundOrderId, 'processing_started', 'completed');
    expect(await batchOf([merchantRefundOrderId])).toEqual([await merchant.query(refundOrderId)]);
  });
});

test('every answer has a request id of its own and the time', async () => {
  const { orderId } = await paidOrder();
  const answers = [
    await merchant.post(merchant.body(orderId)),
    await merchant.get(`acquiringOrderId=${orderId}`),
    await merchant.batch(['unknown']),
    await merchant.get('refundOrderId=ref.nothing'),
    await merchant.post(merchant.body(orderId)),
    await merchant.post('{'),
    await merchant.batch([], { headers: { 'X-Signature': 'AAAA' } }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 404, 400, 400, 401]);
  const traces = answers.map((answer, index) =>
    index < 3
      ? contractOf(answer, 200, index === 2 ? 'RefundBatchSuccess' : 'RefundSuccess')
      : refundFailureOf(answer, answer.status),
  );
  expect(new Set(traces.map(({ requestId }) => requestId)).size).toBe(answers.length);
  expect(traces.map(({ timestamp }) => timestamp)).toEqual(answers.map(() => clock.read()));
});
