import { describe, expect, it } from 'vitest';
import type { HistoryRecord, ProvisionRecord } from '../../history/records.ts';
import { idInRun } from '../../history/run-ids.ts';
import { unusualFolder } from '../../wire/unusual-folder.ts';
import { clockMove, orderEvent } from '../testing/events.ts';
import {
  judged,
  merchantId,
  orderRefusal,
  orderView,
  paths,
  refundRefusal,
  request,
  success,
  trace,
} from '../testing/histories.ts';
import { receiver, webhook } from '../testing/webhooks.ts';
import { deliveries } from './deliveries.ts';

const address = `${receiver}/a1?shop=7&path=%2Fx%3f`;
const elsewhere = `${receiver}/b2`;
const merchantOrderId = 'order-0000000001';

const create = (callbackUrl: string, change: object = {}, start = 0) =>
  request({
    method: 'POST',
    path: paths.orders,
    start,
    sent: { merchantOrderId, expiresAt: '2026-01-01T11:00:00Z', callbackUrl, ...change },
    answered: success(orderView(change)),
  });
const seen = (start: number, status: string) =>
  request({ method: 'GET', path: paths.order(merchantOrderId), start, answered: success(orderView({ status })) });
const other = { orderId: 'ord.2', merchantOrderId: 'order-0000000002' };
const event = (status: string) => ({ acquiringOrderId: 'ord.1', merchantOrderId, status });

const detected = orderEvent(10, { type: 'transaction_detected' });
const confirmed = orderEvent(12, { type: 'payment_confirmed' });
/** An order that is made, paid and seen to be paid. */
const paid: readonly HistoryRecord[] = [create(address), detected, confirmed, seen(20, 'SUCCEEDED')];

const brokenRules = (...records: readonly HistoryRecord[]) =>
  judged(deliveries, ...records).broken.map(({ rule }) => rule.replace('.deliveries.', ' '));

