import { accountOf, type Ledger, reserve } from '../../../server/domain/ledger.ts';
import type { Merchant } from '../../../server/domain/merchant.ts';
import type { Order } from '../../../server/domain/order.ts';
import type { Refund } from '../../../server/domain/refund.ts';
import { overpaid } from '../../arrange/situations/situations.ts';
import { addDecimals } from '../../contract/decimals.ts';
import {
  bodyOf,
  changing,
  isCheckout,
  isHosted,
  isHostedCreate,
  isOf,
  merchantIdOf,
  onlyFor,
  refusal,
  showing,
  spoiled,
  storing,
} from '../stand/changes.ts';
import { type Fault, faultsCaughtBy, type Make } from '../stand/fault.ts';
import { eightHoursAhead } from '../stand/order-changes.ts';
import { type Handler, type ProxyRequest, signed } from '../stand/proxy.ts';
import {
  isOfRefunds,
  isRefundCreate,
  parameterOf,
  refundingAgain,
  refundRefusal,
  showingRefunds,
  withFee,
} from '../stand/refund-changes.ts';
import { endingBitByBit, isRestart, noticingRestarts, recovering } from '../stand/restart-changes.ts';
import { keepingKeys } from '../stand/revoked-keys.ts';

const fault = faultsCaughtBy('');

/** How long a server keeps in memory what it has acknowledged, in milliseconds. */
const writtenAfter = 200;

/** A server that acknowledges orders before it writes them. Whoever looks at an order has this one written at once. */
const writingLater: Make = {
  restarts: true,
  parts: (parts) => {
    let waiting: Order[] = [];
    const { storage } = parts;
    const write = async (insert: (order: Order) => Promise<boolean>, isMeant: (order: Order) => boolean) => {
      const due = waiting.filter(isMeant);
      waiting = waiting.filter((order) => !due.includes(order));
      for (const order of due) await insert(order);
    };
    const writeNow = (isMeant: (order: Order) => boolean) => write(storage.insertOrder, isMeant);
    return storing(
      (records) => ({
        insertOrder: async (order) => {
          if (await records.findOrder(order)) return false;
          waiting.push(order);
          setTimeout(() => writeNow((each) => each === order).catch(() => undefined), writtenAfter);
          return true;
        },
        lockOrder: async (merchantId, orderId) => {
          await write(records.insertOrder.bind(records), (each) => each.orderId === orderId);
          return records.lockOrder(merchantId, orderId);
        },
      }),
      (reads) => ({
        findOrder: async (identity) => {
          await writeNow(({ merchantOrderId }) => merchantOrderId === identity.merchantOrderId);
          return reads.findOrder(identity);
        },
        findOrderById: async (merchantId, orderId) => {
          await writeNow((each) => each.orderId === orderId);
          return reads.findOrderById(merchantId, orderId);
        },
      }),
    )(parts);
  },
};

const idIn = (request: ProxyRequest): string | undefined => {
  const { merchantOrderId, merchantRefundOrderId } = bodyOf(request) ?? {};
  const id = merchantRefundOrderId ?? merchantOrderId;
  return request.method === 'POST' && typeof id === 'string' ? id : undefined;
};

/** The request about the record under another id. */
function renamed(request: ProxyRequest, server: Parameters<Handler>[1], id: string, other: string): ProxyRequest {
  const merchant = server.merchant(merchantIdOf(request));
  const body = Buffer.from(request.body.toString('utf8').replaceAll(id, other));
  const moved = { ...request, target: request.target.replaceAll(id, other), body };
  return merchant ? signed(moved, merchant) : moved;
}

/** A server that has forgotten the refunds that it acknowledged shortly before it ended. */
function forgettingRefunds(): Make {
  let recent = new Map<string, number>();
  const lost = new Set<string>();
  return {
    restarts: true,
    control: noticingRestarts(() => {
      for (const [id, at] of recent) if (Date.now() - at < 5 * writtenAfter) lost.add(id);
      recent = new Map();
    }),
    merchantApi: async (request, server) => {
      const id = [...lost].find((each) => request.target.includes(each));
      if (id !== undefined) return server.forward(renamed(request, server, id, `${id}-lost`));
      const answer = await server.forward(request);
      const made = isOfRefunds(request) ? idIn(request) : undefined;
      if (made !== undefined && answer.status === 200) recent.set(made, Date.now());
      return answer;
    },
  };
}

