import type { Merchant } from '../../../server/domain/merchant.ts';
import { valueAt } from '../../contract/json.ts';
import {
  bodyOf,
  changing,
  firstOf,
  isHostedCreate,
  isOf,
  merchantIdOf,
  onlyFor,
  queriedId,
  readingCreates,
  refusal,
  refusingBodies,
  refusingCreates,
  showing,
  showingEach,
} from '../stand/changes.ts';
import type { Fault, Make } from '../stand/fault.ts';
import { dueLater, findingPlatformIdsFirst, followingClocks } from '../stand/order-changes.ts';
import type { Handler } from '../stand/proxy.ts';
import {
  isRefundCreate,
  keepingRefunds,
  refundRefusal,
  showingRefunds,
  showsRefunds,
  storingRefunds,
} from '../stand/refund-changes.ts';
import { acknowledged, isOfRefund, sending } from '../stand/webhook-changes.ts';

// Servers that break a rule in one kind of case alone: after a long time, for a special shape, under a special id or in a special text.

const [day, month] = [86_400_000, 30 * 86_400_000];

/** A server that shows orders as SUCCEEDED whose payment has been under way for two days. */
function succeedingInDays(operation: string): Make {
  const { now, control } = followingClocks();
  const merchantApi = onlyFor(
    isOf(operation),
    showing((view, request) =>
      view.status === 'PROCESSING' && Date.parse(String(view.createdAt)) < now(merchantIdOf(request)) - 2 * day
        ? { ...view, status: 'SUCCEEDED' }
        : view,
    ),
  );
  return { control, merchantApi };
}

const underpaidForDays = (['orders', 'checkout'] as const).map(
  (area): Fault => ({
    id: `${area}-succeed-after-days-under-way`,
    title: `Takes a payment of an order for enough, in ${area}.query, that has been under way for two days.`,
    breaks: area === 'orders' ? 'orders.states.failed' : 'checkout.payment-rule',
    caughtBy: `${area}.states.underpaid-for-days`,
    make: succeedingInDays(`${area}.query`),
  }),
);

/** A server that does not find, in an operation, what was made more than a month ago and has this status. */
function archiving(operation: string, status: string, refused: Handler): Make {
  const { now, control } = followingClocks();
  const merchantApi = onlyFor(isOf(operation), async (request, server) => {
    const answer = await server.forward(request);
    const view = valueAt(bodyOf(answer), ['data']);
    const made = Date.parse(String(valueAt(view, ['createdAt']) ?? valueAt(view, ['createdTime'])));
    const isOld = made < now(merchantIdOf(request)) - month;
    return isOld && valueAt(view, ['status']) === status ? refused(request, server) : answer;
  });
  return { control, merchantApi };
}

const unknownOrder: Handler = async (request) => refusal(request, '40001', 'there is no such order');
const unknownRefund: Handler = async () => refundRefusal(404, 'REFUND_NOT_FOUND');

const archived: readonly Fault[] = [
  {
    id: 'orders-cancelled-archived',
    title: 'Finds no hosted order that was cancelled a month ago.',
    breaks: 'orders.query.by-merchant-order-id',
    caughtBy: 'orders.situations.months-later',
    make: archiving('orders.query', 'CLOSED', unknownOrder),
  },
  {
    id: 'checkout-orders-failed-archived',
    title: 'Finds no checkout order that failed a month ago.',
    breaks: 'checkout.query.by-merchant-order-id',
    caughtBy: 'checkout.situations.months-later',
    make: archiving('checkout.query', 'FAILED', unknownOrder),
  },
  {
    id: 'refunds-pending-archived',
    title: 'Finds no refund that has been PENDING for a month.',
    breaks: 'refunds.query.by-refund-order-id',
    caughtBy: 'refunds.situations.months-later',
    make: archiving('refunds.query', 'PENDING', unknownRefund),
  },
];

/** A merchant whose balances cover every refund of a check. */
const enriched = (merchant: Merchant): Merchant => ({
  ...merchant,
  ledger: Object.fromEntries(
    Object.entries(merchant.ledger).map(([currency, account]) => [currency, { ...account, available: '1000' }]),
  ),
});