describe('where webhooks come to', () => {
  it('keeps every rule for an order whose webhooks come to its address, by a path that a proxy has changed', () => {
    const came = webhook(15, address, event('SUCCEEDED'), { target: '/a1?shop=7&path=%2Fx%3f' });
    const { broken, kept } = judged(deliveries, ...paid, came);
    expect(broken).toEqual([]);
    expect(kept.map((rule) => rule.replace('webhooks.order.deliveries.', '')).sort()).toEqual(
      ['address', 'after-change', 'content-type', 'identifies', 'method', 'paid', 'query', 'status'].sort(),
    );
  });

  it.each([
    ['dropped', '/webhooks/a1'],
    ['decoded', '/webhooks/a1?shop=7&path=/x?'],
    ['longer', '/webhooks/a1?shop=7&path=%2Fx%3f&t=1'],
  ])('finds a query that is %s', (_, target) => {
    expect(brokenRules(...paid, webhook(15, address, event('SUCCEEDED'), { target }))).toEqual([
      'webhooks.order query',
    ]);
  });

  it.each([
    ['as it was named', `/webhooks/${unusualFolder}/a1/`, []],
    ['with small letters in its escapes', `/webhooks/${unusualFolder.replace('%2F', '%2f')}/a1/`, []],
    ['decoded', `/webhooks/${unusualFolder.replace('%2F', '/')}/a1/`, ['webhooks.order path']],
    ['with its slashes joined', `/webhooks/${unusualFolder.replace('//', '/')}/a1/`, ['webhooks.order path']],
    ['without its last slash', `/webhooks/${unusualFolder}/a1`, ['webhooks.order path']],
  ])('judges a path that no proxy can have changed: %s', (_, target, broken) => {
    const unusual = `${receiver}/${unusualFolder}/a1/`;
    const records = [create(unusual), detected, confirmed, seen(20, 'SUCCEEDED')];
    expect(brokenRules(...records, webhook(15, unusual, event('SUCCEEDED'), { target }))).toEqual(broken);
  });

  it('finds a webhook at the address of another order', () => {
    const records = [...paid, create(elsewhere, other, 2)];
    expect(brokenRules(...records, webhook(15, address, event('SUCCEEDED')))).toEqual([]);
    expect(brokenRules(...records, webhook(15, elsewhere, event('SUCCEEDED')))).toEqual(['webhooks.order address']);
  });

  it('follows a redirect of the named address to where it led, with the query that stands there', () => {
    const redirected = webhook(14, address, event('SUCCEEDED'), { answered: 307, location: `${elsewhere}?n=1` });
    const followed = webhook(15, elsewhere, event('SUCCEEDED'), { target: '/webhooks/b2?n=1' });
    expect(brokenRules(...paid, redirected, followed)).toEqual([]);
    expect(brokenRules(...paid, followed)).toEqual(['webhooks.order address']);
    // A redirect with 302 may turn the POST into a GET without a body.
    const asGet = webhook(15, elsewhere, '', { target: '/webhooks/b2?n=1', method: 'GET' });
    expect(brokenRules(...paid, redirected, asGet)).toEqual([]);
  });

  it('finds a webhook of an order at the address that a refused create under its id has named', () => {
    const sent = { merchantOrderId, callbackUrl: elsewhere };
    const refused = request({ method: 'POST', path: paths.orders, start: 2, sent, answered: orderRefusal('20001') });
    const come = (to: string) => webhook(15, to, event('SUCCEEDED'));
    expect(brokenRules(...paid, refused, come(address))).toEqual([]);
    expect(brokenRules(...paid, refused, come(elsewhere))).toEqual(['webhooks.order address']);
    // One that has failed may have been carried out.
    const failed = request({ method: 'POST', path: paths.orders, start: 2, sent, answered: '', status: 500 });
    expect(brokenRules(...paid, failed, come(elsewhere))).toEqual([]);
  });

  it('finds a webhook about what was refused, unless its create was accepted later', () => {
    const refused = request({
      method: 'POST',
      path: paths.orders,
      sent: { merchantOrderId, callbackUrl: address },
      answered: orderRefusal('10001'),
    });
    const come = webhook(15, address, { merchantOrderId, status: 'FAILED' });
    expect(brokenRules(refused, come)).toEqual(['webhooks.order after-change']);
    expect(brokenRules(refused, webhook(15, address, { merchantOrderId: 'another-order-01' }))).toEqual([]);
    const later = webhook(15, address, event('SUCCEEDED'));
    expect(brokenRules(refused, create(address, {}, 5), detected, confirmed, seen(20, 'SUCCEEDED'), later)).toEqual([]);
  });

  it('finds a webhook of an order without an address wherever it comes', () => {
    const made = request({
      method: 'POST',
      path: paths.orders,
      sent: { merchantOrderId, expiresAt: '2026-01-01T11:00:00Z' },
      answered: success(orderView()),
    });
    const records = [made, detected, confirmed, seen(20, 'SUCCEEDED')];
    expect(brokenRules(...records, webhook(15, elsewhere, event('SUCCEEDED')))).toEqual(['webhooks.order address']);
  });

  it('says nothing of a create whose answer was lost', () => {
    const lost = request({ method: 'POST', path: paths.orders, sent: { merchantOrderId, callbackUrl: address } });
    expect(brokenRules(lost, webhook(15, address, { acquiringOrderId: 'ord.9' }))).toEqual([]);
  });

  it.each([
    ['application/json; charset=utf-8', []],
    ['application/cloudevents+json', []],
    ['text/plain', ['webhooks.order content-type']],
    ['application/jsonlines', ['webhooks.order content-type']],
  ])('judges the Content-Type %s of a JSON body', (type, broken) => {
    const headers = { 'content-type': type };
    expect(brokenRules(...paid, webhook(15, address, event('SUCCEEDED'), { headers }))).toEqual(broken);
  });

  it('finds a JSON body without a Content-Type, and says nothing of a form', () => {
    const bare = webhook(15, address, event('SUCCEEDED'), { headers: {} });
    expect(brokenRules(...paid, bare)).toEqual(['webhooks.order content-type']);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expect(brokenRules(...paid, webhook(15, address, `reference=${merchantOrderId}`, { headers }))).toEqual([]);
  });

  it('finds a body that is called JSON and was cut', () => {
    const headers = { 'content-type': 'application/json' };
    const whole = JSON.stringify(event('SUCCEEDED'));
    const came = webhook(15, address, whole.slice(0, -1), { headers });
    expect(judged(deliveries, ...paid, came).broken).toMatchObject([
      {
        rule: 'webhooks.order.deliveries.content-type',
        expected: 'a JSON body, as its Content-Type says',
        actual: `no JSON, because its end is missing: ${whole.slice(0, -1)}`,
      },
    ]);
  });

  it('finds another method than POST', () => {
    expect(brokenRules(...paid, webhook(15, address, event('SUCCEEDED'), { method: 'PUT' }))).toEqual([
      'webhooks.order method',
    ]);
  });
});

