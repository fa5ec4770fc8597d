import type { OrdersState } from '../../../generated/catalogue-ids.ts';
import {
  bringCheckoutOrderTo,
  makeCheckoutOrder,
  makeCheckoutOrderIn,
} from '../../arrange/checkout-orders/checkout-orders.ts';
import { type AnyMadeOrder, bringOrderTo, orderStateNeeds, passSoon, soon } from '../../arrange/orders/any-order.ts';
import { makeOrder, orderIn } from '../../arrange/orders/orders.ts';
import { alteredId } from '../../arrange/refunds/altered-id.ts';
import { type RefundCreateRequest, refundsClient } from '../../arrange/refunds/client.ts';
import { awkwardExtraData } from '../../arrange/refunds/fixtures.ts';
import { foreignOrder } from '../../arrange/refunds/foreign-orders.ts';
import type { PaidOrder } from '../../arrange/refunds/paid-order.ts';
import { makePaidOrder } from '../../arrange/refunds/paid-orders.ts';
import {
  bringRefundTo,
  businessError,
  expectRefundRefused,
  makeRefund,
  makeRefundIn,
  refundRequest,
  standingRefund,
  unrefundedOrder,
} from '../../arrange/refunds/refunds.ts';
import { confirmed, exchanges, ifTaken, letHappen, sideBySide } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import {
  expectAccepted,
  expectAmount,
  expectField,
  expectRefused,
  expectSchema,
  expectStatus,
  expectThat,
  isAccepted,
  needAccepted,
  needText,
  statusOf,
  summary,
} from '../../check/expect.ts';
import { errorCode } from '../../contract/error-codes.ts';
import { show } from '../../contract/show.ts';
import { successCode } from '../../contract/success-code.ts';
import type { Credentials, OrderStep } from '../../drivers/driver.ts';
import { Inconclusive, NotApplicable, PermittedChoice } from '../../errors/outcomes.ts';
import { field } from '../../wire/exchange.ts';
import { unknownField } from '../support/order-checks.ts';

/** Sends a refund request with `changes` for a new paid order of the shared merchant; its answer is judged by the check. */
async function create(context: CheckContext, changes: Partial<RefundCreateRequest> = {}) {
  const merchant = await context.merchant();
  const order = await makePaidOrder(context, merchant);
  const client = refundsClient(context, merchant);
  const request = refundRequest(context, order.orderId, changes);
  return { client, order, request, answer: await client.create(request) };
}

/**
 * Pairs of ids whose second one a database may take for the first, because it compares letters without their marks, writes letters and marks
 * that stand apart as one, leaves blanks at the end out of account, or keeps a part of a long text.
 */
function nearlyEqualIds(id: string): [string, string][] {
  const long = (length: number) => id.padEnd(length - 1, '-');
  return [
    [`${id}-e`, `${id}-é`],
    [`${id}-\u00f6`, `${id}-o\u0308`],
    [`${id}-f`, `${id}-f `],
    ...[100, 300].map((length): [string, string] => [`${long(length)}a`, `${long(length)}b`]),
  ];
}

/** Fails when the second of two ids is taken for the first. Both may be refused, because no sentence says what an id is made of. */
async function expectTwoRefunds(
  context: CheckContext,
  merchant: Credentials,
  one: string,
  other: string,
): Promise<void> {
  if (!(await ifTaken(makeRefund(context, merchant, { merchantRefundOrderId: one })))) return;
  const { client, answer } = await create(context, { merchantRefundOrderId: other });
  const isTaken = field(answer, 'code') === errorCode('refunds', 'IDEMPOTENCY_CONFLICT');
  if (!isTaken && !isAccepted(answer)) return;
  expectAccepted(answer, `a refund under the id ${other}, where there is one under ${one}`);
  for (const each of [answer, await client.query({ merchantRefundOrderId: other })]) {
    expectField(each, 'data.merchantRefundOrderId', other, 'refunds.record.references');
  }
}

/** States of an order that has not been paid, or not enough. */
const unpaidStates: readonly Exclude<OrdersState, 'SUCCEEDED'>[] = ['INIT', 'PROCESSING', 'FAILED', 'CLOSED'];