/** A server for which these merchants have enough for every refund. */
const enriching = (rich: ReadonlySet<string>): Make =>
  keepingRefunds((records) => ({
    lockMerchant: async (merchantId) => {
      const merchant = await records.lockMerchant(merchantId);
      return merchant && rich.has(merchantId) ? enriched(merchant) : merchant;
    },
  }));

/** A handler of the control API that adds each merchant whose clock is moved by more than a day. */
const noticingDays =
  (late: Set<string>): Handler =>
  (request, server) => {
    if (Number(bodyOf(request)?.advanceSeconds) * 1000 > day) late.add(merchantIdOf(request));
    return server.forward(request);
  };

/** A server that gives a merchant all that it has reserved back a day later. */
function forgettingReservations(): Make {
  const late = new Set<string>();
  return { ...enriching(late), control: noticingDays(late) };
}

/** A server that takes merchantOrderIds that begin with the letters of the platform's ids for such ids, and finds none. */
const takingForPlatformIds = (operation: string): Handler =>
  onlyFor(isOf(operation), async (request, server) =>
    /^ord[^.]/.test(queriedId(request) ?? '') ? unknownOrder(request, server) : server.forward(request),
  );

const likePlatformIds = (['orders', 'checkout'] as const).map(
  (area): Fault => ({
    id: `${area}-ids-like-platform-ids-unknown`,
    title: `Takes a merchantOrderId that begins with ord for an id of the platform in ${area}.query.`,
    breaks: `${area}.query.by-merchant-order-id`,
    caughtBy: `${area}.query.like-platform-id`,
    make: { merchantApi: takingForPlatformIds(`${area}.query`) },
  }),
);

const platformIdsFirst = (['orders', 'checkout'] as const).map(
  (area): Fault => ({
    id: `${area}-platform-ids-found-first`,
    title: `Finds in ${area}.query the order to which the platform gave an id before the one to which its merchant gave it.`,
    breaks: `${area}.query.by-merchant-order-id`,
    caughtBy: `${area}.query.like-platform-id`,
    make: findingPlatformIdsFirst,
  }),
);

/** A server that refunds no order that is split among sub-merchants. */
function refundingNoSplit(): Make {
  const split = new Set<unknown>();
  const noticing: Handler = onlyFor(isHostedCreate, async (request, server) => {
    const answer = await server.forward(request);
    if (bodyOf(request)?.subMerchants !== undefined) split.add(valueAt(bodyOf(answer), ['data', 'orderId']));
    return answer;
  });
  const refusingThem: Handler = onlyFor(isRefundCreate, async (request, server) =>
    split.has(bodyOf(request)?.acquiringOrderId) ? refundRefusal(400, 'ORDER_NOT_REFUNDABLE') : server.forward(request),
  );
  return { merchantApi: firstOf(noticing, refusingThem) };
}

/** What was due for the orders in USD of the check that sees it, in USDT: 9.50 at a rate of 1.25. More was paid. */
const dueForUsd = '11.875';

/** A server that gives back what was due for an order in USD, once the clock of its merchant was moved by more than a day. */
function givingTheDueLater(): Make {
  const late = new Set<string>();
  return {
    ...storingRefunds(async (refund, records) => {
      const order = await records.lockOrder(refund.merchantId, refund.acquiringOrderId);
      const isMeant = late.has(refund.merchantId) && order?.request.orderAmount.currency === 'USD';
      return isMeant ? { ...refund, amount: { ...refund.amount, value: dueForUsd } } : refund;
    }),
    control: noticingDays(late),
  };
}

/** A server that takes orders paid more than 20 days ago for orders paid from the first exchange. */
function forgettingHowOldOrdersWerePaid(): Make {
  const { now, control } = followingClocks();
  return {
    ...storingRefunds(async (refund, records) => {
      const order = await records.lockOrder(refund.merchantId, refund.acquiringOrderId);
      const isOld = (order?.paidAt ?? Number.POSITIVE_INFINITY) < now(refund.merchantId) - 20 * day;
      return isOld ? { ...refund, paymentMethod: 'EXCHANGE_ONE_PAY' } : refund;
    }),
    control,
  };
}