describe('orders of two merchants with the same merchantOrderId', () => {
  const ids = ['ord.1234567', 'ord.7654321'] as const;
  const made = (merchant: string, orderId: string, callbackUrl: string) =>
    request({
      method: 'POST',
      path: paths.orders.replace(merchantId, merchant),
      as: merchant,
      sent: { merchantOrderId, expiresAt: '2026-01-01T11:00:00Z', callbackUrl },
      answered: success(orderView({ orderId, merchantId: merchant })),
    });
  const both = [made(merchantId, ids[0], address), made('m2', ids[1], elsewhere)];

  it('are told of at the address of the one that a webhook names by the platform’s id', () => {
    const about = (orderId: string) => ({ acquiringOrderId: orderId, merchantOrderId, status: 'PROCESSING' });
    expect(brokenRules(...both, webhook(5, elsewhere, about(ids[1])))).toEqual([]);
    expect(brokenRules(...both, webhook(5, elsewhere, about(ids[0])))).toEqual(['webhooks.order address']);
    expect(brokenRules(...both, webhook(5, elsewhere, { merchantOrderId, status: 'PROCESSING' }))).toEqual([]);
  });
});

describe('what webhooks name', () => {
  const token = Buffer.from(JSON.stringify(event('SUCCEEDED'))).toString('base64url');
  it.each([
    ['the merchant’s id in a form', `reference=${merchantOrderId}&x=1`, 'application/x-www-form-urlencoded'],
    ['the platform’s id in escapes', '{"ref":"\\u006frd.1"}', 'application/json'],
    ['the ids in a signed token', `eyJhbGciOiJIUzI1NiJ9.${token}.c2ln`, 'application/jose'],
  ])('takes %s', (_, body, type) => {
    const headers = { 'content-type': type };
    expect(brokenRules(...paid, webhook(15, address, body, { headers }))).toEqual([]);
  });

  it('finds a webhook without the ids, and says nothing of one that is compressed', () => {
    expect(brokenRules(...paid, webhook(15, address, { status: 'SUCCEEDED' }))).toEqual(['webhooks.order identifies']);
    const headers = { 'content-encoding': 'gzip' };
    expect(brokenRules(...paid, webhook(15, address, '\u001f\ufffd', { headers }))).toEqual([]);
  });

  it('finds an id in the place of the other', () => {
    const ids = { acquiringOrderId: merchantOrderId, merchantOrderId };
    expect(brokenRules(...paid, webhook(15, address, { ...event('SUCCEEDED'), ...ids }))).toEqual([
      'webhooks.order identifies',
    ]);
  });

  it('is not told of what an earlier run is owed, to a port that was its own', () => {
    const own = { merchantOrderId: idInRun('0a1b2c3d', '1') };
    const naming = (runId: string) => webhook(15, address, { merchantOrderId: idInRun(runId, '2'), status: 'CLOSED' });
    expect(brokenRules(create(address, own), naming('99887766'))).toEqual([]);
    expect(brokenRules(create(address, own), naming('0a1b2c3d'))).toEqual(['webhooks.order identifies']);
  });

  it('says nothing of one without the ids where the address was named twice', () => {
    const records = [...paid, create(address, other, 2)];
    expect(brokenRules(...records, webhook(15, address, { status: 'SUCCEEDED' }))).toEqual([]);
  });

  it('finds a status that the order never had, under data too', () => {
    const both = ['webhooks.order after-change', 'webhooks.order status'];
    expect(brokenRules(...paid, webhook(15, address, event('FAILED')))).toEqual(both);
    const nested = { merchantOrderId, status: 'SUCCESS', data: event('FAILED') };
    expect(brokenRules(...paid, webhook(25, address, nested))).toEqual(both);
    // The outer status is the one of an envelope, as the answers of hosted operations have it.
    const envelope = { merchantOrderId, status: 'FAILED', data: event('SUCCEEDED') };
    expect(brokenRules(...paid, webhook(15, address, envelope))).toEqual([]);
  });
});

