import { createHash, createHmac } from 'node:crypto';
import { checkoutClient } from '../support/checkout.ts';
import { outcomeOf } from '../support/contract.ts';
import type { Answer } from '../support/http.ts';
import { refundClient } from '../support/refunds.ts';
import { merchantClient, newMerchant, newOrderId, type Variation } from '../support/server.ts';
import { signedHeaders } from '../support/signing.ts';
import type { Chosen, Points } from './point.ts';

/** Requests whose authentication fails: by their signature, their timestamp, their key. */
const failures: readonly Variation[] = [
  { headers: { 'X-Signature': `${'A'.repeat(43)}=` } },
  { timestamp: '1000000000000' },
  { headers: { 'X-Api-Key': 'ak_that-nobody-has' } },
];

const messageOf = ({ body }: Answer) => String(Object(body).message) + String(Object(body).details);

/** One request in each area as a merchant, and what it is answered with. */
async function inEachArea({ server, merchant: own }: Chosen, merchantId: string): Promise<Answer[]> {
  const credentials = { ...own, merchantId };
  return [
    await merchantClient(server, credentials).get(newOrderId(), { as: own }),
    await checkoutClient(server, credentials).get(newOrderId(), { as: own }),
    await checkoutClient(server, credentials).get(newOrderId(), { as: own, headers: { 'X-Api-Key': undefined } }),
    await refundClient(server, credentials).get('merchantRefundOrderId=x', { as: own }),
  ];
}

const operations = ['orders.query', 'checkout.query', 'checkout.query', 'refunds.query'];

export const authPoints: Points<
  | 'checkout-api-key'
  | 'orders-auth-failure'
  | 'checkout-auth-failure'
  | 'unknown-merchant'
  | 'signature-edges'
  | 'signature-text'
  | 'content-type'
> = {
  'checkout-api-key': {
    seen: {
      optional: { without: '200 00000', unknown: '401 90003', right: '200 00000' },
      required: { without: '401 90003', unknown: '401 90003', right: '200 00000' },
      ignored: { without: '200 00000', unknown: '200 00000', right: '200 00000' },
    },
    observe: async ({ checkout }) => {
      const outcome = async (key?: string) =>
        outcomeOf(await checkout.methods({ headers: { 'X-Api-Key': key } }), 'checkout.payment-methods');
      return {
        without: await outcome(),
        unknown: await outcome('ak_that-nobody-has'),
        right: await outcome(checkout.apiKey),
      };
    },
  },
  'orders-auth-failure': {
    seen: {
      'own-codes': ['200 90001', '200 90002', '200 90003'],
      'invalid-parameter': ['200 10001', '200 10001', '200 10001'],
      'http-401': ['401 90001', '401 90002', '401 90003'],
    },
    observe: ({ merchant }) =>
      Promise.all(failures.map(async (each) => outcomeOf(await merchant.get('x', each), 'orders.query'))),
  },
  'checkout-auth-failure': {
    seen: {
      '401': ['401 90001', '401 90002', '401 90003'],
      '200': ['200 90001', '200 90002', '200 90003'],
      'other-4xx': ['403 90001', '403 90002', '403 90003'],
    },
    observe: ({ checkout }) =>
      Promise.all(failures.map(async (each) => outcomeOf(await checkout.get('x', each), 'checkout.query'))),
  },
  'unknown-merchant': {
    seen: {
      'by-area': {
        unknown: ['200 10001', '200 10007', '200 10007', '401 INVALID_API_KEY'],
        of: ['200 90003', '401 90003', '401 90001', '401 INVALID_API_KEY'],
        sameWords: [false, false, false, false],
      },
      'as-authentication': {
        unknown: ['200 90003', '401 90003', '401 90001', '401 INVALID_API_KEY'],
        of: ['200 90003', '401 90003', '401 90001', '401 INVALID_API_KEY'],
        sameWords: [true, true, true, true],
      },
    },
    observe: async (chosen) => {
      const other = await newMerchant(chosen.server);
      const [unknown, of] = [await inEachArea(chosen, 'M-nobody'), await inEachArea(chosen, other.merchantId)];
      const outcomes = (answers: Answer[]) => answers.map((each, area) => outcomeOf(each, operations[area] ?? ''));
      // Path, time and order id stand in the words where a signature is explained.
      const words = (answers: Answer[]) => answers.map((each) => messageOf(each).replaceAll(/"[^"]*"/g, ''));
      const [ofUnknown, ofOther] = [words(unknown), words(of)];
      return {
        unknown: outcomes(unknown),
        of: outcomes(of),
        sameWords: ofUnknown.map((each, area) => each === ofOther[area]),
      };
    },
  },
  'signature-text': {
    seen: {
      standard: { unpadded: '200 90001', url: '200 90001', other: '200 90001' },
      any: { unpadded: '200 40001', url: '200 40001', other: '200 90001' },
    },
    observe: async ({ server, merchant }) => {
      const target = `${merchant.ordersPath}/${newOrderId()}`;
      const outcome = async (change: (signature: string) => string) => {
        const right = signedHeaders(merchant, { method: 'GET', target, timestamp: String(server.clock()) });
        const headers = { ...right, 'X-Signature': change(right['X-Signature'] ?? '') };
        return outcomeOf(await merchant.request('GET', target, undefined, { headers }), 'orders.query');
      };
      return {
        unpadded: await outcome((text) => text.replace(/=+$/, '')),
        url: await outcome((text) => Buffer.from(text, 'base64').toString('base64url')),
        other: await outcome((text) => `${text.startsWith('A') ? 'B' : 'A'}${text.slice(1)}`),
      };
    },
  },
  'content-type': {
    seen: {
      required: { none: ['200 10001', '200 10001'], empty: '200 10001', text: '200 10001', json: '200 00000' },
      optional: { none: ['200 00000', '200 00000'], empty: '200 00000', text: '200 10001', json: '200 00000' },
    },
    observe: async ({ merchant, checkout }) => {
      const hosted = async (type: string | undefined) =>
        outcomeOf(await merchant.post(merchant.body(), { headers: { 'Content-Type': type } }), 'orders.create');
      const other = await checkout.post(checkout.body(), { headers: { 'Content-Type': undefined } });
      return {
        none: [await hosted(undefined), outcomeOf(other, 'checkout.create')],
        empty: await hosted(''),
        text: await hosted('text/plain'),
        json: await hosted('application/json; charset=utf-8'),
      };
    },
  },
  'signature-edges': {
    seen: {
      'bare-mark-unsigned': { withoutHash: '200 40001', withHash: '200 90001' },
      'bare-mark-hashed': { withoutHash: '200 90001', withHash: '200 40001' },
    },
    observe: async ({ server, merchant }) => {
      const path = `${merchant.ordersPath}/${newOrderId()}`;
      const timestamp = String(server.clock());
      const hash = createHash('sha256').update('').digest('base64');
      const outcome = async (...parts: string[]) => {
        const signature = createHmac('sha256', merchant.apiSecret).update(
          [timestamp, 'GET', path, ...parts].join('\n'),
        );
        const headers = { 'X-Timestamp': timestamp, 'X-Signature': signature.digest('base64') };
        return outcomeOf(await merchant.request('GET', `${path}?`, undefined, { headers }), 'orders.query');
      };
      return { withoutHash: await outcome(), withHash: await outcome(hash) };
    },
  },
};
