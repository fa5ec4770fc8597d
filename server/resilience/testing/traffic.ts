import { isDeepStrictEqual } from 'node:util';
import { type Answer, send } from '../../tests/support/http.ts';
import { type Credentials, signedHeaders } from '../../tests/support/signing.ts';
import type { Random } from './random.ts';

/** An order or a refund as the merchant knows it. */
export interface Sent {
  kind: 'hosted' | 'checkout' | 'refund';
  merchant: Credentials;
  /** merchantOrderId or merchantRefundOrderId. */
  id: string;
  /** The create request's path and body. */
  path: string;
  request: Record<string, unknown>;
  /** The platform id and the last status that the server has acknowledged; absent if it has acknowledged nothing. */
  acknowledged?: { id: string; status: string };
  /** The last answer was a correct refusal. */
  refused?: boolean;
  /** Another refund of the same order was requested at the same time, so this one may be refused. */
  contested?: boolean;
}

export type Traffic = ReturnType<typeof createTraffic>;

export const controlToken = 'a control token for resilience';

/** The initial balance of every merchant. */
export const putIn = { USDT: '1000000.000000000000000001', USDC: '1000000.1', USD1: '7' };

/** Creates a merchant whose refund webhooks go to `notifyUrl`. */
export async function provision(url: string, notifyUrl: string): Promise<Credentials> {
  const answer = await toControl(url, '/merchants', { balances: putIn, defaultNotifyUrl: notifyUrl });
  if (answer.status !== 201) throw new Error(`no merchant was made: ${answer.text}`);
  return answer.body as Credentials;
}