describe('when webhooks come', () => {
  it('finds one that says the order is paid before anybody paid', () => {
    expect(brokenRules(...paid, webhook(5, address, event('SUCCEEDED')))).toEqual(['webhooks.order after-change']);
    expect(brokenRules(...paid, webhook(5, address, event('INIT')))).toEqual([]);
  });

  it('finds one that tells of an end to which the order does not come, unless only the name of an unpaid end differs', () => {
    const closed = webhook(11, address, event('CLOSED'));
    const both = ['webhooks.order after-change', 'webhooks.order status'];
    expect(brokenRules(create(address), detected, closed, confirmed, seen(20, 'SUCCEEDED'))).toEqual(both);
    const expired = [create(address), clockMove(5, 4000), webhook(11, address, event('FAILED')), seen(20, 'CLOSED')];
    expect(brokenRules(...expired)).toEqual(['webhooks.order status']);
  });

  it('takes one that comes while the payment is asked for, or that repeats an old status later', () => {
    const slow = { ...detected, start: 4, end: 14 };
    expect(brokenRules(create(address), slow, seen(20, 'SUCCEEDED'), webhook(5, address, event('SUCCEEDED')))).toEqual(
      [],
    );
    expect(brokenRules(...paid, webhook(900, address, event('PROCESSING')))).toEqual([]);
  });

  it('takes CLOSED of an order that expired before the driver was asked to cancel it', () => {
    const cancelled = orderEvent(60, { type: 'cancelled' });
    const closed = webhook(50, address, event('CLOSED'));
    expect(brokenRules(create(address), clockMove(30, 4000), closed, cancelled, seen(70, 'CLOSED'))).toEqual([]);
    expect(brokenRules(create(address), closed, cancelled, seen(70, 'CLOSED'))).toEqual([
      'webhooks.order after-change',
    ]);
  });

  it('finds one whose status a query does not show long after, and grants views their delay', () => {
    const early = webhook(15, address, event('SUCCEEDED'));
    const records = [create(address), detected, early];
    expect(brokenRules(...records, seen(500, 'PROCESSING'))).toEqual([]);
    expect(brokenRules(...records, seen(1500, 'PROCESSING'))).toEqual(['webhooks.order after-change']);
  });
});

