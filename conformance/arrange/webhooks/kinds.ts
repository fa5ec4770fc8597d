import type { Area, RequirementId } from '../../../generated/catalogue.ts';
import type { CheckContext } from '../../check/context.ts';
import type { Need } from '../../check/needs.ts';
import { shortestTellingId } from '../../contract/telling-ids.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { type Answer, field } from '../../wire/exchange.ts';
import type { Mailbox, Webhook } from '../../wire/mailbox.ts';
import { bringOrderTo, type Product } from '../orders/any-order.ts';
import { makePaidOrder } from '../refunds/paid-orders.ts';
import { bringRefundTo, type MadeRefund, makeRefund } from '../refunds/refunds.ts';
import { mentionsStatus, needWebhook, type Party } from './waiting.ts';
import { makeNotifiedOrder } from './webhooks.ts';

/** A status in which something ends, and which must be announced. */
type Ending = 'SUCCEEDED' | 'FAILED' | 'CLOSED';

/** An order or a refund whose webhooks go to a mailbox of its own. */
export interface Subject extends Party {
  /** The status in which it will end. */
  ending: Ending;
  /** Brings it to PROCESSING, from where a further step leads to SUCCEEDED. Throws `Inconclusive` when it does not get there. */
  begin(): Promise<void>;
  /** Brings it to its end, from PROCESSING where it was brought there before. Throws `Inconclusive` when it does not get there. */
  end(from?: 'PROCESSING'): Promise<void>;
  /** Queries it as it is now. */
  query(): Promise<Answer>;
}

/** One of the three kinds of things that webhooks tell of. */
export interface Kind {
  /** As ids have it. */
  name: 'order' | 'checkout-order' | 'refund';
  noun: string;
  area: Area;
  needs: readonly Need[];
  /** The endings that must be announced. The first takes the fewest steps. */
  endings: readonly [Ending, ...Ending[]];
  /** For each ending the requirement that it is announced. */
  announced: Readonly<Record<Ending, RequirementId>>;
  /** The requirement for a webhook that was not acknowledged. */
  retry: RequirementId;
  /** The open point that says what their bodies hold, with its requirement and the schema of the reference server's bodies. */
  payload: {
    point: 'webhook-order-payload' | 'webhook-refund-payload';
    requirement: RequirementId;
    schema: 'OrderEvent' | 'RefundEvent';
    /** The platform's id in the view. */
    id: 'orderId' | 'refundOrderId';
  };
  /** Makes one whose webhooks go to `mailbox`. `ownText` is what the merchant has written down with it, as metadata or extraData. */
  make(
    context: CheckContext,
    mailbox: Mailbox,
    merchant: Credentials,
    ending: Ending,
    ownText?: string,
  ): Promise<Subject>;
}

const orderKind = (name: Kind['name'], area: Product, noun: string, endings: Kind['endings']): Kind => ({
  name,
  noun,
  area,
  endings,
  needs: ['order-events'],
  announced: {
    SUCCEEDED: 'webhooks.order.paid',
    FAILED: 'webhooks.order.failed',
    CLOSED: 'webhooks.order.cancelled',
  },
  retry: 'webhooks.retry',
  payload: {
    point: 'webhook-order-payload',
    requirement: 'webhooks.order.payload',
    schema: 'OrderEvent',
    id: 'orderId',
  },
  make: async (context, mailbox, merchant, ending, ownText) => {
    const order = await makeNotifiedOrder(context, area, mailbox, {
      merchant,
      ...(ownText !== undefined && { metadata: ownText }),
    });
    return {
      ...order,
      ending,
      begin: () => bringOrderTo(context, order, 'PROCESSING'),
      end: (from) => bringOrderTo(context, order, ending, from),
    };
  },
});

/** A refund whose result goes to a mailbox. */
function subjectOf(context: CheckContext, refund: MadeRefund, mailbox: Mailbox, ending: Ending): Subject {
  const { merchant, query } = refund;
  const ids = [refund.request.merchantRefundOrderId];
  const begin = () => bringRefundTo(context, refund, 'PROCESSING');
  const end: Subject['end'] = (from) => bringRefundTo(context, refund, ending, from);
  return { merchant, mailbox, ids, query, ending, begin, end };
}

/** A refund that names no address, so that its result goes to the default one of its merchant, `mailbox`. Its order has an address of its own. */
export async function makeRefundByDefault(
  context: CheckContext,
  mailbox: Mailbox,
  merchant: Credentials,
  ending: Ending,
): Promise<Subject> {
  const { url: callbackUrl } = await context.mailbox();
  const order = await makePaidOrder(context, merchant, { callbackUrl });
  return subjectOf(context, await makeRefund(context, merchant, { order }), mailbox, ending);
}

export const kinds: readonly Kind[] = [
  orderKind('order', 'orders', 'a hosted order', ['CLOSED', 'SUCCEEDED', 'FAILED']),
  orderKind('checkout-order', 'checkout', 'a checkout order', ['FAILED', 'SUCCEEDED']),
  {
    name: 'refund',
    noun: 'a refund',
    area: 'refunds',
    endings: ['FAILED', 'SUCCEEDED'],
    needs: ['paid-order', 'order-events', 'refund-events'],
    announced: {
      SUCCEEDED: 'webhooks.refund.notify-url',
      FAILED: 'webhooks.refund.notify-url',
      CLOSED: 'webhooks.refund.payload',
    },
    retry: 'webhooks.refund.retry',
    payload: {
      point: 'webhook-refund-payload',
      requirement: 'webhooks.refund.payload',
      schema: 'RefundEvent',
      id: 'refundOrderId',
    },
    make: async (context, mailbox, merchant, ending, ownText) => {
      const refund = await makeRefund(context, merchant, {
        notifyUrl: mailbox.url,
        ...(ownText !== undefined && { extraData: ownText }),
      });
      return subjectOf(context, refund, mailbox, ending);
    },
  },
];

/** The first words of the ids of checks about a kind. */
export const idPrefix = ({ name }: Kind): string => `webhooks.${name}`;

/** The first words of the ids of checks about retries, and of those about signatures. Hosted orders had theirs before the other kinds. */
export const retryPrefix = (kind: Kind): string => `${olderPrefix(kind)}.retry`;
export const olderPrefix = (kind: Kind): string => (kind.name === 'order' ? 'webhooks' : idPrefix(kind));

/** The ids by which a webhook may tell a subject. */
export async function tellingIds(
  { query, ids = [] }: Pick<Subject, 'query' | 'ids'>,
  { payload }: Kind,
): Promise<readonly string[]> {
  const platform = field(await query(), `data.${payload.id}`);
  return typeof platform === 'string' && platform.length >= shortestTellingId ? [...ids, platform] : ids;
}

/** True for a webhook that may announce the ending of a subject. */
export const announcesEnding = ({ ending }: Pick<Subject, 'ending'>) => mentionsStatus(ending);

/** Waits for the webhook that announces the ending of a subject, as `needWebhook` does. */
export const needEnding = (context: CheckContext, subject: Subject, { noun, announced }: Kind): Promise<Webhook> =>
  needWebhook(
    context,
    subject,
    announcesEnding(subject),
    `a webhook of ${noun} that is ${subject.ending}`,
    announced[subject.ending],
  );