/** Fails unless a checkout order without a completed payment is refused a refund, whether or not a paid one can be refunded. */
async function expectCheckoutOrderRefused(
  context: CheckContext,
  merchant: Credentials,
  state: (typeof unpaidStates)[number],
): Promise<void> {
  // Which states a checkout order comes to is open in part.
  const order = await ifTaken(
    makeCheckoutOrder(context, merchant).then(async (made) => {
      await bringCheckoutOrderTo(context, made, state);
      return made;
    }),
  );
  if (!order) return;
  const what = `a refund of a checkout order that is ${state}`;
  const refusal = { ...businessError, status: [400, 404] };
  const client = refundsClient(context, merchant);
  await expectRefundRefused(client, refundRequest(context, order.orderId), what, refusal);
}

/** Paid orders that are no hosted orders paid on-chain: one that an exchange has paid and, where the target has them, a checkout order. */
async function paidOtherwise(context: CheckContext, merchant: Credentials): Promise<AnyMadeOrder[]> {
  const [paymentMethod] = exchanges;
  const pay = async (making: Promise<AnyMadeOrder>, payment: OrderStep) => {
    const order = await making;
    const view = await letHappen(context, order, [payment, confirmed]);
    return statusOf(view) === 'SUCCEEDED' ? [order] : [];
  };
  const paid = await sideBySide([
    pay(makeOrder(context, merchant), { type: 'transaction_detected', paymentMethod }),
    ...(context.has('checkout')
      ? [ifTaken(pay(makeCheckoutOrder(context, merchant), { type: 'transaction_detected' }))]
      : []),
  ]);
  return paid.flatMap((each) => each ?? []);
}

/** Fails unless an order whose payment by an exchange was seen, and is not confirmed, is refused a refund. */
async function expectNoEarlyRefund(context: CheckContext, merchant: Credentials): Promise<void> {
  const client = refundsClient(context, merchant);
  await sideBySide(
    exchanges.map(async (paymentMethod) => {
      const order = await makeOrder(context, merchant);
      await context.orderEvent(merchant, order.orderId, { type: 'transaction_detected', paymentMethod });
      // A platform may take what an exchange says for confirmed.
      if (statusOf(await order.query()) !== 'PROCESSING') return;
      const what = `a refund of an order that is PROCESSING, paid by ${paymentMethod}`;
      await expectRefundRefused(client, refundRequest(context, order.orderId), what, businessError);
    }),
  );
}

/** A check that an order of either product without a completed payment is not refunded. */
function unpaidOrder(state: (typeof unpaidStates)[number]): CheckDeclaration {
  return {
    id: `refunds.create.unpaid-order.${state.toLowerCase()}`,
    title: `An order that is ${state} is not refunded, of whichever product it is`,
    requirements: ['refunds.create.completed-payments', 'refunds.errors.business', 'refunds.errors.refused'],
    needs: ['paid-order', ...orderStateNeeds(state)],
    ...(state === 'CLOSED' && { long: true }),
    async run(context) {
      const { client, merchant } = await standingRefund(context);
      const order = context.has('order-events') ? await makeOrder(context, merchant) : await orderIn(context, state);
      if (context.has('order-events')) await bringOrderTo(context, order, state);
      const request = refundRequest(context, order.orderId);
      await expectRefundRefused(client, request, `a refund of an order that is ${state}`, businessError);
      if (context.has('order-events') && state === 'PROCESSING') await expectNoEarlyRefund(context, merchant);
      if (context.has('order-events') && context.has('checkout')) {
        await expectCheckoutOrderRefused(context, merchant, state);
      }
    },
  };
}

/** In seconds: longer than a server is likely to remember what it keeps for a while only. */
const threeDays = 3 * 86_400;

/** A second refund of the order of a refund that is in `state`, under an id of its own. */
async function secondRefund(context: CheckContext, state: 'PENDING' | 'SUCCEEDED' | 'FAILED' | 'CLOSED') {
  const first = await makeRefundIn(context, state);
  return first.client.create(refundRequest(context, first.order.orderId));
}

/** How an order is made, and whose it is. */
interface Namesake {
  make: typeof makeOrder | typeof makeCheckoutOrder;
  merchant: Credentials;
}

/**
 * Refunds two paid orders under one merchantOrderId, the second when the refund of the first is over. Fails unless each refund is one of its
 * own order. False where the target does not take two orders under one id.
 */