describe('what is announced', () => {
  const reachable = [create(elsewhere, other, 2), webhook(9, elsewhere, { merchantOrderId: other.merchantOrderId })];
  const days = [clockMove(30, 86_400), clockMove(40, 86_400)];
  const late = seen(3000, 'SUCCEEDED');

  it('finds a paid order of which no webhook told, though days and the wait have passed', () => {
    expect(brokenRules(...paid, ...reachable, ...days, late)).toEqual(['webhooks.order paid']);
    const hanging = { ...create(elsewhere, other, 35), end: 1400 };
    expect(brokenRules(...paid, ...reachable, ...days, hanging, late)).toEqual(['webhooks.order paid']);
    const otherPort = elsewhere.replace(':8443', ':8444');
    const atAnotherPort = [
      create(otherPort, other, 2),
      webhook(9, otherPort, { merchantOrderId: other.merchantOrderId }),
    ];
    expect(brokenRules(...paid, ...atAnotherPort, ...days, late)).toEqual(['webhooks.order paid']);
    const aboutTheFirst = webhook(15, address, event('PROCESSING'));
    expect(brokenRules(...paid, ...reachable, aboutTheFirst, ...days, late)).toEqual(['webhooks.order paid']);
  });

  it('finds one that was to be told of in an unusual folder, where no proxy stands', () => {
    const unusual = `${receiver}/${unusualFolder}/a1/`;
    const order = [create(unusual), detected, confirmed, seen(20, 'SUCCEEDED')];
    expect(brokenRules(...order, ...reachable, ...days, late)).toEqual(['webhooks.order paid']);
    expect(brokenRules(...order, ...days, late)).toEqual([]);
  });

  it('says what had happened to the order', () => {
    const order = [create(address), clockMove(3, 7200), detected, confirmed, seen(20, 'SUCCEEDED')];
    const { broken } = judged(deliveries, ...order, ...reachable, ...days, late);
    expect(broken.find(({ rule }) => rule === 'webhooks.order.deliveries.paid')?.actual).toBe(
      '0 webhooks came there, and none tells of it, though days of business time have passed; ' +
        'since its create: business time moved by 2 hours, transaction_detected, payment_confirmed',
    );
  });

  it('says where else a webhook came that names the order', () => {
    const long = { orderId: 'ord.0123456789', callbackUrl: address };
    const made = request({
      ...{ method: 'POST', path: paths.orders, sent: { merchantOrderId, callbackUrl: address } },
      answered: success(orderView(long)),
    });
    const isPaid = (start: number) =>
      request({
        ...{ method: 'GET', path: paths.order(merchantOrderId), start },
        answered: success(orderView({ ...long, status: 'SUCCEEDED' })),
      });
    const astray = webhook(15, elsewhere, { acquiringOrderId: long.orderId, status: 'SUCCEEDED' });
    const records = [made, isPaid(20), ...reachable, astray, ...days, isPaid(3000)];
    const { broken } = judged(deliveries, ...records);
    expect(broken.find(({ rule }) => rule === 'webhooks.order.deliveries.paid')?.actual).toBe(
      `0 webhooks came there, and none tells of it, though days of business time have passed; one that names it came to ${elsewhere}`,
    );
  });

  it.each([
    ['no time was moved', [...reachable, late]],
    ['the run did not wait', [...reachable, ...days]],
    ['nothing came to the receiver', [...days, late]],
    [
      'a webhook came only to a receiver in another folder, as one that was away has it',
      [webhook(9, 'https://127.0.0.1:8443/webhooks-away/c3', {}), ...days, late],
    ],
    [
      'a sender broke off the connection over which it may have come',
      [...reachable, { kind: 'handshake', start: 25, end: 25, error: 'ECONNRESET' } as const, ...days, late],
    ],
    ['another merchant’s time was moved', [...reachable, ...days.map((each) => ({ ...each, merchantId: 'm2' })), late]],
    [
      'the receiver refused',
      [...reachable, webhook(15, address, event('PROCESSING'), { answered: 500 }), ...days, late],
    ],
    [
      'the target kept callers of two operations waiting',
      [
        ...reachable,
        ...days,
        { ...seen(35, 'SUCCEEDED'), end: 1500 },
        { ...create(elsewhere, other, 35), end: 1400 },
        late,
      ],
    ],
    ['the webhook came late', [...reachable, ...days, webhook(2000, address, { merchantOrderId }), late]],
  ])('says nothing where %s', (_, records: readonly HistoryRecord[]) => {
    expect(brokenRules(...paid, ...records)).toEqual([]);
  });

  it('binds a cancelled hosted order, and no cancelled checkout order', () => {
    const cancelled = [orderEvent(10, { type: 'cancelled' }), ...reachable, ...days, seen(3000, 'CLOSED')];
    expect(brokenRules(create(address), ...cancelled, seen(20, 'CLOSED'))).toEqual(['webhooks.order cancelled']);
    const view = { merchantOrderId, orderId: 'ord.1', merchantId };
    const checkout = (method: string, start: number, status: string) =>
      request({
        method,
        path: method === 'POST' ? paths.checkoutOrders : paths.checkoutOrder(merchantOrderId),
        start,
        ...(method === 'POST' && { sent: { merchantOrderId, callbackUrl: address } }),
        answered: success({ ...view, status }),
      });
    const closed = [checkout('POST', 0, 'INIT'), checkout('GET', 20, 'CLOSED')];
    const cancel = orderEvent(10, { type: 'cancelled' });
    const later = request({
      method: 'GET',
      path: paths.order(other.merchantOrderId),
      start: 3000,
      answered: success(orderView(other)),
    });
    expect(brokenRules(...closed, ...reachable, cancel, ...days, later)).toEqual([]);
    expect(brokenRules(...closed, ...reachable, ...days, later)).toEqual(['webhooks.checkout-order expired']);
    // One to which nothing happens fails because its time is over.
    const failed = [checkout('POST', 0, 'INIT'), checkout('GET', 20, 'FAILED')];
    expect(brokenRules(...failed, ...reachable, ...days, later)).toEqual(['webhooks.checkout-order expired']);
    const failure = orderEvent(10, { type: 'payment_failed', reason: 'error' });
    expect(brokenRules(...failed, ...reachable, failure, ...days, later)).toEqual(['webhooks.checkout-order failed']);
    // A hosted order with the same id may be the one that was cancelled.
    expect(brokenRules(...closed, ...reachable, cancel, ...days, late)).toEqual([]);
  });
});

