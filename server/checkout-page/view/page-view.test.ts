import { describe, expect, test } from 'vitest';
import { ordersMachine, referenceChoices } from '../../../generated/catalogue.ts';
import {
  applyOrderEvent,
  type HostedOrder,
  newHostedOrder,
  type OrderCreateRequest,
  type OrderEvent,
  type Payment,
} from '../../domain/order.ts';
import { depositAddress } from '../../services/simulated-chain.ts';
import { paymentDetails } from '../../views/order.ts';
import { exchanges } from './method-rule.ts';
import { type PageFacts, pageView } from './page-view.ts';
import type { Choice } from './stages.ts';

const now = Date.parse('2026-01-01T00:00:00.000Z');
const expiresAt = '2026-01-01T00:30:00.000Z';
const [one, two] = exchanges;
if (!one || !two) throw new Error('there are not two exchanges');

function order(changes: Partial<OrderCreateRequest> = {}, usdRate = '1'): HostedOrder {
  const request: OrderCreateRequest = {
    merchantOrderId: 'order-2026-000001',
    orderAmount: { value: '10.50', currency: 'USDT' },
    expiresAt,
    returnUrl: 'https://shop.example/return?order=1',
    ...changes,
  };
  return newHostedOrder({ orderId: 'ord.1', merchantId: 'M-1', request, usdRate, now, machine: ordersMachine });
}

function moved(from: HostedOrder, ...events: OrderEvent[]): HostedOrder {
  return events.reduce((current, event) => {
    const after = applyOrderEvent(current, event, now, ordersMachine);
    if (!after) throw new Error(`${current.status} does not move by ${event.type}`);
    return after;
  }, from);
}

function detected(value: string, changes: Partial<Payment> = {}, confirmsAt: number | null = null): OrderEvent {
  const payment: Payment = {
    amount: { value, currency: 'USDT' },
    paymentMethod: 'ON_CHAIN_TRANSFER',
    network: 'tron',
    fromAddress: 'payer',
    toAddress: 'platform',
    transactionHash: 'hash',
    blockNumber: 1,
    confirmations: 0,
    ...changes,
  };
  return { type: 'transaction_detected', payment, confirmsAt };
}

const confirmed: OrderEvent = { type: 'payment_confirmed', confirmations: 19 };
const start: Choice = { at: 'start' };
const onTron: Choice = { at: 'network', network: 'tron' };
const atOne: Choice = { at: 'exchange', exchange: one, signedIn: false };
const everyChoice: Choice[] = [start, onTron, atOne, { at: 'cancelled' }];

const detailOf = paymentDetails(referenceChoices);

/** The view of a page that is open. */
function viewOf(of: HostedOrder, choice: Choice = start, facts: Partial<PageFacts> = {}) {
  const view = pageView({ order: of, now, path: '/checkout/ord.1', sandbox: true, detailOf, ...facts }, choice);
  if (!view) throw new Error('the choice is not open');
  return view;
}

describe('the summary', () => {
  test('shows merchant, order, description, items and amount', () => {
    const items = [
      { name: 'Tea', quantity: 2, amount: { value: '4.00', currency: 'USDT' as const }, description: 'black' },
      { name: 'Pot', quantity: 1, amount: { value: '2.50', currency: 'USDT' as const } },
    ];
    expect(viewOf(order({ description: 'Two teas and a pot', items })).summary).toEqual({
      merchant: 'M-1',
      merchantOrderId: 'order-2026-000001',
      description: 'Two teas and a pot',
      items: [
        { name: 'Tea', quantity: '2', amount: '4.00 USDT', description: 'black' },
        { name: 'Pot', quantity: '1', amount: '2.50 USDT' },
      ],
      furtherItems: 0,
      price: '10.50 USDT',
      due: '10.50 USDT',
    });
  });

  test.each([
    ['10', '0.9995', '9.995 USDT'],
    ['0.01', '1.00001', '0.010001 USDT'],
  ])('of %s USD at %s shows price, rate and what is due, rounded up', (value, rate, due) => {
    const { summary } = viewOf(order({ orderAmount: { value, currency: 'USD' } }, rate));
    expect(summary).toMatchObject({ price: `${value} USD`, rate: { usdRate: rate, final: false }, due });
  });

  test('names no rate for a price in USDT', () => {
    expect(viewOf(order({}, '2')).summary).not.toHaveProperty('rate');
  });

  test('counts the items that are too many to show, and cuts texts that are too long', () => {
    const item = { name: 'x'.repeat(100_000), quantity: 1, amount: { value: '1', currency: 'USDT' as const } };
    const { items, furtherItems } = viewOf(order({ items: Array(1000).fill(item) })).summary;
    expect(items.length + furtherItems).toBe(1000);
    expect(items.length).toBeLessThanOrEqual(50);
    expect(JSON.stringify(items).length).toBeLessThan(20_000);
  });
});

