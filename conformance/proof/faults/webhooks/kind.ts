import type { RequirementId } from '../../../../generated/catalogue.ts';
import type { Send, SendResult, WebhookRequest } from '../../../../server/services/delivery/deliver.ts';
import type { Make } from '../../stand/fault.ts';
import { isOfCheckout, isOfRefund, sending } from '../../stand/webhook-changes.ts';

/** A kind of things that webhooks tell of. */
export interface Kind {
  name: 'order' | 'checkout-order' | 'refund';
  noun: string;
  has(webhook: WebhookRequest): boolean;
  /** The first words of the ids of the checks about signatures and retries. */
  prefix: string;
  retry: RequirementId;
  /** The requirement that the end is announced which takes the fewest steps. */
  announced: RequirementId;
  /** A status that an event may tell of, beside those in which its subject ends by the fewest steps. */
  further: 'PROCESSING' | 'CLOSED';
  /** Checks in which such webhooks are exchanged. */
  feeds: readonly string[];
}

export const kinds: readonly Kind[] = [
  {
    name: 'order',
    noun: 'hosted orders',
    has: (webhook) => !isOfRefund(webhook) && !isOfCheckout(webhook),
    prefix: 'webhooks',
    retry: 'webhooks.retry',
    announced: 'webhooks.order.cancelled',
    further: 'PROCESSING',
    feeds: ['webhooks.order.paid'],
  },
  {
    name: 'checkout-order',
    noun: 'checkout orders',
    has: isOfCheckout,
    prefix: 'webhooks.checkout-order',
    retry: 'webhooks.retry',
    announced: 'webhooks.order.failed',
    further: 'CLOSED',
    feeds: ['webhooks.checkout-order.paid'],
  },
  {
    name: 'refund',
    noun: 'refunds',
    has: isOfRefund,
    prefix: 'webhooks.refund',
    retry: 'webhooks.refund.retry',
    announced: 'webhooks.refund.notify-url',
    further: 'CLOSED',
    feeds: ['webhooks.refund.notify-url'],
  },
];

/** A server that sends one kind of webhooks in its own way. */
export const sendingThese = ({ has }: Kind, change: (webhook: WebhookRequest, send: Send) => ReturnType<Send>): Make =>
  sending((webhook, send) => (has(webhook) ? change(webhook, send) : send(webhook)));

/** Whether a receiver has acknowledged a webhook. */
export const isTaken = (result: SendResult) => 'httpStatus' in result && result.httpStatus === 200;
