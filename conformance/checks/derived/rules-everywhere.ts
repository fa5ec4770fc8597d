import { currencies, limit } from '../../../generated/catalogue.ts';
import type { RequirementId } from '../../../generated/catalogue-ids.ts';
import { checkoutClient } from '../../arrange/checkout-orders/client.ts';
import { createCheckoutOrder } from '../../arrange/checkout-orders/operations.ts';
import { paymentMethodsOf } from '../../arrange/checkout-orders/payment-methods.ts';
import { ordinaryExpiry } from '../../arrange/orders/any-order.ts';
import { createOrder } from '../../arrange/orders/operations.ts';
import { makeOrder, splitInTwo } from '../../arrange/orders/orders.ts';
import { refundsClient } from '../../arrange/refunds/client.ts';
import { batchQueryRefunds, createRefund } from '../../arrange/refunds/operations.ts';
import { makePaidOrder } from '../../arrange/refunds/paid-orders.ts';
import type { ArrangedOperation, PreparedRequest } from '../../arrange/requests/arranged-operation.ts';
import { mostInParts, someAtOnce } from '../../arrange/requests/some-at-once.ts';
import { unusualWays } from '../../arrange/requests/unusual-ways.ts';
import type { WayToSend } from '../../arrange/requests/ways-to-send.ts';
import { ifTaken, sideBySide } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectRefused, isAccepted, statusOf } from '../../check/expect.ts';
import type { Need } from '../../check/needs.ts';
import { addDecimals } from '../../contract/decimals.ts';
import { type JsonObject, setAt } from '../../contract/json.ts';
import type { Credentials, MerchantSettings } from '../../drivers/driver.ts';
import { NotApplicable } from '../../errors/outcomes.ts';
import { probedBody } from '../../values/bodies.ts';
import {
  type ClassedValue,
  classedValues,
  isRequired,
  type ProbedConstraint,
  probedConstraints,
  requirementOf,
} from '../../values/classed-values.ts';
import { printed } from '../../values/printed.ts';
import type { Answer } from '../../wire/exchange.ts';
import { expectRuleRefusal } from '../support/rule-refusals.ts';

// A rule holds for every request, whenever it comes, whichever merchant sends it, and in whichever way it is written.

/** A body that breaks a rule, and in which words. */
interface Break {
  words: string;
  body: JsonObject;
  requirement: RequirementId;
  /** Fails unless it is refused as the contract says. Absent: how is open, or said elsewhere. */
  expectRefusal?(answer: Answer, what: string): void;
}

/** Where a request stands. */
interface Circumstance {
  /** Behind the words for a request. */
  words: string;
  need?: Need;
  settings?: MerchantSettings;
  /** By how much the clock of the merchant is moved before, in seconds. */
  seconds?: number;
  way?: WayToSend;
}

/** Two ways to pay, so that there are pairs which the merchant does not have. */
const twoMethods = [
  { cryptoCurrency: 'USDT', network: 'tron', minAmount: 1, maxAmount: 500 },
  { cryptoCurrency: 'USDC', network: 'eth', minAmount: 2, maxAmount: 50_000 },
] as const satisfies MerchantSettings['paymentMethods'];

const circumstances: readonly Circumstance[] = [
  {
    words: ', 400 days later',
    need: 'clock',
    seconds: 400 * 86_400,
    settings: { paymentMethods: [...twoMethods] },
  },
  {
    words: ', of a merchant whose payments move by themselves',
    need: 'own-merchant',
    settings: { automatic: true, paymentMethods: [...twoMethods] },
  },
  {
    words: ', of a merchant whose refund requests are limited',
    need: 'own-merchant',
    settings: { rateLimit: { requests: 10_000, perSeconds: 1 }, paymentMethods: [...twoMethods] },
  },
  ...unusualWays.map((way) => ({ words: `, ${way.words}`, way })),
];

/** The wrong values of a rule of a field. */
interface WrongValues {
  probed: ProbedConstraint;
  wrong: readonly ClassedValue[];
}

/** The wrong values of each rule of a field that requests must keep, for bodies such as `right`. */
const wrongValues = (operation: ArrangedOperation, right: JsonObject): WrongValues[] =>
  probedConstraints(operation.name)
    // Not every merchant may split an order.
    .filter(({ constraint: { path } }) => path.length > 0 && path[0] !== 'subMerchants')
    .filter(({ constraint }) => requirementOf(constraint).level === 'MUST')
    .map((probed) => {
      const values = classedValues(probed, bodyFor(operation, probed, right));
      return { probed, wrong: values.filter(({ expected }) => expected === 'refused') };
    });

/** A right body in which the field of a rule is there. */
const bodyFor = (
  { name }: ArrangedOperation,
  { constraint, example }: ProbedConstraint,
  right: JsonObject,
): JsonObject => probedBody(right, example, constraint.path, (path) => isRequired({ operation: name, path }));

