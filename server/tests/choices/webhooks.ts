import { createHash, createHmac } from 'node:crypto';
import { expect } from 'vitest';
import { type Received, startReceiver } from '../../webhooks/testing/receiver.ts';
import { controlOf, eventOf } from '../support/contract.ts';
import { advance, control } from '../support/server.ts';
import { type Chosen, moveOrder, type Points } from './point.ts';

const path = '/hooks';

/** Does `work` with the address of a receiver that answers with `status`; resolves with what it got once it is as many. */
async function receiving(count: number, work: (url: string) => Promise<unknown>): Promise<Received[]> {
  const receiver = await startReceiver((response) => response.writeHead(200).end());
  try {
    await work(`http://127.0.0.1:${receiver.port}${path}`);
    await expect.poll(() => receiver.received.length, { interval: 5, timeout: 10_000 }).toBe(count);
    return receiver.received;
  } finally {
    await receiver.close();
  }
}

/** A checkout order that is cancelled, whose webhook goes to `callbackUrl`. */
async function cancelled({ server, checkout }: Chosen, callbackUrl: string) {
  const order = await checkout.create({ callbackUrl });
  await moveOrder(server, order, { type: 'cancelled' });
  return order;
}

/** The names of a body's fields, with those that are of another type than text in one group. */
const namesOf = (value: object) => Object.keys(value).sort();

/** What the query of a checkout order shows. */
const view = ['createdAt', 'cryptoPaymentAmount', 'depositAddress', 'expiresAt', 'merchantId', 'merchantOrderId'];
const checkoutView = [...view, 'network', 'networkDisplayName', 'orderAmount', 'orderId', 'status'];
const record = ['acquiringOrderId', 'closedTime', 'createdTime'];
const refundRecord = [
  ...record,
  ...['merchantOrderId', 'merchantRefundOrderId', 'paymentMethod', 'refundAmount', 'refundCurrency'],
  ...['refundOrderId', 'status'],
];
const flatEvent = ['eventId', 'occurredAt', 'sequence'];

/** Which signatures of a webhook are there and verify. */
function signaturesOf({ headers, body }: Received, secret: string) {
  const hmac = (...parts: string[]) => createHmac('sha256', secret).update(parts.join('')).digest('base64');
  const hash = createHash('sha256').update(body).digest('base64');
  const timestamp = headers['x-timestamp'];
  const [id, seconds] = [headers['webhook-id'], headers['webhook-timestamp']];
  const own = headers['x-signature'];
  const standard = headers['webhook-signature'];
  return {
    ...(own !== undefined && {
      own: own === hmac(`${timestamp}\nPOST\n${path}\n${hash}`),
      prefixed: own === hmac(`webhook\n${timestamp}\nPOST\n${path}\n${hash}`),
    }),
    ...(standard !== undefined && { standard: standard === `v1,${hmac(`${id}.${seconds}.`, body.toString())}` }),
  };
}

export const webhooksPoints: Points<
  'webhook-order-payload' | 'webhook-refund-payload' | 'webhook-signature' | 'webhook-retry' | 'webhook-trigger'