async function expectNamesakesRefunded(context: CheckContext, first: Namesake, second: Namesake): Promise<boolean> {
  const merchantOrderId = context.newOrderId();
  const one = await first.make(context, first.merchant, { merchantOrderId });
  const other = await ifTaken<AnyMadeOrder>(second.make(context, second.merchant, { merchantOrderId }));
  if (!other) return false;
  const pay = (order: AnyMadeOrder) => letHappen(context, order, [{ type: 'transaction_detected' }, confirmed]);
  await sideBySide([pay(one), pay(other)]);
  for (const order of [one, other]) {
    const client = refundsClient(context, order.merchant);
    const created = await client.create(refundRequest(context, order.orderId));
    // Whether checkout orders are refunded is open.
    if (order.product === 'checkout' && !isAccepted(created)) continue;
    const found = await client.query({ acquiringOrderId: order.orderId });
    for (const answer of [created, found]) {
      expectAccepted(answer, `a refund of the order ${order.orderId}, and a query for it`);
      expectField(answer, 'data.acquiringOrderId', order.orderId, 'refunds.record.references');
    }
    if (!context.has('refund-events')) continue;
    const refundOrderId = needText(created, 'data.refundOrderId');
    for (const type of ['processing_started', 'completed'] as const) {
      await context.refundEvent(order.merchant, refundOrderId, { type });
    }
  }
  return true;
}