describe('refunds', () => {
  it('that were refused for the balance are not told of, even where their webhook names the order', () => {
    const sent = { merchantRefundOrderId: 'refund-000000009', acquiringOrderId: 'ord.1', notifyUrl: elsewhere };
    const answered = refundRefusal('INSUFFICIENT_BALANCE');
    const refused = request({ method: 'POST', path: paths.refunds, start: 30, status: 400, sent, answered });
    const come = webhook(40, elsewhere, { ...sent, status: 'FAILED' });
    expect(brokenRules(...paid, refused, come)).toEqual(['webhooks.refund after-change']);
  });

  const byDefault = `${receiver}/d4`;
  const provision: ProvisionRecord = {
    kind: 'driver',
    step: 'provisionMerchant',
    start: -1,
    end: 0,
    settings: { defaultNotifyUrl: byDefault },
    merchantId,
  };
  const refund = { refundOrderId: 'ref.1', merchantRefundOrderId: 'refund-000000001', acquiringOrderId: 'ord.1' };
  const refunded = (sent: object = {}, made: object = {}) => {
    const { refundOrderId: _issued, ...given } = refund;
    const answered = success({ ...refund, merchantOrderId, status: 'PENDING', ...made }, trace());
    return request({ method: 'POST', path: paths.refunds, start: 30, sent: { ...given, ...sent }, answered });
  };
  const result = { ...refund, merchantOrderId, status: 'SUCCEEDED' };

  it('are told of at their notifyUrl, and then not at the default address or at that of the order', () => {
    const records = [provision, ...paid, refunded({ notifyUrl: elsewhere })];
    expect(brokenRules(...records, webhook(40, elsewhere, result))).toEqual([]);
    const { broken } = judged(deliveries, ...records, webhook(40, byDefault, result));
    expect(broken).toMatchObject([
      { rule: 'webhooks.refund.deliveries.address', requirement: 'webhooks.refund.default-address' },
    ]);
    expect(brokenRules(...records, webhook(40, address, result))).toEqual(['webhooks.refund address']);
  });

  it('are not told of at the address of another refund of the same order', () => {
    const merchantRefundOrderId = 'refund-000000002';
    const second = refunded(
      { merchantRefundOrderId, notifyUrl: byDefault },
      { merchantRefundOrderId, refundOrderId: 'ref.2' },
    );
    const records = [...paid, refunded({ notifyUrl: elsewhere }), second];
    expect(brokenRules(...records, webhook(40, byDefault, { ...result, merchantRefundOrderId }))).toEqual([]);
    expect(judged(deliveries, ...records, webhook(40, byDefault, result)).broken).toMatchObject([
      {
        rule: 'webhooks.refund.deliveries.address',
        expected: `webhooks about ref.1 at ${elsewhere}`,
        actual: `a webhook about it at ${byDefault}`,
      },
    ]);
  });

  it('are told of at the default address where they name none, and may be named by their order alone', () => {
    const records = [provision, ...paid, refunded()];
    expect(brokenRules(...records, webhook(40, byDefault, result))).toEqual([]);
    expect(brokenRules(...records, webhook(40, byDefault, { merchantOrderId, refunded: true }))).toEqual([]);
    expect(brokenRules(...records, webhook(40, elsewhere, result))).toEqual(['webhooks.refund address']);
  });

  it('are not what an event with the view of an order is about, which is then at a wrong address', () => {
    const records = [
      provision,
      ...paid,
      refunded(),
      webhook(40, byDefault, { ...event('SUCCEEDED'), checkoutUrl: '/pay' }),
    ];
    expect(judged(deliveries, ...records).broken).toMatchObject([
      {
        rule: 'webhooks.order.deliveries.address',
        expected: `webhooks about ord.1 at ${address}`,
        actual: `a webhook about it at ${byDefault}`,
      },
    ]);
  });

  it('may be told of by their order alone, after which a status says nothing against the order', () => {
    const records = [...paid, refunded({ notifyUrl: elsewhere })];
    expect(brokenRules(...records, webhook(40, address, event('FAILED')))).toEqual([]);
    const both = ['webhooks.order after-change', 'webhooks.order status'];
    expect(brokenRules(...records, webhook(25, address, event('FAILED')))).toEqual(both);
  });

  it('whose webhook names nothing at all are found', () => {
    const records = [...paid, refunded({ notifyUrl: elsewhere })];
    expect(brokenRules(...records, webhook(40, elsewhere, { status: 'SUCCEEDED' }))).toEqual([
      'webhooks.refund identifies',
    ]);
  });
});
