import { describe, expect, it } from 'vitest';
import { refusalIds } from './refusal-ids.ts';
import { judged, orderRefusal, orderView, paths, request, success } from './testing/histories.ts';

const [own, other] = ['order-0000000001', 'order-0000000002'];
const made = (id: string) =>
  request({
    method: 'POST',
    path: paths.orders,
    sent: { merchantOrderId: id },
    answered: success({ ...orderView(), merchantOrderId: id, orderId: `ord.${id}` }),
  });
const query = (data: object) => {
  const refusal = orderRefusal('40001');
  return request({
    method: 'GET',
    path: paths.order(own),
    answered: { ...refusal, data: { ...refusal.data, ...data } },
  });
};

const whole = {
  merchantOrderId: own,
  orderAmount: { value: '9.50', currency: 'USDT' },
  expiresAt: '2031-01-01T00:00:00Z',
  returnUrl: 'https://shop.example/return',
};
const refusedCreate = (code: string, sent: object, merchantOrderId: string | null) => {
  const refusal = orderRefusal(code);
  return request({
    ...{ method: 'POST', path: paths.orders, sent },
    answered: { ...refusal, data: { ...refusal.data, merchantOrderId } },
  });
};

describe('a refusal of a hosted order', () => {
  it('names no other order than the request', () => {
    expect(judged(refusalIds, made(other), query({ merchantOrderId: other })).broken).toEqual([
      {
        rule: 'orders.query.refusals.ids',
        expected: 'a refusal that names what the request names',
        actual: `data.merchantOrderId = ${other}, which the request does not name`,
      },
    ]);
  });

  it('names no other merchant than the request', () => {
    const ofAnother = request({
      method: 'GET',
      path: paths.order(other).replace(/merchants\/[^/]+/, 'merchants/M-9'),
      answered: success(orderView()),
    });
    expect(judged(refusalIds, ofAnother, query({ merchantId: 'M-9' })).broken).toMatchObject([
      { rule: 'orders.query.refusals.ids', actual: 'data.merchantId = M-9, which the request does not name' },
    ]);
  });

  it.each([
    ['the ids of the request', { merchantOrderId: own }],
    ['no order', { merchantOrderId: null }],
    ['an empty id', { merchantOrderId: '' }],
    ['a merchant that nobody knows', { merchantId: 'M-unknown' }],
  ])('may name %s', (_, data) => {
    expect(judged(refusalIds, made(own), made(other), query(data)).broken).toEqual([]);
  });

  it.each([
    ['says that its id is taken', '20001', { merchantOrderId: own }, null],
    ['keeps every rule of a field', '10004', whole, null],
    ['keeps every rule of a field, with an empty id,', '10001', whole, ''],
  ])('names the order of a create that %s', (_, code, sent, merchantOrderId) => {
    expect(judged(refusalIds, refusedCreate(code, sent, merchantOrderId)).broken).toEqual([
      {
        rule: 'orders.create.refusals.ids',
        requirement: 'orders.envelope.failure-names-request',
        expected: `data.merchantOrderId = ${own}, as the request names it`,
        actual: `data.merchantOrderId ${merchantOrderId === null ? 'names none' : '= ""'}`,
      },
    ]);
  });

  it('names the order of a create also where the platform calls an order by that id', () => {
    const sameId = request({
      ...{ method: 'POST', path: paths.orders, sent: whole },
      answered: success({ ...orderView(), merchantOrderId: own, orderId: own }),
    });
    const { broken } = judged(refusalIds, sameId, refusedCreate('20001', whole, null));
    expect(broken.map(({ actual }) => actual)).toEqual(['data.merchantOrderId names none']);
  });

  it.each([
    ['may not have been read', '10001', { ...whole, orderAmount: { value: 'much', currency: 'USDT' } }],
    ['was found to be of nobody', '90001', whole],
    ['has half a character', '10001', { ...whole, description: 'half \ud83c' }],
    ['has a letter beyond ASCII', '20001', { ...whole, description: 'Café' }],
  ])('may name no order of a create that %s', (_, code, sent) => {
    expect(judged(refusalIds, refusedCreate(code, sent, null)).broken).toEqual([]);
  });

  it.each([
    ['in other letters', own.toUpperCase()],
    ['cut', own.slice(0, 12)],
    ['with more behind it', `${own}-1`],
    ['of nobody', 'order-0000000003'],
  ])('does not name an id %s', (_, merchantOrderId) => {
    expect(judged(refusalIds, query({ merchantOrderId })).broken).toEqual([
      {
        rule: 'orders.query.refusals.ids',
        requirement: 'orders.envelope.failure-names-request',
        expected: `data.merchantOrderId = ${own}, as the request names it`,
        actual: `data.merchantOrderId = ${merchantOrderId}`,
      },
    ]);
  });

  it.each([
    ['with marks that are escaped', '<b>&order-0000000001', '&lt;b&gt;&amp;order-0000000001'],
    ['without the blanks around it', ' order-0000000001 ', 'order-0000000001'],
    ['cut to the longest that is right', own.repeat(5), own.repeat(5).slice(0, 64)],
  ])('does not name an id that keeps no rule %s', (_, asked, merchantOrderId) => {
    const sent = { ...whole, merchantOrderId: asked };
    expect(judged(refusalIds, refusedCreate('10001', sent, merchantOrderId)).broken).toMatchObject([
      {
        requirement: 'orders.envelope.failure-names-request',
        expected: `data.merchantOrderId = ${asked}, as the request names it`,
      },
    ]);
    expect(judged(refusalIds, refusedCreate('10001', sent, null)).broken).toEqual([]);
    expect(judged(refusalIds, refusedCreate('10001', sent, asked)).broken).toEqual([]);
  });

  it.each([
    ['is escaped in the path', { method: 'GET', path: paths.order(own).replace('order-', 'order%2D') }],
    [
      'stands beside another one',
      { method: 'POST', path: paths.orders, sent: { merchantOrderId: own, MerchantOrderId: other } },
    ],
    [
      'stands there twice',
      { method: 'POST', path: paths.orders, sent: `{"merchantOrderId":"x","merchantOrderId":"${own}"}` },
    ],
    [
      'has a letter beyond ASCII',
      { method: 'POST', path: paths.orders, sent: { merchantOrderId: 'Order-é-0000000001' } },
    ],
    ['is longer than a page', { method: 'POST', path: paths.orders, sent: { merchantOrderId: 'o'.repeat(1001) } }],
    ['keeps no rule and stands in a path', { method: 'GET', path: paths.order('order-1') }],
  ])('may name an id otherwise that %s', (_, changes) => {
    const { data, ...refusal } = orderRefusal('40001');
    const answered = { ...refusal, data: { ...data, merchantOrderId: 'order-0000000009' } };
    expect(judged(refusalIds, request({ ...changes, answered })).broken).toEqual([]);
  });

  it('may name an id with a character that is escaped in its request, also where an order has that id', () => {
    const id = 'order-\u0000-0000000001';
    const refusal = orderRefusal('10001');
    const answered = { ...refusal, data: { ...refusal.data, merchantOrderId: id } };
    const create = { method: 'POST', path: paths.orders, sent: { merchantOrderId: id } };
    expect(judged(refusalIds, made(id), request({ ...create, answered })).broken).toEqual([]);
  });

  it('may name an order by its own id where the request names it by that of the platform', () => {
    const platformId = 'platform-0000000001';
    const create = request({
      method: 'POST',
      path: paths.orders,
      sent: { merchantOrderId: own },
      answered: success({ ...orderView(), merchantOrderId: own, orderId: platformId }),
    });
    const { data, ...refusal } = orderRefusal('40001');
    const answered = { ...refusal, data: { ...data, merchantOrderId: 'order-0000000009' } };
    expect(
      judged(refusalIds, create, request({ method: 'GET', path: paths.order(platformId), answered })).broken,
    ).toEqual([]);
  });
});