/** A server that knows only since its start which ids were used, and makes another record for one from before. */
function forgettingIds(concerns: (request: ProxyRequest) => boolean, more: Make = {}): Make {
  let known = new Set<string>();
  let before = new Set<string>();
  const again = new Set<string>();
  return {
    ...more,
    restarts: true,
    control: noticingRestarts(() => {
      before = new Set([...before, ...known]);
      known = new Set();
    }),
    merchantApi: async (request, server) => {
      if (!concerns(request)) return server.forward(request);
      const id = idIn(request);
      if (id !== undefined) {
        if (before.has(id)) again.add(id);
        known.add(id);
      }
      const other = [...again].find((each) => request.target.includes(each) || each === id);
      if (other === undefined) return server.forward(request);
      const answer = await server.forward(renamed(request, server, other, `${other}-2`));
      return { ...answer, body: Buffer.from(answer.body.toString('utf8').replaceAll(`${other}-2`, other)) };
    },
  };
}

/** A merchant whose ledger is changed by a refund. */
const changed = (
  merchant: Merchant,
  { amount, deductAmount }: Refund,
  change: (ledger: Ledger, currency: string, amount: string) => Ledger | undefined,
): Merchant => ({ ...merchant, ledger: change(merchant.ledger, amount.currency, deductAmount) ?? merchant.ledger });

/** Makes money available that nothing holds. */
const giveAgain = (ledger: Ledger, currency: string, amount: string): Ledger => {
  const account = accountOf(ledger, currency);
  return { ...ledger, [currency]: { ...account, available: addDecimals([account.available, amount]) } };
};

/** A server that does something with the money of the refunds from before its start: of those that were made, or that have come to an end. */
const settlingAgain = (
  noted: 'insertRefund' | 'updateRefund',
  change: Parameters<typeof changed>[2],
  end: Refund['status'] = 'FAILED',
): Make =>
  recovering<Refund>(
    (records, memory) => ({
      [noted]: (refund: Refund) => {
        if (noted === 'insertRefund' || refund.status === end) memory.push(refund);
        return records[noted](refund);
      },
    }),
    async (records, memory) => {
      for (const refund of memory) {
        const merchant = await records.lockMerchant(refund.merchantId);
        if (merchant) await records.updateMerchant(changed(merchant, refund, change));
      }
    },
  );

/** A server whose orders are again what they were at first. */
const restoringOrders = (product: Order['product']): Make =>
  recovering<Order>(
    (records, memory) => ({
      updateOrder: async (order) => {
        const stored = await records.findOrderById(order.merchantId, order.orderId);
        if (stored?.product === product && stored.status === 'INIT') memory.push(stored);
        await records.updateOrder(order);
      },
    }),
    async (records, memory) => {
      for (const order of memory) {
        if (await records.lockOrder(order.merchantId, order.orderId)) await records.updateOrder(order);
      }
    },
  );

/** A server whose refunds are again what they were at first. */
const restoringRefunds: Make = recovering<Refund>(
  (records, memory) => ({
    updateRefund: async (refund) => {
      const stored = await records.findRefundById(refund.merchantId, refund.refundOrderId);
      if (stored?.status === 'PENDING') memory.push(stored);
      await records.updateRefund(refund);
    },
  }),
  async (records, memory) => {
    for (const refund of memory) {
      if (await records.lockRefund(refund.merchantId, refund.refundOrderId)) await records.updateRefund(refund);
    }
  },
);

/** A server that keeps its outbox in memory. */
const outboxInMemory: Make = {
  restarts: true,
  parts: (parts) => {
    const known = new Set<string>();
    return storing((records) => ({
      insertDelivery: (delivery) => {
        known.add(delivery.deliveryId);
        return records.insertDelivery(delivery);
      },
      claimDueDeliveries: async (...which) =>
        (await records.claimDueDeliveries(...which)).filter(({ deliveryId }) => known.has(deliveryId)),
    }))(parts);
  },
};