/** Bodies that break each rule of a field: with its first wrong value, and with another one in each circumstance where there are several. */
function breaksOfFields(
  operation: ArrangedOperation,
  values: readonly WrongValues[],
  right: JsonObject,
  turn: number,
): Break[] {
  return values.flatMap(({ probed, wrong }) => {
    const { constraint } = probed;
    const place = constraint.path.map((step) => (step === '*' ? '0' : step));
    const field = place.join('.');
    return [...new Set([wrong[0], wrong[turn % wrong.length]])].flatMap((each): Break[] => {
      if (!each) return [];
      const { value, valueClass } = each;
      const words =
        value === undefined ? `without ${field}` : `with ${field} = ${printed(value)} (${valueClass.title})`;
      const body = Object(setAt(bodyFor(operation, probed, right), place, value));
      const rule = requirementOf(constraint);
      const expect = operation.name === batchQueryRefunds.name ? undefined : expectRuleRefusal[operation.area];
      return [
        {
          words,
          body,
          requirement: rule.id,
          ...(expect && {
            expectRefusal: (answer: Answer, what: string) => expect(answer, what, rule, constraint.path),
          }),
        },
      ];
    });
  });
}

const hostedBreaks = (right: JsonObject): Break[] => [
  {
    words: 'with sub-merchants whose amounts are less than the price',
    body: { ...right, ...splitInTwo, orderAmount: { value: '9.51', currency: 'USDT' } },
    requirement: 'orders.create.sub-merchants.sum',
  },
];

const minute = 60_000;
const day = limit('checkout.expires-at.farthest', 'max');

async function checkoutBreaks(context: CheckContext, merchant: Credentials, right: JsonObject): Promise<Break[]> {
  const methods = await paymentMethodsOf(checkoutClient(context, merchant));
  const now = context.businessTime(merchant);
  const at = (milliseconds: number) => new Date(now + milliseconds).toISOString();
  const outside = methods.slice(0, 2).map(({ currency, network, maxAmount }): Break => {
    const value = addDecimals([maxAmount, '0.01']);
    return {
      words: `of ${value} ${currency}, where ${maxAmount} is the most`,
      body: { ...right, orderAmount: { value, currency }, network },
      requirement: 'checkout.amount.range',
    };
  });
  const unlisted = currencies
    .flatMap(({ code: currency, networks }) => networks.map((network) => ({ currency, network })))
    .filter((pair) => !methods.some((each) => each.currency === pair.currency && each.network === pair.network))
    .map(
      ({ currency, network }): Break => ({
        words: `of ${currency} over ${network}, which the merchant's list does not have`,
        body: { ...right, orderAmount: { value: '9.5', currency }, network },
        requirement: 'checkout.create.pair',
      }),
    );
  return [
    ...outside,
    ...unlisted.slice(0, 3),
    {
      words: 'with an expiresAt an hour ago',
      body: { ...right, expiresAt: at(-60 * minute) },
      requirement: 'checkout.create.expires-at.future',
    },
    {
      words: 'with an expiresAt an hour beyond 24 hours',
      body: { ...right, expiresAt: at(day + 60 * minute) },
      requirement: 'checkout.create.expires-at.limit',
    },
  ];
}

async function refundBreaks(
  context: CheckContext,
  merchant: Credentials,
  right: JsonObject,
  { automatic = false }: MerchantSettings,
): Promise<Break[]> {
  const expiresAt = ordinaryExpiry(context, merchant);
  const { orderId } = await makeOrder(context, merchant, { expiresAt });
  const underWay = await makeOrder(context, merchant, { expiresAt });
  await context.orderEvent(merchant, underWay.orderId, { type: 'transaction_detected' });
  // What is refused at first may be forgotten the day after.
  if (context.has('clock')) await context.advanceClock(merchant, 2 * 86_400);
  // A payment that moves by itself is confirmed by then, and a query may come to show that only later.
  const isUnderWay = !automatic && statusOf(await underWay.query()) === 'PROCESSING';
  const foreign = context.has('own-merchant') ? [await makePaidOrder(context, await context.ownMerchant())] : [];
  return [
    ...foreign.map(
      (order): Break => ({
        words: 'for an order of another merchant',
        body: { ...right, acquiringOrderId: order.orderId },
        requirement: 'refunds.create.other-merchant',
      }),
    ),
    {
      words: 'for an order whose id is that of a paid one as a number',
      body: { ...right, acquiringOrderId: `0${String(right.acquiringOrderId)}` },
      requirement: 'refunds.errors.order-not-found',
    },
    {
      words: 'for an order that does not exist',
      body: { ...right, acquiringOrderId: `x${orderId.slice(1)}` },
      requirement: 'refunds.errors.order-not-found',
    },
    ...(isUnderWay ? [underWay] : []).map(
      (order): Break => ({
        words: 'for an order whose payment has been under way for days',
        body: { ...right, acquiringOrderId: order.orderId },
        requirement: 'refunds.create.completed-payments',
      }),
    ),
    {
      words: 'for an order that is not paid',
      body: { ...right, acquiringOrderId: orderId },
      requirement: 'refunds.create.completed-payments',
    },
  ];
}