const accepted: readonly CheckDeclaration[] = [
  {
    id: 'refunds.create.late-payment',
    title: 'An order whose payment was confirmed after its expiry is refunded as any other',
    requirements: ['refunds.create.accepted', 'refunds.create.completed-payments'],
    needs: ['order-events', 'own-merchant', 'clock'],
    async run(context) {
      const merchant = await context.ownMerchant();
      const order = await makeOrder(context, merchant, soon(context));
      await context.orderEvent(merchant, order.orderId, { type: 'transaction_detected' });
      await passSoon(context, merchant);
      const paid = await letHappen(context, order, [confirmed]);
      if (statusOf(paid) === 'FAILED') {
        throw new PermittedChoice(
          'a payment fails by time alone soon after the expiry (open point processing-timeout)',
        );
      }
      if (statusOf(paid) !== 'SUCCEEDED') throw new Inconclusive('a payment could not be confirmed after the expiry');
      const answer = await refundsClient(context, merchant).create(refundRequest(context, order.orderId));
      expectAccepted(answer, 'a refund of an order whose payment was confirmed after its expiry');
    },
  },
  {
    id: 'refunds.create.same-merchant-order-id',
    title:
      'A refund is one of the order that its request names, also where an order of the other product, or of another merchant, has its merchantOrderId',
    requirements: ['refunds.create.accepted', 'refunds.record.references'],
    needs: ['order-events', 'own-merchant'],
    async run(context) {
      const [merchant, stranger] = [await context.ownMerchant(), await context.ownMerchant()];
      const judged = await sideBySide([
        expectNamesakesRefunded(context, { make: makeOrder, merchant }, { make: makeOrder, merchant: stranger }),
        ...(context.has('checkout')
          ? [
              expectNamesakesRefunded(context, { make: makeCheckoutOrder, merchant }, { make: makeOrder, merchant }),
              expectNamesakesRefunded(
                context,
                { make: makeCheckoutOrder, merchant },
                { make: makeCheckoutOrder, merchant: stranger },
              ),
            ]
          : []),
      ]);
      if (!judged.includes(true)) {
        throw new PermittedChoice('two orders under one id are not taken here (open point id-namespaces)');
      }
    },
  },
  {
    id: 'refunds.create.minimal',
    title: 'A request with the three required fields is accepted with HTTP 200, and its refund is PENDING',
    requirements: [
      'refunds.create.accepted',
      'refunds.create.optional-fields',
      'general.base-path',
      'general.success-code',
    ],
    needs: ['paid-order'],
    async run(context) {
      const { client, request } = await standingRefund(context, 'first', (answer) => {
        // Where the answer shows a refund, only its code is wrong.
        const made = typeof field(answer, 'data.refundOrderId') === 'string';
        if (made) expectField(answer, 'code', successCode, 'general.success-code');
        expectAccepted(answer, 'a refund request with every required field');
        expectStatus(answer, 200, 'an accepted refund');
        expectField(answer, 'data.status', 'PENDING');
      });
      const { merchantRefundOrderId } = request;
      const query = await client.query({ merchantRefundOrderId });
      expectAccepted(query, 'a query for the refund that was just made', 'refunds.query.by-merchant-refund-order-id');
    },
  },
  {
    id: 'refunds.create.every-optional-field',
    title: 'A request with notifyUrl and extraData is accepted, and so is one with either',
    requirements: ['refunds.create.optional-fields'],
    needs: ['order-events'],
    async run(context) {
      needAccepted((await create(context)).answer, 'the same request without optional fields');
      const notifyUrl = 'https://shop.example/hooks/refunds';
      const requests = [{ notifyUrl }, { extraData: '{"case":"17"}' }, { notifyUrl, extraData: '{"case":"17"}' }];
      const answers = await Promise.all(requests.map((changes) => create(context, changes)));
      for (const { request, answer } of answers) {
        const given = Object.keys(request).filter((name) => name === 'notifyUrl' || name === 'extraData');
        expectAccepted(answer, `a refund request with ${given.join(' and ')}`);
      }
    },
  },
  {
    id: 'refunds.create.success-envelope',
    title: 'The answer to an accepted refund is the whole envelope with the record',
    requirements: ['refunds.envelope.success', 'refunds.record.fields', 'general.success-code'],
    needs: ['paid-order'],
    async run(context) {
      const { created } = await standingRefund(context);
      expectSchema(created, 'RefundSuccess');
    },
  },
  {
    id: 'refunds.create.estimated-completion',
    title: 'The answer to an accepted refund says when it will probably be done',
    requirements: ['refunds.create.estimated-completion'],
    needs: ['paid-order'],
    async run(context) {
      const { created } = await standingRefund(context);
      if (statusOf(created) !== 'PENDING') return;
      const time = field(created, 'data.estimatedCompletionTime');
      expectThat(typeof time === 'string' && time !== '', created, {
        expected: 'data.estimatedCompletionTime is a time',
        actual: `data.estimatedCompletionTime = ${show(time)}`,
      });
    },
  },
  {
    id: 'refunds.create.merchant-refund-order-id.distinct',
    title:
      'Ids that differ in their last character, or in the case or the mark of one letter, are those of two refunds',
    requirements: ['refunds.create.accepted', 'refunds.record.references'],
    needs: ['order-events'],
    async run(context) {
      const merchant = await context.merchant();
      const id = context.newOrderId();
      const [first, ...others] = [`${id}-a`, `${id}-b`, `${id}-A`];
      const refund = await makeRefund(context, merchant, { merchantRefundOrderId: first ?? id });
      const { client, refundOrderId } = refund;
      for (const merchantRefundOrderId of others) {
        const { answer } = await create(context, { merchantRefundOrderId });
        expectAccepted(answer, `a refund under the id ${merchantRefundOrderId}, which differs from ${first}`);
        for (const each of [answer, await client.query({ merchantRefundOrderId })]) {
          expectField(each, 'data.merchantRefundOrderId', merchantRefundOrderId, 'refunds.record.references');
        }
      }
      const query = await client.query({ merchantRefundOrderId: first ?? id });
      expectField(query, 'data.refundOrderId', refundOrderId, 'refunds.record.references');
      await sideBySide(nearlyEqualIds(id).map(([one, other]) => expectTwoRefunds(context, merchant, one, other)));
    },
  },
  {
    id: 'refunds.create.merchant-refund-order-id.short',
    title: 'A merchantRefundOrderId may be shorter than a merchantOrderId',
    requirements: ['refunds.create.accepted'],
    needs: ['order-events'],
    async run(context) {
      const merchant = await context.merchant();
      await makeRefund(context, merchant);
      const merchantRefundOrderId = `r${Math.floor(context.random() * 1e9).toString(36)}`;
      const { answer } = await create(context, { merchantRefundOrderId });
      expectAccepted(answer, `a refund under the id ${merchantRefundOrderId}, whose length no rule bounds`);
    },
  },
  {
    id: 'refunds.create.whole-payment',
    title: 'A request that names an amount does not refund a part of the payment',
    requirements: ['refunds.create.whole-payment'],
    needs: ['paid-order'],
    async run(context) {
      const { merchant, client } = await standingRefund(context);
      const { orderId, paid } = await makePaidOrder(context, merchant);
      if (!paid) throw new NotApplicable('neither the run nor its driver knows what was paid');
      const part = { refundAmount: '0.01', amount: '0.01', amountToRefund: { value: '0.01', currency: 'USDT' } };
      const answer = await client.createAnything({ ...refundRequest(context, orderId), ...part });
      if (!isAccepted(answer))
        throw new PermittedChoice('fields that are not named are refused (open point unknown-fields)');
      expectAmount(answer, 'data.refundAmount', paid.value);
    },
  },
  {
    id: 'refunds.create.extra-data.unchanged',
    title: 'extraData comes back as it was sent, to the last space, in every answer that shows the refund',
    requirements: ['refunds.record.extra-data'],
    needs: ['paid-order'],
    async run(context) {
      const { client, created, query, request } = await standingRefund(context, 'second');
      for (const answer of [created, await query()]) expectField(answer, 'data.extraData', awkwardExtraData);
      const batch = await client.batchQuery([request.merchantRefundOrderId]);
      needAccepted(batch, 'a batch query for the refund');
      expectField(batch, 'data.0.extraData', awkwardExtraData);
    },
  },
];

