import type { Order } from '../../../../server/domain/order.ts';
import { overpaid } from '../../../arrange/orders/payments.ts';
import {
  bodyOf,
  changing,
  isCheckout,
  isHosted,
  onlyFor,
  queriedId,
  recordOfEvent,
  refusal,
  showing,
  storing,
} from '../../stand/changes.ts';
import { type Fault, faultsCaughtBy, type Make } from '../../stand/fault.ts';
import { eightHoursAhead } from '../../stand/order-changes.ts';
import type { ProxyRequest } from '../../stand/proxy.ts';
import { endingBitByBit, isRestart, noticingRestarts, recovering } from '../../stand/restart-changes.ts';
import { asDouble, cut, inWholeSeconds, showingAfterStart, shownIn, writtenAfter } from './changes.ts';

const fault = faultsCaughtBy('');

/** Both kinds of orders: the area, what they are called, and the requests that concern them. */
const products = [
  ['orders', 'hosted orders', isHosted],
  ['checkout', 'checkout orders', isCheckout],
] as const;

/** What servers have lost of a paid order when they have started again: where it stood, and what stands there now. */
const partsLost: readonly (readonly [
  product: 'orders' | 'checkout',
  id: string,
  words: string,
  path: string,
  lost?: unknown,
])[] = [
  ['orders', 'payer', 'the payer of a hosted order', 'cryptoPaymentDetail.fromAddress'],
  ['orders', 'transaction', 'the transaction of a hosted order', 'cryptoPaymentDetail.txHash'],
  ['orders', 'receiver', 'the receiver of the payment of a hosted order', 'cryptoPaymentDetail.toAddress', 'unknown'],
  ['orders', 'block', 'the block of the payment of a hosted order', 'cryptoPaymentDetail.blockNumber'],
  ['orders', 'time-of-payment', 'the time of the payment of a hosted order', 'paidAt'],
  ['orders', 'address-of-page', 'the checkoutUrl of a hosted order', 'checkoutUrl', ''],
  ['checkout', 'payer', 'the payer of a checkout order', 'cryptoPaymentDetail.fromAddress'],
  ['checkout', 'amount-sent', 'the amount of the transfer of a checkout order', 'cryptoPaymentDetail.amount', '0'],
  ['checkout', 'confirmations', 'the confirmations of a checkout order', 'cryptoPaymentDetail.requiredConfirmations'],
  ['checkout', 'display-name', 'the networkDisplayName of a checkout order', 'networkDisplayName'],
];

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

/** A server that takes an order whose payment was under way at its last start for one that nobody has paid in time. */
function closingUnderWay(): Make {
  const underWay = new Set<unknown>();
  let left = new Set<unknown>();
  return {
    restarts: true,
    control: noticingRestarts(() => {
      left = new Set(underWay);
    }),
    merchantApi: showing((view) => {
      if (view.status === 'PROCESSING') underWay.add(view.orderId);
      return view.status === 'PROCESSING' && left.has(view.orderId) ? { ...view, status: 'CLOSED' } : view;
    }),
  };
}

/** A server that shows no transaction of what an exchange has paid, when it has started again. */
function losingExchangePayments(): Make {
  const paid = new Set<unknown>();
  let hasStartedAgain = false;
  return {
    restarts: true,
    control: (request, server) => {
      if (isRestart(request)) hasStartedAgain = true;
      if (String(bodyOf(request)?.paymentMethod).startsWith('EXCHANGE')) paid.add(recordOfEvent('orders', request));
      return server.forward(request);
    },
    merchantApi: showing((view) =>
      hasStartedAgain && paid.has(view.orderId) && view.status === 'SUCCEEDED'
        ? changing('cryptoPaymentDetail.txHash', () => null)(view)
        : view,
    ),
  };
}

/** A server that does something with the orders whose payment is under way when it starts. */
const changingUnderWay = (product: Order['product'], change: (order: Order) => Order): Make =>
  recovering<Order>(
    (records, memory) => ({
      updateOrder: (order) => {
        if (order.product === product && order.status === 'PROCESSING') memory.push(order);
        return records.updateOrder(order);
      },
    }),
    async (records, memory) => {
      for (const { merchantId, orderId } of memory) {
        const order = await records.lockOrder(merchantId, orderId);
        if (order?.status === 'PROCESSING') await records.updateOrder(change(order));
      }
    },
  );

/** An order of which this much is due. */
const owing = <Any extends Order>(order: Any, value: string): Any => ({ ...order, due: { ...order.due, value } });

/** An order for which much more was paid. */
const paidMore = (order: Order): Order => ({
  ...order,
  payment: order.payment && { ...order.payment, amount: { ...order.payment.amount, value: '1000000' } },
});

/** A server that finds no hosted order from before its start by the id that it gave to it itself, of those that are paid. */
const losingPlatformIds: Make = showingAfterStart(
  onlyFor(isHosted, async (request, server) => {
    const answer = await server.forward(request);
    const view = shownIn(answer);
    const isLost = view?.status === 'SUCCEEDED' && queriedId(request) === view.orderId;
    return isLost ? refusal(request, '40001', 'there is no such order') : answer;
  }),
);