describe('the way back', () => {
  test.each([
    ['https://shop.example/return?order=1', 'shop.example'],
    ['HTTP://Shop.Example:8080/', 'shop.example:8080'],
    ['https://good.example@evil.example/', 'evil.example'],
    ['https://аpple.example/', 'xn--pple-43d.example'],
    ['https://evil.example\\@good.example/', 'evil.example'],
  ])('to %s names %s', (returnUrl, host) => {
    expect(viewOf(order({ returnUrl })).returnTo).toEqual({ href: new URL(returnUrl).href, host });
  });

  // The contract accepts none of these addresses, but the page does not rely on that.
  test.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:x',
    '//evil.example',
    'shop',
    '',
  ])('to %j is none', (returnUrl) => {
    expect(viewOf(order({ returnUrl }))).not.toHaveProperty('returnTo');
  });
});

describe('an order that waits', () => {
  test('offers each method under an address of its own', () => {
    const { content } = viewOf(order());
    if (content.kind !== 'choose') throw new Error(content.kind);
    expect(content.networks.map(({ path }) => path)).toContain('/checkout/ord.1/on-chain/tron');
    expect(content.exchanges).toEqual([
      { name: 'Exchange One', connected: true, path: '/checkout/ord.1/exchange/EXCHANGE_ONE' },
      { name: 'Exchange Two', connected: true, path: '/checkout/ord.1/exchange/EXCHANGE_TWO' },
    ]);
    expect(content.expiry).toEqual({ at: Date.parse(expiresAt), left: 30 * 60_000 });
  });

  test('does not open a method that its configuration leaves out, whatever the address says', () => {
    const facts = { now, path: '/checkout/ord.1', sandbox: true, detailOf };
    const exchangeOnly = order({
      paymentMethodConfig: {
        allowedPaymentMethodTypes: ['EXCHANGE_TRANSFER'],
        allowedPaymentMethods: ['EXCHANGE_ONE'],
      },
    });
    expect(pageView({ ...facts, order: exchangeOnly }, onTron)).toBeUndefined();
    expect(
      pageView({ ...facts, order: exchangeOnly }, { at: 'exchange', exchange: two, signedIn: true }),
    ).toBeUndefined();
    expect(pageView({ ...facts, order: exchangeOnly }, atOne)).toBeDefined();
    expect(pageView({ ...facts, order: order() }, { at: 'network', network: 'base' })).toBeUndefined();
  });

  test('is to be paid where the simulated chain will report it', () => {
    expect(viewOf(order(), onTron).content).toMatchObject({
      kind: 'transfer',
      network: 'Tron (TRC20)',
      amount: '10.50',
      address: depositAddress('tron', 'ord.1'),
      confirmations: 19,
    });
  });

  test('says that an exchange is not connected where nothing is simulated', () => {
    expect(viewOf(order(), atOne, { sandbox: false }).content).toMatchObject({ kind: 'exchange', connected: false });
    expect(viewOf(order(), atOne).content).toMatchObject({ kind: 'exchange', connected: true });
    expect(viewOf(order(), start, { sandbox: false }).content).toMatchObject({
      exchanges: [{ connected: false }, { connected: false }],
    });
  });

  test('never has less than no time left', () => {
    const late = viewOf(order(), start, { now: Date.parse(expiresAt) + 1 });
    expect(late.content).toMatchObject({ expiry: { left: 0 } });
  });
});