const refused: readonly CheckDeclaration[] = [
  ...unpaidStates.map(unpaidOrder),
  {
    id: 'refunds.create.unknown-order',
    title: 'A refund of an order that does not exist is refused with HTTP 404, or as malformed',
    requirements: ['refunds.errors.order-not-found', 'refunds.errors.malformed-order-id', 'refunds.errors.refused'],
    needs: ['paid-order'],
    async run(context) {
      const { client, order } = await standingRefund(context);
      const unknown = alteredId(order.orderId);
      // The platform's ids may keep rules that only it knows, such as a check digit: a made-up one may be malformed.
      const status = [404, 400];
      const what = 'a refund of an order that does not exist';
      await expectRefundRefused(client, refundRequest(context, unknown), what, { status });
      for (const length of [65, 300]) {
        const long = refundRequest(context, unknown.padEnd(length, '0'));
        const refusal = { status, requirement: 'refunds.errors.malformed-order-id' } as const;
        await expectRefundRefused(client, long, `${what}, under an id of ${length} characters`, refusal);
      }
    },
  },
  {
    id: 'refunds.create.other-merchant',
    title: "A merchant cannot refund another merchant's order, and is answered as if there were none",
    requirements: ['refunds.create.other-merchant', 'refunds.errors.order-not-found', 'refunds.errors.refused'],
    needs: ['paid-order', 'other-merchant'],
    async run(context) {
      const { client: owner } = await standingRefund(context);
      const stranger = await context.merchant('other');
      const other = refundsClient(context, stranger);
      const { orderId } = await foreignOrder(context, stranger, () => unrefundedOrder(context));
      const request = refundRequest(context, orderId);
      const refusal = { status: 404, requirement: 'refunds.errors.order-not-found' } as const;
      await expectRefundRefused(other, request, "a refund of another merchant's order", refusal);
      const ofOwner = await owner.query({ acquiringOrderId: orderId });
      expectRefused(ofOwner, 'a query for a refund of the order', 'refunds.errors.refused');
    },
  },
];