/** A server whose refunds without extraData have that of an earlier refund of their order. */
function showingEarlierExtraData(): Handler {
  const texts = new Map<string, unknown>();
  return showingRefunds((view) => {
    const order = String(view.acquiringOrderId);
    if (view.extraData !== undefined) texts.set(order, view.extraData);
    return texts.has(order) ? { extraData: texts.get(order), ...view } : view;
  });
}

/** A server that credits a merchant with more than any refund takes, when it repeats the create of a refund that has FAILED. */
function givingBackAtRepeats(): Make {
  const rich = new Set<string>();
  return {
    ...enriching(rich),
    merchantApi: onlyFor(isRefundCreate, async (request, server) => {
      const answer = await server.forward(request);
      if (valueAt(bodyOf(answer), ['data', 'status']) === 'FAILED') rich.add(merchantIdOf(request));
      return answer;
    }),
  };
}

/** The text as it looks when its bytes in UTF-8 are read as letters of Latin-1 and encoded again. */
const encodedTwice = (text: unknown): unknown =>
  typeof text === 'string' && /[\u0080-\u00ff]/.test(text) && /^[\0-\u00ff]*$/.test(text)
    ? Buffer.from(text, 'utf8').toString('latin1')
    : text;

/** A server that sends nothing again of a hosted order whose description or metadata has a quotation mark within. */
function sendingQuotedOnce(): Make {
  const urls = new Set<unknown>();
  return {
    merchantApi: onlyFor(isOf('orders.create'), (request, server) => {
      const { description, metadata, callbackUrl } = bodyOf(request) ?? {};
      if (/["']/.test(`${description ?? ''}${metadata ?? ''}`)) urls.add(callbackUrl);
      return server.forward(request);
    }),
    ...sending(async (webhook, send) => {
      const result = await send(webhook);
      return urls.has(webhook.url) ? acknowledged : result;
    }),
  };
}

/** A server that shows a paid hosted order of more than a million as FAILED a month later. */
function failingLargeOnesLater(): Make {
  const { now, control } = followingClocks();
  const month = 30 * 86_400_000;
  return {
    control,
    merchantApi: onlyFor(
      isOf('orders.query'),
      showing((view, request) => {
        const isLarge = Number(valueAt(view, ['orderAmount', 'value'])) > 1_000_000;
        const isOld = Date.parse(String(view.paidAt)) < now(merchantIdOf(request)) - month;
        return isLarge && isOld ? { ...view, status: 'FAILED' } : view;
      }),
    ),
  };
}

/** The digits of an amount that are left when zeros at its end do not count. */
const digitsOf = (value: unknown) =>
  String(value)
    .replace(/\.0*$|(?<=\..*)0+$/g, '')
    .replace(/0+$/, '');

export const specialCaseFaults: readonly Fault[] = [
  ...underpaidForDays,
  ...archived,
  ...likePlatformIds,
  ...platformIdsFirst,
  {
    id: 'orders-far-ahead-never-expire',
    title: 'Lets no hosted order expire whose expiry is more than a quarter of a year ahead.',
    breaks: 'orders.states.expired',
    caughtBy: 'orders.states.far-ahead',
    make: dueLater('hosted', 1000 * day, ({ expiresAt, createdAt }) => expiresAt - createdAt > 90 * day),
  },
  {
    id: 'refunds-reservations-lapse',
    title: 'Forgets after a day what refunds have reserved.',
    breaks: 'refunds.create.reserves-funds',
    caughtBy: 'refunds.balance.days-later',
    make: forgettingReservations(),
  },
  {
    id: 'refunds-of-split-orders-refused',
    title: 'Refunds no order that is split among sub-merchants.',
    breaks: 'refunds.create.accepted',
    caughtBy: 'refunds.combinations',
    make: refundingNoSplit(),
  },
  {
    id: 'refunds-of-usd-orders-give-the-due-later',
    title: 'Gives back what was due, where an order in USD is refunded days after more was paid.',
    breaks: 'refunds.record.amount',
    caughtBy: 'refunds.query.money.refund-amount',
    feeds: ['refunds.situations.days-later'],
    make: givingTheDueLater(),
  },
  {
    id: 'refunds-of-old-orders-by-the-first-exchange',
    title: 'Gives refunds of orders that were paid more than 20 days ago the method of the first exchange.',
    breaks: 'refunds.record.payment-method',
    caughtBy: 'refunds.query.money.payment-method',
    feeds: ['refunds.situations.days-later'],
    make: forgettingHowOldOrdersWerePaid(),
  },
  {
    id: 'refunds-show-the-extra-data-of-an-earlier-one',
    title: 'Shows extraData of an earlier refund of the order where none was given.',
    breaks: 'refunds.record.extra-data',
    caughtBy: 'refunds.create.second.like-the-first',
    make: { merchantApi: showingEarlierExtraData() },
  },
  {
    id: 'refunds-repeated-give-money-back',
    title: 'Gives the money of a refund that has FAILED back again when its create is repeated.',
    breaks: 'refunds.create.reserves-funds',
    caughtBy: 'refunds.balance.given-back-once',
    make: givingBackAtRepeats(),
  },
  {
    id: 'refund-events-with-long-extra-data-lost',
    title: 'Sends no event of a refund that has more than 2000 characters.',
    breaks: 'webhooks.refund.notify-url',
    caughtBy: 'webhooks.refund.long-extra-data',
    make: sending(async (webhook, send) =>
      isOfRefund(webhook) && webhook.body.length > 2000 ? acknowledged : send(webhook),
    ),
  },
  {
    id: 'refunds-extra-data-of-latin-1-encoded-twice',
    title: 'Encodes extraData twice whose letters are all of Latin-1.',
    breaks: 'refunds.record.extra-data',
    caughtBy: 'refunds.query.echo.extra-data',
    feeds: ['refunds.situations.long-texts'],
    make: { merchantApi: onlyFor(showsRefunds, showingEach('refunds.query', changing('extraData', encodedTwice))) },
  },
  {
    id: 'orders-create-fails-at-wide-letters-of-a-name',
    title: 'Fails at the name of a customer that has letters of four bytes.',
    breaks: 'general.lasting-failure',
    caughtBy: 'orders.create.unusual-characters',
    make: {
      merchantApi: refusingBodies(
        'orders.create',
        (body) => /[\u{10000}-\u{10ffff}]/u.test(String(valueAt(body, ['customer', 'name']))),
        '99999',
      ),
    },
  },
  {
    id: 'orders-in-usd-with-nine-places-refused',
    title: 'Refuses a price in USD that has more than eight decimal places.',
    breaks: 'orders.amount.decimal-places',
    caughtBy: 'orders.create.orderAmount.value.pattern.decimal-places',
    make: {
      merchantApi: refusingCreates(
        ({ orderAmount }) =>
          valueAt(orderAmount, ['currency']) === 'USD' && /\.\d{9}/.test(String(valueAt(orderAmount, ['value']))),
      ),
    },
  },
  {
    id: 'orders-sums-without-zeros-at-the-end',
    title: 'Compares the sum of the sub-merchants with the price without the zeros at the end of both.',
    breaks: 'orders.create.sub-merchants.sum',
    caughtBy: 'orders.create.sub-merchants.sum-of-part',
    make: {
      merchantApi: readingCreates(({ subMerchants, ...body }) => {
        const parts = Array.isArray(subMerchants) ? subMerchants : [];
        const sum = parts.reduce((total: number, part) => total + Number(valueAt(part, ['amount'])), 0);
        const isEqual = digitsOf(sum) === digitsOf(valueAt(body, ['orderAmount', 'value']));
        return isEqual ? body : { ...body, ...(subMerchants !== undefined && { subMerchants }) };
      }),
    },
  },
  {
    id: 'orders-with-quotation-marks-announced-once',
    title: 'Sends nothing again of a hosted order whose description or metadata has a quotation mark.',
    breaks: 'webhooks.retry',
    caughtBy: 'orders.combinations',
    make: sendingQuotedOnce(),
  },
  {
    id: 'large-orders-failed-a-month-later',
    title: 'Shows a paid hosted order of more than a million as FAILED a month later.',
    breaks: 'orders.states.final',
    caughtBy: 'orders.query.transitions.final',
    feeds: ['orders.combinations'],
    make: failingLargeOnesLater(),
  },
];
