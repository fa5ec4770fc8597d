import { describe, expect, it } from 'vitest';
import { hindranceIn, hindrancesIn, longestPrompt } from './hindrances.ts';
import { createRecorder } from './recorder.ts';
import type { RequestRecord } from './records.ts';

const asked = (operation: string | undefined, start: number, end: number): RequestRecord => ({
  kind: 'request',
  as: 'm1',
  authentication: 'right',
  method: 'GET',
  path: '/',
  headers: {},
  start,
  end,
  ...(operation !== undefined && { operation }),
});

const stallsIn = (records: readonly RequestRecord[], longest: number) =>
  hindrancesIn(records, longest).map(({ start, end }) => ({ start, end }));

describe('a target that keeps its callers waiting', () => {
  it('is stalled while two operations wait for longer than they should', () => {
    const records = [asked('orders.create', 0, 9000), asked('orders.query', 4000, 12_000)];
    expect(stallsIn(records, 5000)).toEqual([{ start: 4000, end: 9000 }]);
  });

  it('is not stalled by one operation that hangs, however often it is asked', () => {
    const records = [
      asked('orders.create', 0, 10_000),
      asked('orders.create', 3000, 13_000),
      asked('orders.query', 5, 9),
    ];
    expect(stallsIn(records, 5000)).toEqual([]);
  });

  it('is not stalled by slow answers that come one after the other', () => {
    expect(stallsIn([asked('orders.create', 0, 6000), asked('orders.query', 6000, 12_000)], 5000)).toEqual([]);
  });

  it('is not stalled by answers that are prompt, nor by requests that are none of the operations', () => {
    expect(stallsIn([asked('orders.create', 0, 5000), asked('orders.query', 0, 5000)], 5000)).toEqual([]);
    expect(stallsIn([asked(undefined, 0, 9000), asked('orders.query', 0, 9000)], 5000)).toEqual([]);
  });

  it('may be so more than once', () => {
    const records = [0, 50_000].flatMap((at) => [
      asked('orders.create', at, at + 9000),
      asked('refunds.query', at + 1, at + 8000),
      asked('refunds.create', at + 2, at + 9500),
    ]);
    expect(stallsIn(records, 5000)).toEqual([
      { start: 1, end: 9000 },
      { start: 50_001, end: 59_000 },
    ]);
  });
});

describe('a webhook that does not come', () => {
  const handshake = { kind: 'handshake', start: 10, end: 20, error: 'ECONNRESET' } as const;

  it('may have been kept away by a connection that its sender broke off', () => {
    const hindrances = hindrancesIn([handshake], 5000);
    const during = (start: number, end: number) => hindranceIn(hindrances, { start, end })?.why;
    expect(during(0, 11)).toMatch(/broken off before it was secure \(ECONNRESET\)/);
    expect(during(19, 30)).toBe(during(0, 11));
    expect([during(0, 10), during(20, 30)]).toEqual([undefined, undefined]);
  });

  it('was not kept away by one that was broken off at another time, nor by a prompt answer', () => {
    const hindrances = hindrancesIn([asked('orders.create', 0, 9), handshake], 5000);
    expect(hindranceIn(hindrances, { start: 0, end: 9 })).toBe(undefined);
  });
});

describe('webhooks that take long', () => {
  const made = (settings = {}) =>
    ({ kind: 'driver', step: 'provisionMerchant', start: 0, end: 1, settings, merchantId: 'm1' }) as const;
  const paid = (end: number) =>
    ({
      kind: 'driver',
      step: 'orderEvent',
      start: end - 1,
      end,
      merchantId: 'm1',
      orderId: 'ord.1',
      event: { type: 'payment_confirmed' },
      result: { done: true },
    }) as const;
  const came = (start: number, answered = 200, address = 'https://shop.example/a') =>
    ({
      kind: 'webhook',
      address,
      target: '/a',
      method: 'POST',
      headers: {},
      body: { text: '{"orderId":"ord.1","status":"SUCCEEDED"}' },
      answered,
      start,
      end: start,
    }) as const;
  const late = (...records: Parameters<typeof hindrancesIn>[0]) => hindrancesIn(records, 5000);

  it('show that another one may still be on its way', () => {
    const [hindrance, ...others] = late(made(), paid(10), came(8010));
    expect(others).toEqual([]);
    expect(hindrance).toMatchObject({
      start: 10,
      end: 8010,
      why: expect.stringMatching(/8 s after .* \(timing\.webhookMs\)/),
    });
  });

  it('are none of those that came soon, after a move of the clock, again, to an automatic merchant, or after an attempt in vain', () => {
    expect(late(made(), paid(10), came(4000))).toEqual([]);
    expect(
      late(made(), paid(10), { kind: 'clock', start: 7000, end: 7001, merchantId: 'm1', seconds: 60 }, came(8000)),
    ).toEqual([]);
    expect(late(made(), paid(10), came(20), came(8000))).toEqual([]);
    expect(late(made({ automatic: true }), paid(10), came(8000))).toEqual([]);
    expect(late(made(), paid(10), came(20, 500), paid(30), came(8000))).toEqual([]);
    expect(late(came(8000))).toEqual([]);
  });
});

it('the longer a webhook is waited for, the longer may an answer take', () => {
  expect([1500, 20_000].map(longestPrompt)).toEqual([1000, 5000]);
});

it('handshakes that fail one after the other are one record for each error', () => {
  const facts = { suite: '1', target: '', seed: 1, clockAhead: 0, settle: 1, webhookWait: 1, pins: {} };
  const recorder = createRecorder(facts);
  for (let count = 0; count < 100; count += 1) {
    recorder.failHandshake('ECONNRESET');
    recorder.failHandshake('ERR_SSL_TLSV1_ALERT_UNKNOWN_CA');
  }
  expect(recorder.records.length).toBe(2);
});