/** A batch query of a merchant that has no refund yet. */
const batchQueryOfNewcomer: ArrangedOperation = {
  ...batchQueryRefunds,
  needs: [],
  prepare: async (context, merchant) => {
    const client = refundsClient(context, merchant);
    const body = { merchantRefundOrderIds: [context.newOrderId()] };
    return { client, request: { method: 'POST', path: client.batchPath }, body };
  },
};

/** An operation, and the rules for its requests that are no rules of single fields. */
interface Ruled {
  operation: ArrangedOperation;
  needs: readonly Need[];
  /** The requirements of `further`. */
  requirements: readonly RequirementId[];
  further(
    context: CheckContext,
    merchant: Credentials,
    right: JsonObject,
    settings: MerchantSettings,
  ): Promise<Break[]>;
}

const ruled: readonly Ruled[] = [
  {
    operation: createOrder,
    needs: [],
    requirements: ['orders.create.sub-merchants.sum'],
    further: async (_context, _merchant, right) => hostedBreaks(right),
  },
  {
    operation: createCheckoutOrder,
    needs: [],
    requirements: [
      'checkout.amount.range',
      'checkout.create.pair',
      'checkout.create.expires-at.future',
      'checkout.create.expires-at.limit',
    ],
    further: checkoutBreaks,
  },
  {
    operation: createRefund,
    needs: ['order-events'],
    requirements: [
      'refunds.create.other-merchant',
      'refunds.errors.order-not-found',
      'refunds.create.completed-payments',
    ],
    further: refundBreaks,
  },
  {
    operation: batchQueryOfNewcomer,
    needs: [],
    requirements: [],
    further: async () => [],
  },
];

/** Sends what breaks each rule in a circumstance, after a right request was accepted there. False where that one is refused, which is judged elsewhere. */
async function expectRulesHeld(
  context: CheckContext,
  { operation, further }: Ruled,
  { words: where, settings = {}, seconds, way }: Circumstance,
  turn: number,
  valuesFor: (right: JsonObject) => readonly WrongValues[],
): Promise<boolean> {
  // A driver may not know every setting.
  const merchant = await ifTaken(context.ownMerchant(settings));
  if (!merchant) return false;
  if (seconds !== undefined) await context.advanceClock(merchant, seconds);
  const prepare = async () => {
    const prepared = await operation.prepare(context, merchant);
    const { body = {} } = prepared;
    const timed = 'expiresAt' in body ? { ...body, expiresAt: ordinaryExpiry(context, merchant) } : body;
    return { ...prepared, body: timed };
  };
  const send = ({ client, request }: PreparedRequest, body: JsonObject) =>
    client.post(request.path, body, way && { way });
  const first = await prepare();
  if (!isAccepted(await send(first, first.body))) return false;
  // The right request has used up what it names.
  const prepared = await prepare();
  const breaks = [
    ...breaksOfFields(operation, valuesFor(prepared.body), prepared.body, turn),
    ...(await further(context, merchant, prepared.body, settings)),
  ];
  const ownId = prepared.makes?.id;
  const sendBroken = async ({ words, body, requirement, expectRefusal }: Break) => {
    const isNamed = ownId !== undefined && body[ownId] === prepared.body[ownId];
    const named = isNamed ? { ...body, [ownId]: context.newOrderId() } : body;
    const what = `${operation.noun} ${words}${where}`;
    const answer = await send(prepared, named);
    expectRefused(answer, what, requirement);
    expectRefusal?.(answer, what);
  };
  await someAtOnce(breaks, sendBroken, way?.inParts && mostInParts);
  return true;
}

function rulesCheck(each: Ruled): CheckDeclaration {
  const { operation, needs, requirements } = each;
  const ofFields = probedConstraints(operation.name)
    .map(({ constraint }) => requirementOf(constraint))
    .filter(({ level }) => level === 'MUST');
  const [first, ...others] = [...new Set([...ofFields.map(({ id }) => id), ...requirements])];
  if (first === undefined) throw new Error(`the contract has no rules for ${operation.name}`);
  return {
    id: `${operation.name}.rules-everywhere`,
    title:
      `${operation.noun} that breaks a rule is refused everywhere: months later, of merchants of every kind, with escapes in its address or its names, and in parts`.replace(
        /^./,
        (letter) => letter.toUpperCase(),
      ),
    requirements: [first, ...others],
    needs,
    long: true,
    async run(context) {
      const here = circumstances.filter(({ need }) => need === undefined || context.has(need));
      // The bodies of all circumstances differ in their ids and times alone, and making their values takes long.
      let values: readonly WrongValues[] | undefined;
      const valuesFor = (right: JsonObject) => {
        values ??= wrongValues(operation, right);
        return values;
      };
      const judged = await sideBySide(
        here.map((circumstance, turn) => expectRulesHeld(context, each, circumstance, turn, valuesFor)),
      );
      if (!judged.includes(true)) throw new NotApplicable('a right request is accepted in none of these circumstances');
    },
  };
}

/** Checks that every rule is held wherever a request stands. */
export const rulesEverywhereChecks: readonly CheckDeclaration[] = ruled.map(rulesCheck);