function toControl(url: string, path: string, body: unknown): Promise<Answer> {
  return send(url, {
    method: 'POST',
    target: `/sandbox/v1${path}`,
    headers: { Authorization: `Bearer ${controlToken}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
}

/**
 * Simulates merchants at work: creates, payments and refunds. Each create is sent to every instance at the same time,
 * and more than once to a single one. Records everything sent and everything acknowledged.
 *
 * @param targets the addresses of the instances that run now
 * @param callbackUrl the HTTPS address for the orders' webhooks
 */
export function createTraffic(parts: {
  random: Random;
  merchants: readonly Credentials[];
  targets: () => readonly string[];
  callbackUrl: string;
}) {
  const { random, merchants, targets, callbackUrl } = parts;
  const sent: Sent[] = [];
  /** Answers that no server should have given. */
  const problems: string[] = [];
  let interrupted = 0;
  let numbers = 0;

  const newId = () => `id-${String(++numbers).padStart(16, '0')}`;
  const newAmount = () =>
    `${1 + random.below(40)}.${String(random.below(1e9)).padStart(9, '0')}${String(random.below(1e9)).padStart(9, '0')}`;

  function newOrder(): Sent {
    const kind = random.pick(['hosted', 'checkout'] as const);
    const merchant = random.pick(merchants);
    const id = newId();
    const common = { merchantOrderId: id, expiresAt: new Date(Date.now() + 3_600_000).toISOString(), callbackUrl };
    const orderAmount = { value: newAmount(), currency: kind === 'hosted' ? 'USDT' : random.pick(['USDT', 'USDC']) };
    const own =
      kind === 'hosted'
        ? { returnUrl: 'https://shop.example/return' }
        : { paymentMethodType: 'ON_CHAIN_TRANSFER', network: random.pick(['eth', 'bsc', 'solana']) };
    const path = kind === 'hosted' ? 'orders' : 'checkout/orders';
    return keep({ kind, merchant, id, path, request: { ...common, orderAmount, ...own } });
  }

  function newRefund(order: Sent, contested: boolean): Sent {
    const id = newId();
    const acquiringOrderId = order.acknowledged?.id;
    const request = { merchantRefundOrderId: id, acquiringOrderId, refundReason: 'the tea was cold' };
    return keep({ kind: 'refund', merchant: order.merchant, id, path: 'refunds', request, contested });
  }

  function keep(each: Sent): Sent {
    sent.push(each);
    return each;
  }

  /**
   * Sends this many copies of the same create at once, spread over the instances. Rejects when none of them is
   * answered.
   */
  async function create(each: Sent, copies: number): Promise<boolean> {
    const urls = targets();
    const outcomes = await Promise.allSettled(
      Array.from({ length: copies }, (_, index) => createOnce(urls[index % urls.length] ?? '', each)),
    );
    const lost = outcomes.filter(({ status }) => status === 'rejected');
    interrupted += lost.length;
    if (lost.length === outcomes.length) throw new Error('no answer');
    return each.acknowledged !== undefined;
  }

  async function createOnce(url: string, each: Sent): Promise<void> {
    const target = `/api/v1/merchants/${each.merchant.merchantId}/${each.path}`;
    const body = JSON.stringify(each.request);
    const headers = {
      'Content-Type': 'application/json',
      ...signedHeaders(each.merchant, { method: 'POST', target, body, timestamp: String(Date.now()) }),
    };
    const answer = await send(url, { method: 'POST', target, headers, body });
    const { code, data } = answer.body as { code: string; data?: Record<string, string> };
    if (code === 'ORDER_ALREADY_REFUNDED' && each.contested) {
      if (!each.acknowledged) each.refused = true;
      return;
    }
    const id = each.kind === 'refund' ? data?.refundOrderId : data?.orderId;
    if (code !== '00000' || id === undefined || data?.status === undefined) {
      problems.push(`${each.kind} ${each.id} was answered ${answer.status} ${answer.text}`);
      return;
    }
    if (each.acknowledged && each.acknowledged.id !== id)
      problems.push(`${each.id} is ${each.acknowledged.id} and ${id}`);
    each.refused = false;
    each.acknowledged ??= { id, status: data.status };
  }

  /** Triggers an event on the order or refund, through any instance. */
  async function event(each: Sent, type: string): Promise<void> {
    const { acknowledged, merchant } = each;
    if (!acknowledged) throw new Error('nothing can happen to what is not there');
    const path = `/merchants/${merchant.merchantId}/${each.kind === 'refund' ? 'refunds' : 'orders'}/${acknowledged.id}/events`;
    const answer = await toControl(random.pick(targets()), path, { type }).catch((error: unknown) => {
      interrupted += 1;
      throw error;
    });
    if (answer.status !== 200)
      problems.push(`${type} of ${each.kind} ${each.id} was answered ${answer.status} ${answer.text}`);
    else acknowledged.status = (answer.body as { status: string }).status;
  }

  const copies = () => Math.max(targets().length, random.chance(0.3) ? 2 : 1);

  /** The lifetime of one order. Rejects when the server is gone. */
  async function live(): Promise<void> {
    const order = newOrder();
    if (!(await create(order, copies()))) return;
    const [paid, unpaid] = [random.chance(0.8), random.pick(['cancelled', 'left', 'payment_failed'])];
    if (!paid && unpaid === 'left') return;
    if (!paid && unpaid === 'cancelled') return event(order, 'cancelled');
    await event(order, 'transaction_detected');
    await event(order, paid ? 'payment_confirmed' : 'payment_failed');
    if (order.acknowledged?.status !== 'SUCCEEDED' || random.chance(0.2)) return;
    const contested = random.chance(0.3);
    const refunds = contested ? [newRefund(order, true), newRefund(order, true)] : [newRefund(order, false)];
    await Promise.all(refunds.map((refund) => create(refund, contested ? 1 : copies())));
    const accepted = refunds.filter((refund) => refund.acknowledged);
    if (accepted.length !== 1) problems.push(`of the refunds of ${order.id} ${accepted.length} were accepted`);
    const [refund] = accepted;
    const end = random.pick(['left', 'closed', 'failed', 'completed', 'completed']);
    if (!refund || end === 'left') return;
    if (end === 'closed') return event(refund, 'closed');
    await event(refund, 'processing_started');
    await event(refund, end);
  }

  return {
    sent,
    problems,
    /** How many requests got no answer. */
    interrupted: () => interrupted,
    /** Runs `width` lifetimes at once, again and again while `goesOn` returns true. */
    async run(width: number, goesOn: () => boolean): Promise<void> {
      const lives = async () => {
        while (goesOn()) {
          // The server is gone. Repeating the request later shows what became of it.
          await live().catch((error: unknown) => {
            if (!isTransport(error)) throw error;
          });
        }
      };
      await Promise.all(Array.from({ length: width }, lives));
    },
    /** Repeats every create that got no answer. Each must be answered now. */
    async repeatUnanswered(): Promise<void> {
      const open = sent.filter((each) => !each.acknowledged && !each.refused);
      await Promise.all(open.map((each) => create(each, targets().length)));
    },
  };
}

function isTransport(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.message === 'no answer' || ('code' in error && /^E(CONN|PIPE)/.test(String(error.code)));
}

/** Whether a record's request equals the request that was sent. */
export function isRequestOf(record: { request: object }, { request }: Sent): boolean {
  return isDeepStrictEqual(record.request, request);
}
