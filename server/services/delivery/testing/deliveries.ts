import { afterEach, expect } from 'vitest';
import { type Delivery, type DeliveryWithPayload, retryDelays } from '../../../domain/delivery.ts';
import type { ApiKey, Merchant } from '../../../domain/merchant.ts';
import { webhookHeaders } from '../../../signing/webhook-signature.ts';
import { openStorage } from '../../../storage/open-storage.ts';
import type { Storage } from '../../ports.ts';
import {
  type DeliveryParts,
  type DeliveryWorker,
  deliveryWorker,
  type SendResult,
  type WebhookRequest,
} from '../deliver.ts';

/** The time at which every test begins. */
export const start = 1_767_225_600_000;

/** A second, in milliseconds. */
export const second = 1_000;

/** How long a claim lasts, in milliseconds. */
export const lease = 30 * second;

/** The merchant whose webhooks are sent. */
export const merchant: Merchant = {
  merchantId: 'm-1',
  settings: { checkoutEnabled: true, balances: {}, paymentMethods: [], usdRate: '1', automatic: false },
  ledger: {},
  clockOffset: 0,
  createdAt: start,
};

/** A key of the merchant, active for ever. */
export const key = (apiKey: string, changes: Partial<ApiKey> = {}): ApiKey => ({
  apiKey,
  merchantId: 'm-1',
  apiSecret: `secret of ${apiKey}`,
  createdAt: start,
  endsAt: null,
  ...changes,
});

/** A webhook of the merchant that is due. */
export function delivery(deliveryId: string, changes: Partial<DeliveryWithPayload> = {}): DeliveryWithPayload {
  return {
    deliveryId,
    eventId: `evt.${deliveryId}`,
    merchantId: 'm-1',
    subject: { orderId: `ord.${deliveryId}` },
    url: 'https://shop.example/hooks',
    payload: JSON.stringify({ eventId: `evt.${deliveryId}` }),
    status: 'pending',
    attempts: [],
    createdAt: start,
    dueAt: start,
    claimedUntil: null,
    ...changes,
  };
}

/** Real time that stands still until a test moves it. */
export function stoppedClock() {
  let now = start;
  return { clock: () => now, pass: (milliseconds: number) => (now += milliseconds) };
}

/** Receivers that answer when a test says so, or at once with `answer`. */
export function receivers(answer?: (request: WebhookRequest) => SendResult | undefined) {
  const requests: WebhookRequest[] = [];
  const pending: { url: string; resolve: (result: SendResult) => void }[] = [];
  let arrived: () => void = () => undefined;
  return {
    requests,
    /** The event ids of what has arrived. */
    events: () => requests.map(({ body }): string => JSON.parse(body).eventId),
    send: (request: WebhookRequest): Promise<SendResult> => {
      requests.push(request);
      arrived();
      const result = answer?.(request);
      if (result) return Promise.resolve(result);
      return new Promise((resolve) => pending.push({ url: request.url, resolve }));
    },
    /** Answers the first request that waits; false when none does. */
    answer: (result: SendResult) => {
      const next = pending.shift();
      next?.resolve(result);
      return next !== undefined;
    },
    /** Resolves when that many requests have arrived. */
    async until(count: number): Promise<void> {
      while (requests.length < count) {
        await new Promise<void>((resolve) => {
          arrived = resolve;
        });
      }
    },
  };
}

/** The answer of a receiver that has taken a webhook. */
export const ok = () => ({ httpStatus: 200 });

/** Stores webhooks. */
export async function insert(storage: Storage, ...deliveries: DeliveryWithPayload[]): Promise<void> {
  await storage.transaction(async (records) => {
    for (const each of deliveries) await records.insertDelivery(each);
  });
}

/** Stores the merchant and a key. */
export async function addMerchant(storage: Storage): Promise<void> {
  await storage.transaction(async (records) => {
    await records.insertMerchant(merchant);
    await records.insertApiKey(key('k-1'));
  });
}

/** Moves the merchant's clock. */
export const advance = (storage: Storage, milliseconds: number) =>
  storage.transaction(async (records) => {
    const found = await records.lockMerchant('m-1');
    if (!found) throw new Error('no merchant');
    await records.updateMerchant({ ...found, clockOffset: found.clockOffset + milliseconds });
  });

/** A webhook as it stands. */
export async function find(storage: Storage, deliveryId: string): Promise<Delivery | undefined> {
  return storage.reads.findDelivery('m-1', deliveryId);
}

/** Databases and workers for the tests of a file, which are closed after each test. To be called once, where the file begins. */
export function deliveryWorkers() {
  const closing: (() => Promise<unknown>)[] = [];

  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  async function open(location = ':memory:'): Promise<Storage> {
    const storage = await openStorage(location);
    closing.push(() => storage.close());
    return storage;
  }

  /** A database with a merchant and these deliveries. */
  async function stored(...deliveries: DeliveryWithPayload[]): Promise<Storage> {
    const storage = await open();
    await addMerchant(storage);
    await insert(storage, ...deliveries);
    return storage;
  }

  /** A worker whose log fails the test, unless it brings one. */
  function worker(parts: Pick<DeliveryParts, 'storage' | 'clock' | 'send'> & Partial<DeliveryParts>): DeliveryWorker {
    const logged: string[] = [];
    const created = deliveryWorker({
      headersOf: webhookHeaders.both,
      retryDelays: retryDelays.growing,
      log: (message, error) => logged.push(`${message}: ${error}`),
      ...parts,
    });
    closing.push(async () => {
      await created.stop();
      expect(logged).toEqual([]);
    });
    return created;
  }

  return {
    open,
    stored,
    worker,
    /** Has something else closed after the test, before what was opened earlier. */
    closeAfterwards: (close: () => Promise<unknown>) => closing.push(close),
  };
}