describe('an order that has moved on', () => {
  const processing = moved(order(), detected('10.50'));
  const paid = moved(processing, confirmed);
  const failed = moved(order(), detected('10.49'), confirmed);
  const closed = moved(order(), { type: 'cancelled' });

  test.each([
    ['processing', processing],
    ['receipt', paid],
    ['failed', failed],
    ['closed', closed],
  ])('shows %s at its own address and nowhere else', (kind, of) => {
    expect(viewOf(of).content.kind).toBe(kind);
    for (const choice of everyChoice.slice(1)) {
      expect(pageView({ order: of, now, path: '/checkout/ord.1', sandbox: true, detailOf }, choice)).toBeUndefined();
    }
  });

  test.each([
    [-19_000, 0],
    [-18_001, 0],
    [-18_000, 1],
    [-5_500, 13],
    [-1, 18],
    [0, 19],
    [5_000, 19],
  ])('%i ms before the last confirmation of an automatic merchant has %i', (before, confirmations) => {
    const confirmsAt = now + 19_000;
    const automatic = moved(order(), detected('10.50', {}, confirmsAt));
    expect(viewOf(automatic, start, { now: confirmsAt + before }).content).toMatchObject({
      payment: { block: { confirmations, requiredConfirmations: 19 } },
    });
  });

  test('counts none where only an event confirms', () => {
    expect(viewOf(processing, start, { now: now + 60_000 }).content).toMatchObject({
      payment: { block: { confirmations: 0 } },
    });
  });

  test('has a receipt with hash, network, amounts and times', () => {
    expect(viewOf(paid).content).toEqual({
      kind: 'receipt',
      paidAt: now,
      payment: {
        network: 'Tron (TRC20)',
        paid: '10.50 USDT',
        due: '10.50 USDT',
        transactionHash: 'hash',
        fromAddress: 'payer',
        toAddress: 'platform',
        block: { number: 1, confirmations: 19, requiredConfirmations: 19 },
      },
    });
  });

  test('names the exchange that paid', () => {
    const byExchange = moved(order(), detected('10.50', { paymentMethod: 'EXCHANGE_TWO' }), confirmed);
    expect(viewOf(byExchange).content).toMatchObject({ payment: { exchange: 'Exchange Two' } });
  });

  test('shows of an exchange what answers show, though it is no more than a reference', () => {
    const byExchange = moved(order(), detected('10.50', { paymentMethod: 'EXCHANGE_ONE' }), confirmed);
    const choices = { ...referenceChoices, 'exchange-payment-detail': 'exchange-reference' as const };
    const { content } = viewOf(byExchange, start, { detailOf: paymentDetails(choices) });
    expect(content).toMatchObject({ payment: { transactionHash: 'EXCHANGE_ONE-hash' } });
    expect(content).not.toHaveProperty('payment.block');
  });

  test('says to the last place what is missing or was too much', () => {
    const little = moved(order(), detected('10.499999999999999999'), confirmed);
    expect(viewOf(little).content).toMatchObject({ kind: 'failed', payment: { missing: '0.000000000000000001 USDT' } });
    const much = moved(order(), detected('12'), confirmed);
    expect(viewOf(much).content).toMatchObject({ kind: 'receipt', payment: { excess: '1.5 USDT' } });
  });

  test('was cancelled when it closed before its time, and is over after it', () => {
    expect(viewOf(closed).content).toEqual({ kind: 'closed', expired: false });
    expect(viewOf(closed, start, { now: Date.parse(expiresAt) }).content).toEqual({ kind: 'closed', expired: true });
  });
});

describe("the sandbox's panel", () => {
  const acts = (of: HostedOrder, choice: Choice) => viewOf(of, choice).simulation?.acts.map(({ name }) => name);

  test('pays by the chosen method, exactly, less and more', () => {
    const payments = viewOf(order(), { at: 'network', network: 'eth' }).simulation?.acts ?? [];
    const amounts = payments.flatMap((act) => ('events' in act ? [act.events[0]] : []));
    expect(amounts).toEqual(
      ['10.50', '10.499999', '10.500001', '10.50'].map((amount) => ({
        type: 'transaction_detected',
        amount,
        network: 'eth',
      })),
    );
  });

  test('offers what the order can do as it stands', () => {
    const waits = ['wait-minute', 'wait-expiry'];
    expect(acts(order(), start)).toEqual(waits);
    expect(acts(order(), atOne)).toEqual(['pay-exact', 'pay-less', 'pay-more', 'pay-fail', ...waits]);
    expect(acts(moved(order(), detected('10.50')), start)).toEqual(['confirm', 'fail', 'wait-seconds']);
    expect(acts(moved(order(), { type: 'cancelled' }), start)).toBeUndefined();
  });

  test('does not pay less than the least', () => {
    const least = order({ orderAmount: { value: '0.000001', currency: 'USDT' } });
    expect(acts(least, onTron)).not.toContain('pay-less');
    expect(acts(order({ orderAmount: { value: '0.0000011', currency: 'USDT' } }), onTron)).toContain('pay-less');
  });

  test('is not there in production, at any step', () => {
    for (const choice of everyChoice) {
      expect(viewOf(order(), choice, { sandbox: false })).not.toHaveProperty('simulation');
    }
    expect(viewOf(moved(order(), detected('10.50')), start, { sandbox: false })).not.toHaveProperty('simulation');
  });
});