> = {
  'webhook-order-payload': {
    seen: {
      flat: { names: [...flatEvent, 'acquiringOrderId', ...checkoutView].sort(), ids: true, data: [] },
      nested: {
        names: [...flatEvent, 'acquiringOrderId', 'merchantOrderId', 'status', 'data'].sort(),
        ids: true,
        data: [...checkoutView].sort(),
      },
      minimal: { names: ['acquiringOrderId', 'merchantOrderId', 'status'], ids: true, data: [] },
    },
    observe: async (chosen) => {
      let made = { orderId: '', merchantOrderId: '' };
      const [received] = await receiving(1, async (url) => {
        made = await cancelled(chosen, url);
      });
      const body = eventOf(received?.body ?? Buffer.alloc(0), 'OrderEvent');
      const { acquiringOrderId, merchantOrderId, status, data } = body;
      const ids =
        [acquiringOrderId, merchantOrderId, status].join() === [made.orderId, made.merchantOrderId, 'CLOSED'].join();
      return { names: namesOf(body), ids, data: namesOf(Object(data)) };
    },
  },
  'webhook-refund-payload': {
    seen: {
      flat: { names: [...flatEvent, ...refundRecord].sort(), data: [] },
      nested: { names: [...flatEvent, 'data'].sort(), data: [...refundRecord].sort() },
    },
    observe: async ({ refunds, paidOrder }) => {
      const [received] = await receiving(1, async (notifyUrl) => {
        const { refundOrderId } = await refunds.create(await paidOrder(), { notifyUrl });
        await refunds.move(refundOrderId, 'closed');
      });
      const body = eventOf(received?.body ?? Buffer.alloc(0), 'RefundEvent');
      return { names: namesOf(body), data: namesOf(Object(body.data)) };
    },
  },
  'webhook-signature': {
    seen: {
      prefixed: { own: false, prefixed: true, standard: true },
      both: { own: true, prefixed: false, standard: true },
      'request-scheme': { own: true, prefixed: false },
      'standard-webhooks': { standard: true },
    },
    observe: async (chosen) => {
      const [received] = await receiving(1, (url) => cancelled(chosen, url));
      return received && signaturesOf(received, chosen.merchant.apiSecret);
    },
  },
  'webhook-retry': {
    seen: { growing: [5, 300, 1800, 7200, 18_000, 36_000, 36_000], even: [60, 60, 60, 60] },
    observe: async (chosen) => {
      const { server, merchant } = chosen;
      // Nothing listens on port 1.
      await cancelled(chosen, 'http://127.0.0.1:1/');
      const waits: number[] = [];
      for (let attempts = 1; ; attempts += 1) {
        const delivery = await attempted(chosen, attempts);
        const last = delivery.attempts.at(-1);
        if (delivery.nextAttemptAt === undefined || !last) return waits;
        const seconds = (Date.parse(delivery.nextAttemptAt) - Date.parse(last.at)) / 1000;
        waits.push(seconds);
        await advance(server, merchant.merchantId, seconds);
      }
    },
  },
  'webhook-trigger': {
    seen: { 'every-change': ['PROCESSING', 'SUCCEEDED', 'CLOSED'], 'outcomes-only': ['SUCCEEDED', 'CLOSED'] },
    observe: async (chosen) => {
      const { server, checkout } = chosen;
      const statuses: unknown[] = [];
      const receiver = await startReceiver((response, { body }) => {
        statuses.push(JSON.parse(body.toString()).status);
        response.writeHead(200).end();
      });
      try {
        const callbackUrl = `http://127.0.0.1:${receiver.port}${path}`;
        const order = await checkout.create({ callbackUrl });
        for (const type of ['transaction_detected', 'payment_confirmed']) {
          await moveOrder(server, order, { type });
          await delivered(chosen);
        }
        await cancelled(chosen, callbackUrl);
        await delivered(chosen);
        return statuses;
      } finally {
        await receiver.close();
      }
    },
  },
};

async function deliveriesOf({ server, merchant }: Chosen) {
  const answer = await control(server, 'GET', `/merchants/${merchant.merchantId}/deliveries`);
  return controlOf(answer, 200, 'DeliveryList').deliveries;
}

/** Resolves with the merchant's only webhook once it has had as many attempts. */
async function attempted(chosen: Chosen, count: number) {
  await expect
    .poll(async () => (await deliveriesOf(chosen))[0]?.attempts.length, { interval: 5, timeout: 10_000 })
    .toBe(count);
  const [delivery] = await deliveriesOf(chosen);
  if (!delivery) throw new Error('the webhook is gone');
  return delivery;
}

/** Resolves when nothing is on its way any more. */
async function delivered(chosen: Chosen): Promise<void> {
  await expect
    .poll(async () => (await deliveriesOf(chosen)).every(({ status }) => status === 'delivered'), {
      interval: 5,
      timeout: 10_000,
    })
    .toBe(true);
}