const observed: readonly CheckDeclaration[] = [
  {
    id: 'refunds.create.second',
    title: 'Whether an order can be refunded again while its refund is under way, and after it is over',
    requirements: ['refunds.create.second'],
    needs: ['order-events', 'refund-events'],
    async run(context) {
      const states = ['PENDING', 'SUCCEEDED', 'FAILED', 'CLOSED'] as const;
      const answers = await Promise.all(
        states.map((state) =>
          secondRefund(context, state).catch((error: unknown) => {
            if (error instanceof PermittedChoice) return undefined;
            throw error;
          }),
        ),
      );
      const seen = answers.map((answer, index) => `${states[index]}: ${answer ? summary(answer) : 'not reached'}`);
      const [pending, succeeded, ...ended] = answers.map((answer) => answer && isAccepted(answer));
      const given = answers.filter((answer) => answer !== undefined);
      const after = ended.filter((each) => each !== undefined);
      const value = after.every(Boolean) ? 'after-failure' : after.some(Boolean) ? null : 'never';
      context.observeIn(given, 'refund-second', seen.join('; '), pending || succeeded ? null : value);
    },
  },
  {
    id: 'refunds.create.second.after-success',
    title: 'An order whose refund has SUCCEEDED is not refunded again under another merchantRefundOrderId',
    requirements: ['refunds.create.second-after-success'],
    needs: ['order-events', 'refund-events'],
    async run(context) {
      const merchant = await context.ownMerchant();
      const refunded = async (order?: PaidOrder | AnyMadeOrder) => {
        const first = await makeRefund(context, merchant, order && { order });
        await bringRefundTo(context, first, 'SUCCEEDED');
        return first;
      };
      /** An order whose first refund has FAILED, and whose second one has SUCCEEDED. */
      const refundedAtLast = async () => {
        const first = await makeRefund(context, merchant);
        await bringRefundTo(context, first, 'FAILED');
        return refunded(first.order);
      };
      const others = await paidOtherwise(context, merchant);
      const made = await sideBySide([
        refunded(),
        // Whether an order can be refunded after a refund that FAILED is not said.
        ifTaken(refundedAtLast()),
        // Whether a checkout order can be refunded is not said, and whether a driver can pay from an exchange is its own matter.
        ...others.map((order) => ifTaken(refunded(order))),
      ]);
      const refunds = made.flatMap((each) => each ?? []);
      const again = (when: string) =>
        sideBySide(
          refunds.map(async ({ client, order }) => {
            const answer = await client.create(refundRequest(context, order.orderId));
            expectRefused(answer, `a further refund of an order that was refunded${when}`);
          }),
        );
      await again('');
      if (!context.has('clock')) return;
      await context.advanceClock(merchant, threeDays);
      await again(' three days ago');
    },
  },
  {
    id: 'refunds.create.checkout-orders',
    title: 'Whether a checkout order can be refunded',
    requirements: ['refunds.create.checkout-orders'],
    needs: ['order-events'],
    async run(context) {
      if (!context.has('checkout')) throw new NotApplicable('the target has no checkout orders');
      await makeRefund(context, await context.merchant());
      const { merchant, orderId } = await makeCheckoutOrderIn(context, 'SUCCEEDED');
      const answer = await refundsClient(context, merchant).create(refundRequest(context, orderId));
      context.observeIn(answer, 'refund-checkout-orders', summary(answer), isAccepted(answer) ? 'allowed' : 'refused');
    },
  },
  {
    id: 'refunds.create.id-namespace',
    title: 'Whether two merchants can have refunds of the same merchantRefundOrderId',
    requirements: ['refunds.create.id-namespace'],
    needs: ['order-events', 'other-merchant'],
    async run(context) {
      const { request } = await makeRefund(context, await context.merchant());
      const other = await context.merchant('other');
      const order = await makePaidOrder(context, other);
      const { merchantRefundOrderId } = request;
      const answer = await refundsClient(context, other).create(
        refundRequest(context, order.orderId, { merchantRefundOrderId }),
      );
      context.observeIn(
        answer,
        'id-namespaces',
        `a refund under another merchant's merchantRefundOrderId: ${summary(answer)}`,
      );
    },
  },
  {
    ...unknownField('refunds', 'merchantRefundOrderId', async (context) => {
      const merchant = await context.merchant();
      const client = refundsClient(context, merchant);
      const [order, another] = [await makePaidOrder(context, merchant), await makePaidOrder(context, merchant)];
      const request = { ...refundRequest(context, order.orderId) };
      return { request, other: { ...refundRequest(context, another.orderId) }, send: client.createAnything };
    }),
    needs: ['order-events'],
  },
  {
    id: 'refunds.create.text-forms',
    title: 'What ids and reasons of unusual text are answered with',
    requirements: ['refunds.create.refund-reason.english', 'refunds.create.merchant-refund-order-id.form'],
    needs: ['order-events'],
    async run(context) {
      const forms: [string, Partial<RefundCreateRequest>][] = [
        ['a reason in other letters', { refundReason: 'Zwrot — 返品されました' }],
        ['an empty reason', { refundReason: '' }],
        ['an id of 300 characters', { merchantRefundOrderId: context.newOrderId().padEnd(300, 'a') }],
        ['an id with a space and other letters', { merchantRefundOrderId: `${context.newOrderId()} ż` }],
        ['an id with a control character', { merchantRefundOrderId: `${context.newOrderId()}\u0007` }],
      ];
      const answers = await Promise.all(forms.map(([, changes]) => create(context, changes)));
      const seen = forms.map(([what], index) => {
        const answer = answers[index]?.answer;
        return `${what}: ${answer ? summary(answer) : 'no answer'}`;
      });
      context.observeIn(
        answers.map(({ answer }) => answer),
        'field-forms',
        seen.join('; '),
      );
    },
  },
];

export const refundsCreateChecks: readonly CheckDeclaration[] = [...accepted, ...refused, ...observed];