/** Wrong servers that lose or change orders when they end without warning and start again. */
export const orderRestartFaults: readonly Fault[] = [
  fault(
    'order-timers-forgotten',
    'Does not let a hosted order expire that was made before its last start.',
    'general.restart.expiry',
    'orders.restart.expires',
    forgettingTimers(),
  ),
  fault(
    'order-under-way-closed-after-start',
    'Closes hosted orders whose payment was under way at its last start.',
    'general.restart.expiry',
    'orders.restart.expires',
    closingUnderWay(),
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
    'order-created-at-start',
    'Shows hosted orders from before its start as created when it started.',
    'general.restart.acknowledged',
    'orders.restart.acknowledged',
    showingAfterStart(onlyFor(isHosted, showing(changing('createdAt', eightHoursAhead)))),
  ),
  ...products.map(([area, noun, concerns]) =>
    fault(
      `${area}-paid-at-start`,
      `Shows ${noun} from before its start as paid at another time.`,
      'general.restart.acknowledged',
      `${area}.restart.states`,
      showingAfterStart(onlyFor(concerns, showing(changing('paidAt', eightHoursAhead)))),
    ),
  ),
  ...products.map(([area, noun, concerns]) =>
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
  ...partsLost.map(([product, id, words, path, lost = null]) =>
    fault(
      `${product}-${id}-lost-at-start`,
      `Has lost ${words} that was paid before its start.`,
      'general.restart.acknowledged',
      `${product}.restart.states`,
      showingAfterStart(
        onlyFor(
          product === 'orders' ? isHosted : isCheckout,
          showing((view) => (view.status === 'SUCCEEDED' ? changing(path, () => lost)(view) : view)),
        ),
      ),
    ),
  ),
  fault(
    'exchange-payments-lost-at-start',
    'Has lost the txHash of what an exchange paid before its start.',
    'general.restart.acknowledged',
    'orders.restart.states',
    losingExchangePayments(),
  ),
  fault(
    'checkout-display-name-of-ended-changed-at-start',
    'Shows checkout orders that were FAILED or CLOSED before its start under another name of their network.',
    'general.restart.acknowledged',
    'checkout.restart.states',
    showingAfterStart(
      onlyFor(
        isCheckout,
        showing((view) =>
          ['FAILED', 'CLOSED'].includes(String(view.status)) ? { ...view, networkDisplayName: 'network' } : view,
        ),
      ),
    ),
  ),
  ...products.flatMap(([area, , concerns]) => [
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
    'paid-orders-lost-by-platform-id-at-start',
    'Finds hosted orders that were paid before its start no longer by its own id.',
    'general.restart.acknowledged',
    'orders.restart.states',
    losingPlatformIds,
  ),
  ...products.flatMap(([area, noun, concerns]) => [
    ...['createdAt', 'paidAt'].map((name) =>
      fault(
        `${area}-${name === 'paidAt' ? 'paid-at' : 'created-at'}-in-whole-seconds-at-start`,
        `Has lost the fraction of a second of ${name} of ${noun} from before its start.`,
        'general.restart.acknowledged',
        `${area}.restart.states`,
        showingAfterStart(onlyFor(concerns, showing(changing(name, inWholeSeconds)))),
      ),
    ),
    fault(
      `${area}-under-way-paid-more-at-start`,
      `Takes for much more what was paid for ${noun} whose payment was under way at its start.`,
      area === 'orders' ? 'orders.states.failed' : 'checkout.payment-rule',
      `${area}.restart.states`,
      changingUnderWay(area === 'orders' ? 'hosted' : 'checkout', paidMore),
    ),
    fault(
      `${area}-under-way-closed-at-start`,
      `Closes ${noun} at its start whose payment is under way.`,
      area === 'orders' ? 'orders.states.no-other-moves' : 'checkout.payment-rule',
      `${area}.restart.states`,
      changingUnderWay(area === 'orders' ? 'hosted' : 'checkout', (order) => ({ ...order, status: 'CLOSED' })),
    ),
  ]),
  fault(
    'due-of-orders-under-way-lost-at-start',
    'Takes the price in USD for what is due of hosted orders whose payment was under way at its start, whatever the rate.',
    'orders.states.failed',
    'orders.restart.states',
    changingUnderWay('hosted', (order) => owing(order, order.request.orderAmount.value)),
  ),
  fault(
    'metadata-cut-at-start',
    'Has cut metadata of checkout orders from before its start after 255 characters.',
    'general.restart.acknowledged',
    'checkout.restart.acknowledged',
    showingAfterStart(onlyFor(isCheckout, showing(changing('metadata', cut)))),
  ),
  fault(
    'metadata-empty-at-start',
    'Shows metadata of checkout orders from before its start that had none.',
    'general.restart.acknowledged',
    'checkout.restart.states',
    showingAfterStart(
      onlyFor(
        isCheckout,
        showing((view) => ({ metadata: '{}', ...view })),
      ),
    ),
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
];
