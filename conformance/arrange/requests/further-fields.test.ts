import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../check/random.ts';
import { contractOperation, type OperationArea } from '../../contract/operations.ts';
import { schemaFaults } from '../../contract/schema.ts';
import { idInRun } from '../../history/run-ids.ts';
import type { Answer } from '../../wire/exchange.ts';
import {
  type Chooser,
  createWith,
  furtherCheckoutFields,
  furtherHostedFields,
  furtherRefundFields,
} from './further-fields.ts';
import { plainly, type WayToSend } from './ways-to-send.ts';

/** What chooses as a check does. */
function chooser(seed: number): Chooser {
  const random = seededRandom(`a.check ${seed}`);
  let ids = 0;
  return {
    isThrifty: false,
    choose: (choices) => choices[Math.floor(random() * choices.length)] ?? choices[0],
    newOrderId: () => {
      ids += 1;
      return idInRun('0a1b2c3d', `00112233445${seed % 10}-${ids}`);
    },
  };
}

const choosers = Array.from({ length: 300 }, (_, seed) => chooser(seed));
const expiresAt = '2026-01-01T11:00:00.250Z';

describe('fields in which creates differ', () => {
  const requestsOf = {
    'orders.create': choosers.flatMap((each) =>
      (['USDT', 'USD'] as const).map((currency) => ({
        orderAmount: { value: '9.50', currency },
        returnUrl: 'https://shop.example/return',
        ...furtherHostedFields(each, expiresAt, currency),
      })),
    ),
    'checkout.create': choosers.map((each) => ({
      orderAmount: { value: '9.50', currency: 'USDT' },
      paymentMethodType: 'ON_CHAIN_TRANSFER',
      network: 'tron',
      ...furtherCheckoutFields(each, expiresAt),
    })),
    'refunds.create': choosers.map((each) => ({
      acquiringOrderId: 'ord.1',
      refundReason: 'Goods were returned',
      ...furtherRefundFields(each),
    })),
  };

  it.each(Object.entries(requestsOf))('keep every rule of %s, and are many', (operation, requests) => {
    const schema = contractOperation(operation).bodySchema ?? '';
    expect(requests.flatMap((request) => schemaFaults(request, schema))).toEqual([]);
    const kinds = new Set(requests.map((request) => JSON.stringify(Object.keys(request).sort())));
    expect(kinds.size).toBeGreaterThan(operation === 'refunds.create' ? 0 : 20);
    const texts = new Set(requests.map((request) => JSON.stringify(request)));
    expect(texts.size).toBeGreaterThan(requests.length / 4);
  });

  it('leave the price and the currency of an order in USD as they are', () => {
    const inUsd = choosers.map((each) => furtherHostedFields(each, expiresAt, 'USD'));
    expect(inUsd.filter(({ orderAmount, items }) => orderAmount !== undefined || items !== undefined)).toEqual([]);
  });
});

describe('a create with further fields', () => {
  const answer = (code: string): Answer => ({ exchange: 1, status: 200, headers: {}, text: '', json: { code } });
  interface Way {
    area: OperationArea;
    repeats: boolean;
    otherwise: boolean;
    isThrifty: boolean;
  }
  /** Sends a create to a target that answers as `codeOf` says; what was sent, and what came of it. */
  async function sendTo(
    codeOf: (sent: object, way?: WayToSend) => string,
    { area = 'checkout', repeats = false, otherwise = false, isThrifty = false }: Partial<Way> = {},
  ) {
    const sent: object[] = [];
    const choose: Chooser['choose'] = (choices) => {
      const [first, last] = [choices[0], choices.at(-1) ?? choices[0]];
      return (typeof first === 'boolean' ? repeats : otherwise) ? last : first;
    };
    const made = await createWith<{ id: number; description?: string }>(
      { choose, isThrifty },
      {
        area,
        further: { description: 'a "mark"' },
        requestWith: (further) => ({ id: sent.length, ...further }),
        create: async (request, way) => {
          sent.push(request);
          return answer(codeOf(request, way));
        },
      },
    );
    return { sent, made: { request: made.request, json: made.created.json } };
  }
  const withMark = { id: 0, description: 'a "mark"' };

  it('is sent once where it is accepted, and once more where the check has chosen that', async () => {
    const made = { request: withMark, json: { code: '00000' } };
    expect(await sendTo(() => '00000')).toEqual({ sent: [withMark], made });
    expect(await sendTo(() => '00000', { repeats: true })).toEqual({ sent: [withMark, withMark], made });
    expect(await sendTo(() => '00000', { repeats: true, area: 'orders' })).toEqual({ sent: [withMark], made });
    expect(await sendTo(() => '00000', { repeats: true, isThrifty: true })).toEqual({ sent: [withMark], made });
  });

  it('is sent without them where it is refused for a field', async () => {
    expect(await sendTo((sent) => ('description' in sent ? '10001' : '00000'), { repeats: true })).toEqual({
      sent: [withMark, { id: 1 }],
      made: { request: { id: 1 }, json: { code: '00000' } },
    });
  });

  it('is sent plainly where it is refused in another way to send it', async () => {
    const codeOf = (_: object, way = plainly) => (way === plainly ? '00000' : '90001');
    expect(await sendTo(codeOf, { otherwise: true })).toEqual({
      sent: [withMark, { id: 1 }],
      made: { request: { id: 1 }, json: { code: '00000' } },
    });
  });

  it('is not sent again where it is refused for something else', async () => {
    expect(await sendTo(() => '20001', { repeats: true })).toEqual({
      sent: [withMark],
      made: { request: withMark, json: { code: '20001' } },
    });
  });
});