/** A server that forgets at its end which address a refund under way has named. */
const forgettingNotifyUrls: Make = {
  restarts: true,
  parts: (parts) => {
    const known = new Set<string>();
    return storing((records) => ({
      insertRefund: (refund) => {
        known.add(refund.refundOrderId);
        return records.insertRefund(refund);
      },
      insertDelivery: async (delivery) => {
        const { subject } = delivery;
        if (!('refundOrderId' in subject) || known.has(subject.refundOrderId)) await records.insertDelivery(delivery);
      },
    }))(parts);
  },
};

/** A server whose timers know only the orders that were made since its start. A query notices that an older one has expired, and announces it. */
const timersInMemory = (product: Order['product']): Make => ({
  restarts: true,
  parts: (parts) => {
    const known = new Set<string>();
    return storing((records) => ({
      insertOrder: (order) => {
        known.add(order.orderId);
        return records.insertOrder(order);
      },
      lockDueOrders: async (...due) =>
        (await records.lockDueOrders(...due)).filter((order) => order.product !== product || known.has(order.orderId)),
    }))(parts);
  },
});

/**
 * A server that shows records as `handler` does when it has started again and reads them. A create shows what it has made rightly, even then.
 * `before` handles everything else.
 */
function showingAfterStart(handler: Handler, before: Handler = (request, server) => server.forward(request)): Make {
  let hasStartedAgain = false;
  return {
    restarts: true,
    control: noticingRestarts(() => {
      hasStartedAgain = true;
    }),
    merchantApi: (request, server) => (hasStartedAgain && request.method === 'GET' ? handler : before)(request, server),
  };
}

/** A server that gives new records, when it has started again, the ids of the first ones from before. */
function countingAnew(name: string, concerns: (request: ProxyRequest) => boolean): Make {
  let [hasStartedAgain, made]: [boolean, unknown[]] = [false, []];
  return {
    restarts: true,
    control: noticingRestarts(() => {
      hasStartedAgain = true;
    }),
    merchantApi: onlyFor(
      concerns,
      showing((view) => {
        if (!hasStartedAgain) made = [...made, view[name]];
        else if (!made.includes(view[name])) return { ...view, [name]: made.at(-1) };
        return view;
      }),
    ),
  };
}

/** A server that has one order of those with a merchantOrderId when it has started again, whoever asks. */
function findingNamesakes(concerns: (request: ProxyRequest) => boolean): Make {
  const first = new Map<unknown, unknown>();
  return showingAfterStart(
    onlyFor(
      concerns,
      showing((view) => ({ ...view, orderId: first.get(view.merchantOrderId) ?? view.orderId })),
    ),
    onlyFor(
      concerns,
      showing((view) => {
        if (!first.has(view.merchantOrderId)) first.set(view.merchantOrderId, view.orderId);
        return view;
      }),
    ),
  );
}

/** A server that shows the expiry of what was made with one in another zone at another time, when it has started again. */
function readingZonesAgain(concerns: (request: ProxyRequest) => boolean): Make {
  const zoned = new Set<unknown>();
  return showingAfterStart(
    onlyFor(
      concerns,
      showing((view) =>
        zoned.has(view.merchantOrderId) ? { ...view, expiresAt: eightHoursAhead(view.expiresAt) } : view,
      ),
    ),
    (request, server) => {
      const { merchantOrderId, expiresAt } = bodyOf(request) ?? {};
      if (String(expiresAt).includes('+')) zoned.add(merchantOrderId);
      return server.forward(request);
    },
  );
}

/** The amount as a store of floating-point numbers gives it back. */
const asDouble = (amount: unknown): string => String(Number(amount));

/** A server that keeps in memory which keys were revoked. */
function revokingInMemory(): Make {
  let startedAt = 0;
  const { control, ...make } = keepingKeys((request, since) =>
    Date.now() - since < startedAt ? request : spoiled(request),
  );
  const noticing = noticingRestarts(() => {
    startedAt = Date.now();
  });
  return {
    ...make,
    restarts: true,
    control: (request, server) => (isRestart(request) ? noticing : (control ?? noticing))(request, server),
  };
}

/** A server that knows of a setting of its merchants only until its end: `usual` gives it the value that merchants have otherwise. */
const forgettingSettings = (usual: (merchant: Merchant, others: readonly Merchant[]) => Merchant): Make =>
  recovering<Merchant>(
    (records, memory) => ({
      insertMerchant: (merchant) => {
        memory.push(merchant);
        return records.insertMerchant(merchant);
      },
    }),
    async (records, memory) => {
      for (const { merchantId } of memory) {
        const merchant = await records.lockMerchant(merchantId);
        if (merchant) await records.updateMerchant(usual(merchant, memory));
      }
    },
  );

