import { describe, expect, it } from 'vitest';
import { presence } from './presence.ts';
import { clockMove } from './testing/events.ts';
import {
  checkoutView,
  judged,
  orderView,
  paths,
  payment,
  refundView,
  request,
  success,
  trace,
  type WrittenRequest,
} from './testing/histories.ts';

const created = (view: object) =>
  request({
    method: 'POST',
    path: paths.orders,
    sent: { merchantOrderId: 'order-0000000001' },
    answered: success(view),
  });
const seen = (view: object) =>
  request({ method: 'GET', path: paths.order('order-0000000001'), answered: success(view), start: 10 });
const checkoutCreated = (view: object) =>
  request({ method: 'POST', path: paths.checkoutOrders, sent: {}, answered: success(view) });
const checkoutSeen = (view: object) =>
  request({ method: 'GET', path: paths.checkoutOrder('order-0000000001'), answered: success(view), start: 10 });
const refunded = (view: object, rest: Partial<WrittenRequest> = {}) =>
  request({
    method: 'POST',
    path: paths.refunds,
    sent: { merchantRefundOrderId: 'refund-1' },
    answered: success(view, trace()),
    ...rest,
  });
const refundSeen = (view: object) =>
  request({
    method: 'GET',
    path: paths.refunds,
    query: 'refundOrderId=ref.1',
    answered: success(view, trace()),
    start: 10,
  });
const batchSeen = (...views: object[]) =>
  request({ method: 'POST', path: paths.batchQuery, sent: {}, answered: success(views, trace()), start: 10 });

const { estimatedCompletionTime: _left, ...withoutEstimate } = refundView();

describe('presence', () => {
  it('is kept by views that have what belongs to their status', () => {
    const checkoutPayment = {
      ...payment,
      cryptoPaymentDetail: {
        network: 'tron',
        cryptoCurrency: 'USDT',
        transactionHash: '0xabc',
        fromAddress: 'TPayer',
        toAddress: 'TDeposit',
        amount: '9.50',
        confirmations: 20,
        requiredConfirmations: 19,
      },
    };
    const { broken, kept } = judged(
      presence,
      created(orderView()),
      seen(orderView(payment)),
      checkoutCreated(checkoutView({ paidAt: null, cryptoPaidAmount: null })),
      checkoutSeen(checkoutView(checkoutPayment)),
      checkoutSeen(checkoutView({ status: 'CLOSED', metadata: null })),
      // What is there has another type, which the rules on the forms of times and amounts judge.
      seen(orderView({ ...payment, paidAt: 1795907639 })),
      refundSeen(refundView({ status: 'SUCCEEDED', completedTime: 1795907639, merchantDeductAmount: 9.5 })),
      refunded(refundView({ extraData: null })),
      batchSeen(refundView({ status: 'SUCCEEDED', completedTime: '2026-01-01T10:25:00' })),
    );
    expect(broken).toEqual([]);
    expect(kept).toEqual(
      expect.arrayContaining(['orders.query.presence.status', 'refunds.batch-query.presence.status']),
    );
  });

  it.for([
    [created(orderView({ checkoutUrl: undefined })), 'orders.create.presence.fields', 'data.checkoutUrl is absent'],
    [seen(orderView({ createdAt: null })), 'orders.query.presence.fields', 'data.createdAt = null'],
    [
      seen(orderView({ paidAt: '2026-01-01T10:10:00Z' })),
      'orders.query.presence.status',
      'data.paidAt = "2026-01-01T10:10:00Z", where data.status = INIT',
    ],
    [
      seen(orderView({ ...payment, paidAt: null })),
      'orders.query.presence.status',
      'data.paidAt = null, where data.status = SUCCEEDED',
    ],
    [
      seen(orderView({ ...payment, cryptoPaymentDetail: { ...payment.cryptoPaymentDetail, blockNumber: undefined } })),
      'orders.query.presence.fields',
      'data.cryptoPaymentDetail.blockNumber is absent',
    ],
    [checkoutCreated(checkoutView(payment)), 'checkout.create.presence.payment', /^data\.cryptoPaidAmount = /],
    [
      checkoutSeen(checkoutView({ status: 'SUCCEEDED' })),
      'checkout.query.presence.status',
      /is absent, where data.status = SUCCEEDED$/,
    ],
    [refunded(withoutEstimate), 'refunds.create.presence.estimated-completion', /is absent$/],
    [
      refunded(refundView({ completedTime: null })),
      'refunds.create.presence.status',
      'data.completedTime = null, where data.status = PENDING',
    ],
    [
      refundSeen(refundView({ status: 'FAILED', failedTime: '2026-01-01T10:00:00Z', errorCode: 'X' })),
      'refunds.query.presence.status',
      'data.errorMessage is absent, where data.status = FAILED',
    ],
    [
      batchSeen(refundView(), refundView({ refundAmount: null })),
      'refunds.batch-query.presence.fields',
      'data.1.refundAmount = null',
    ],
  ] as const)('%# breaks %s', ([record, rule, actual]) => {
    const { broken } = judged(presence, record);
    expect(broken.map((each) => each.rule)).toContain(rule);
    expect(broken.filter((each) => each.rule === rule).map((each) => each.actual)).toContainEqual(
      typeof actual === 'string' ? actual : expect.stringMatching(actual),
    );
  });

  it('says that an earlier answer showed what is missing, and what happened in between', () => {
    const before = seen(orderView(payment));
    const after = { ...seen(orderView({ ...payment, paidAt: null })), start: 30, end: 31 };
    const { broken } = judged(presence, before, clockMove(20, 90 * 86_400), after);
    expect(broken.map(({ actual }) => actual)).toEqual([
      'data.paidAt = null, where data.status = SUCCEEDED; an earlier answer showed it; between the two: business time moved by 90 days',
    ]);
  });

  it('does not ask a repeat, or a create beside a lost one, for the estimated completion', () => {
    const repeat = refunded(withoutEstimate, { start: 5 });
    expect(judged(presence, refunded(refundView()), repeat).broken).toEqual([]);
    const lost = request({ method: 'POST', path: paths.refunds, sent: { merchantRefundOrderId: 'refund-1' } });
    expect(judged(presence, lost, repeat).broken).toEqual([]);
  });
});