/** A server that keeps in memory for which orders there was a refund that SUCCEEDED. */
const forgettingRefunded: Make = {
  restarts: true,
  parts: (parts) => {
    const known = new Set<string>();
    return storing((records) => ({
      insertRefund: (refund) => {
        known.add(refund.refundOrderId);
        return records.insertRefund(refund);
      },
      listRefundsOfOrder: async (...which) =>
        (await records.listRefundsOfOrder(...which)).filter(({ refundOrderId }) => known.has(refundOrderId)),
    }))(parts);
  },
};

/** A server whose timers are gone after its start: an order that was INIT then never expires. */
function forgettingTimers(): Make {
  const waiting = new Set<unknown>();
  let left = new Set<unknown>();
  return {
    restarts: true,
    control: noticingRestarts(() => {
      left = new Set(waiting);
    }),
    merchantApi: showing((view) => {
      if (view.status === 'INIT') waiting.add(view.orderId);
      else waiting.delete(view.orderId);
      return view.status === 'CLOSED' && left.has(view.orderId) ? { ...view, status: 'INIT' } : view;
    }),
  };
}

/** Wrong servers that do not survive an end without warning. */
export const restartFaults: readonly Fault[] = [
  fault(
    'order-timers-forgotten',
    'Does not let a hosted order expire that was made before its last start.',
    'general.restart.expiry',
    'orders.restart.expires',
    forgettingTimers(),
  ),
  fault(
    'checkout-order-timers-forgotten',
    'Does not let a checkout order expire that was made before its last start.',
    'general.restart.expiry',
    'checkout.restart.expires',
    forgettingTimers(),
  ),
  fault(
    'order-acknowledged-before-written',
    'Acknowledges a hosted order before it writes it.',
    'general.restart.acknowledged',
    'orders.restart.acknowledged',
    writingLater,
  ),
  fault(
    'orders-lost-though-ending-bit-by-bit',
    'Answers queries for a moment after it has broken creates off, and finds no hosted order any more when it has started again.',
    'general.restart.acknowledged',
    'orders.restart.acknowledged',
    endingBitByBit(onlyFor(isHosted, async (request) => refusal(request, '40001', 'there is no such order'))),
  ),
  fault(
    'checkout-order-acknowledged-before-written',
    'Acknowledges a checkout order before it writes it.',
    'general.restart.acknowledged',
    'checkout.restart.acknowledged',
    writingLater,
  ),
  fault(
    'refund-acknowledged-and-lost',
    'Has forgotten the refunds that it acknowledged shortly before it ended.',
    'general.restart.acknowledged',
    'refunds.restart.acknowledged',
    forgettingRefunds(),
  ),
  fault(
    'checkout-ids-known-since-start',
    'Knows only since its start which ids of checkout orders were used.',
    'general.restart.repeat',
    'checkout.restart.repeat',
    forgettingIds(isCheckout),
  ),
  fault(
    'refund-ids-known-since-start',
    'Knows only since its start which ids of refunds were used.',
    'general.restart.repeat',
    'refunds.restart.repeat',
    forgettingIds(isOfRefunds, { parts: refundingAgain }),
  ),
  fault(
    'refund-reserved-again-at-start',
    'Reserves the money of open refunds again when it starts.',
    'general.restart.funds',
    'refunds.restart.reserved-once',
    settlingAgain('insertRefund', reserve),
  ),
  fault(
    'refund-reservation-lost',
    'Keeps in memory what open refunds have reserved.',
    'general.restart.funds',
    'refunds.restart.reserved-once',
    settlingAgain('insertRefund', giveAgain),
  ),
  fault(
    'refund-reservation-lost-with-fee',
    'Takes a fee for refunds, and keeps in memory what open ones have reserved.',
    'general.restart.funds',
    'refunds.restart.reserved-once',
    withFee(settlingAgain('insertRefund', giveAgain)),
  ),
  fault(
    'taken-by-success-lost-at-start',
    'Counts what is taken from a balance again when it starts, from the refunds under way only.',
    'general.restart.funds',
    'refunds.restart.reserved-once',
    settlingAgain('updateRefund', giveAgain, 'SUCCEEDED'),
  ),
  fault(
    'refund-returned-again-at-start',
    'Gives the money of failed refunds back again when it starts.',
    'general.restart.funds',
    'refunds.restart.returned-once',
    settlingAgain('updateRefund', giveAgain),
  ),
  fault(
    'refund-returned-again-at-start-with-fee',
    'Takes a fee for refunds, and gives the money of failed ones back again when it starts.',
    'general.restart.funds',
    'refunds.restart.returned-once',
    withFee(settlingAgain('updateRefund', giveAgain)),
  ),
  fault(
    'order-states-kept-in-memory',
    'Keeps in memory what has become of a hosted order.',
    'general.restart.states',
    'orders.restart.states',
    restoringOrders('hosted'),
  ),
  fault(
    'checkout-states-kept-in-memory',
    'Keeps in memory what has become of a checkout order.',
    'general.restart.states',
    'checkout.restart.states',
    restoringOrders('checkout'),
  ),
  fault(
    'refund-states-kept-in-memory',
    'Keeps in memory what has become of a refund.',
    'general.restart.states',
    'refunds.restart.states',
    restoringRefunds,
  ),
  fault(
    'outbox-in-memory',
    'Forgets at its end which webhooks it still has to send.',
    'general.restart.webhooks',
    'webhooks.restart.due',
    outboxInMemory,
  ),
  fault(
    'notify-urls-in-memory',
    'Forgets at its end where the result of a refund under way is to be posted.',
    'general.restart.webhooks',
    'webhooks.restart.due',
    forgettingNotifyUrls,
  ),
  fault(
    'default-address-in-memory',
    'Knows only until its end where the results of refunds without a notifyUrl are to be posted.',
    'general.restart.webhooks',
    'webhooks.restart.due',
    forgettingSettings(({ settings: { defaultNotifyUrl: _, ...settings }, ...merchant }) => ({
      ...merchant,
      settings,
    })),
  ),
  ...(['hosted', 'checkout'] as const).map((product) =>
    fault(
      `${product}-expiry-unannounced-after-start`,
      `Notices only when somebody asks for a ${product} order from before its start that it has expired.`,
      'general.restart.webhooks',
      'webhooks.restart.due',
      timersInMemory(product),
    ),
  ),
  fault(
    'order-amounts-kept-as-doubles',
    'Writes the amounts of hosted orders as floating-point numbers.',
    'general.restart.acknowledged',
    'orders.restart.acknowledged',
    showingAfterStart(onlyFor(isHosted, showing(changing('orderAmount.value', asDouble)))),
  ),
  fault(
    'checkout-order-amounts-kept-as-doubles',
    'Writes the amounts of checkout orders as floating-point numbers.',
    'general.restart.acknowledged',
    'checkout.restart.acknowledged',
    showingAfterStart(onlyFor(isCheckout, showing(changing('orderAmount.value', asDouble)))),
  ),
  fault(
    'refund-amounts-kept-as-doubles',
    'Writes the amounts of refunds as floating-point numbers.',
    'general.restart.acknowledged',
    'refunds.restart.acknowledged',
    showingAfterStart(showingRefunds(changing('refundAmount', asDouble))),
  ),
  fault(
    'order-created-at-start',
    'Shows hosted orders from before its start as created when it started.',
    'general.restart.acknowledged',
    'orders.restart.acknowledged',
    showingAfterStart(onlyFor(isHosted, showing(changing('createdAt', eightHoursAhead)))),
  ),
  ...(
    [
      ['orders', 'hosted orders', isHosted],
      ['checkout', 'checkout orders', isCheckout],
    ] as const
  ).map(([area, noun, concerns]) =>
    fault(
      `${area}-paid-at-start`,
      `Shows ${noun} from before its start as paid at another time.`,
      'general.restart.acknowledged',
      `${area}.restart.states`,
      showingAfterStart(onlyFor(concerns, showing(changing('paidAt', eightHoursAhead)))),
    ),
  ),
  ...(
    [
      ['orders', 'hosted orders', isHosted],
      ['checkout', 'checkout orders', isCheckout],
    ] as const
  ).map(([area, noun, concerns]) =>
    fault(
      `${area}-overpayment-lost-at-start`,
      `Shows of ${noun} from before its start that what was due was paid, where more was.`,
      'general.restart.acknowledged',
      `${area}.restart.states`,
      showingAfterStart(
        onlyFor(
          concerns,
          showing(changing('cryptoPaidAmount.value', (paid) => (paid === overpaid.amount ? '9.5' : paid))),
        ),
      ),
    ),
  ),
  fault(
    'refund-completed-at-start',
    'Shows refunds from before its start as completed at another time.',
    'general.restart.acknowledged',
    'refunds.restart.states',
    showingAfterStart(showingRefunds(changing('completedTime', eightHoursAhead))),
  ),
  fault(
    'refunds-by-order-lost-at-start',
    'Finds refunds from before its start no longer by their order.',
    'general.restart.acknowledged',
    'refunds.restart.acknowledged',
    showingAfterStart(async (request, server) => {
      const isByOrder = isOfRefunds(request) && parameterOf(request, 'acquiringOrderId') !== undefined;
      return isByOrder ? refundRefusal(404, 'REFUND_NOT_FOUND') : server.forward(request);
    }),
  ),
  ...(
    [
      ['orders', 'orderId', isHostedCreate],
      ['checkout', 'orderId', isOf('checkout.create')],
      ['refunds', 'refundOrderId', isRefundCreate],
    ] as const
  ).map(([area, name, concerns]) =>
    fault(
      `${area}-counted-anew-at-start`,
      `Gives what is made after its start the ids of what was made before, of ${area}.`,
      'general.restart.acknowledged',
      `${area}.restart.acknowledged`,
      countingAnew(name, concerns),
    ),
  ),
  ...(
    [
      ['orders', isHosted],
      ['checkout', isCheckout],
    ] as const
  ).flatMap(([area, concerns]) => [
    fault(
      `${area}-of-namesakes-at-start`,
      `Finds under a merchantOrderId that two merchants have used the order of one of them, when it has started again, of ${area}.`,
      'general.restart.acknowledged',
      `${area}.restart.acknowledged`,
      findingNamesakes(concerns),
    ),
    fault(
      `${area}-zones-read-again-at-start`,
      `Takes the zone of an expiry off a second time when it has started again, of ${area}.`,
      'general.restart.acknowledged',
      `${area}.restart.acknowledged`,
      readingZonesAgain(concerns),
    ),
  ]),
  fault(
    'extra-data-lost-at-start',
    'Shows no extraData of refunds from before its start.',
    'general.restart.acknowledged',
    'refunds.restart.acknowledged',
    showingAfterStart(showingRefunds(changing('extraData', () => null))),
  ),
  fault(
    'deposit-address-drawn-again',
    'Draws the deposit addresses of checkout orders again when it starts.',
    'general.restart.acknowledged',
    'checkout.restart.acknowledged',
    showingAfterStart(
      onlyFor(isCheckout, showing(changing('depositAddress', (address) => [...String(address)].toReversed().join('')))),
    ),
  ),
  ...['orders.query', 'refunds.query', 'checkout.payment-methods', 'checkout.query'].map((operation) =>
    fault(
      `${operation.replace('.', '-')}-revocations-in-memory`,
      'Forgets at its end which keys were revoked.',
      'general.restart.keys',
      `auth.${operation}.revoked-key-restart`,
      revokingInMemory(),
    ),
  ),
  fault(
    'checkout-switched-on-at-start',
    'Knows only until its end which merchants are without API Checkout.',
    'general.restart.refusals',
    'checkout.restart.settings',
    forgettingSettings(({ settings, ...merchant }) => ({
      ...merchant,
      settings: { ...settings, checkoutEnabled: true },
    })),
  ),
  fault(
    'payment-methods-as-usual-at-start',
    'Knows only until its end which payment methods a merchant has, and gives it those of others.',
    'general.restart.refusals',
    'checkout.restart.settings',
    forgettingSettings(({ settings, ...merchant }, others) => {
      const [most = []] = others
        .map((other) => other.settings.paymentMethods)
        .toSorted((left, right) => right.length - left.length);
      return { ...merchant, settings: { ...settings, paymentMethods: most } };
    }),
  ),
  fault(
    'refunded-orders-in-memory',
    'Knows only since its start which orders were refunded.',
    'general.restart.refusals',
    'refunds.restart.second',
    forgettingRefunded,
  ),
];
