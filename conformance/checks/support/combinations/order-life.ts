import { swapCase } from '../../../arrange/authentication/swap-case.ts';
import {
  type AnyMadeOrder,
  awaitedSoon,
  orderLifetime,
  type Product,
  passSoon,
  takeStep,
} from '../../../arrange/orders/any-order.ts';
import { pollFor } from '../../../arrange/requests/bring-to.ts';
import { ifTaken, isFinal, sideBySide } from '../../../arrange/situations/situations.ts';
import { mentionsStatus } from '../../../arrange/webhooks/waiting.ts';
import type { CheckContext } from '../../../check/context.ts';
import { expectThat, isAccepted, seenAt, statusOf } from '../../../check/expect.ts';
import { isDecimalText } from '../../../contract/decimals.ts';
import { valueAt } from '../../../contract/json.ts';
import type { Credentials } from '../../../drivers/driver.ts';
import { type Answer, field } from '../../../wire/exchange.ts';
import type { Mailbox, Webhook } from '../../../wire/mailbox.ts';
import { expectAnnounced } from '../announced.ts';
import type { Course, Happening } from './courses.ts';
import { type Feature, merged, type Namesake, type Plan, wordsOf } from './features.ts';
import { expectHeard, leaveUnheard, letWeeksPass, tellingOf } from './lives.ts';

/** Fields of a create that depend on nothing but the features that orders of both products may have. */
export interface FurtherFields {
  merchantOrderId?: string;
  expiresAt: string;
  callbackUrl?: string;
}

/** What sends creates and queries. */
interface Client {
  createAnything(body: unknown): Promise<Answer>;
  query(id: string): Promise<Answer>;
}

/** An order whose create can be sent again. */
interface MadeOrder extends AnyMadeOrder {
  client: Client;
  request: { merchantOrderId: string };
}

/** How orders of a product are made. */
export interface Making<ProductFeature extends Feature> {
  product: Product;
  noun: string;
  /** A merchant that nobody else uses and that can have an order with these features. `undefined`: there is none. */
  merchantFor(context: CheckContext, features: readonly ProductFeature[]): Promise<Credentials | undefined>;
  /** Makes an order with these features. A refusal is `Inconclusive`. */
  make(
    context: CheckContext,
    merchant: Credentials,
    features: readonly ProductFeature[],
    further: FurtherFields,
  ): Promise<MadeOrder>;
  /** Creates and queries as a merchant. */
  clientOf(context: CheckContext, merchant: Credentials): Client;
  /** Makes an order under an id for which nothing else matters. */
  makeUsual(context: CheckContext, merchant: Credentials, merchantOrderId: string): Promise<AnyMadeOrder>;
  /** The same of the other product. */
  makeOther(context: CheckContext, merchant: Credentials, merchantOrderId: string): Promise<AnyMadeOrder>;
}

/** An order that has features, and where its webhooks come. */
interface Living {
  order: MadeOrder;
  plan: Plan;
  mailbox: Mailbox | undefined;
  namesake?: AnyMadeOrder | undefined;
}

/** How long after an order its namesake is made, in seconds. */
const betweenNamesakes = 60;

/** How far behind the end of its time an order is that has expired, in seconds. */
const behindExpiry = 15;

/**
 * Makes an order with features of a merchant of its own, and leads it through its course. Fails when it does not come to the end that the contract
 * gives it, or when an event that was not acknowledged is not sent again. Whatever else it shows on its way is judged by the rules over the whole run.
 */
export function leadOrder<ProductFeature extends Feature>(
  context: CheckContext,
  making: Making<ProductFeature>,
  features: readonly ProductFeature[],
): Promise<void> {
  const what = `${making.noun} ${wordsOf(features)}`;
  return tellingOf(what, async () => {
    const living = await begin(context, making, features);
    if (!living) return;
    const { order, plan, mailbox } = living;
    const { merchant, product } = order;
    // Whether it is found by the platform's id is open; the rules over the whole run see whether others are.
    if (plan.isAskedBefore) await sideBySide([order.query(), order.client.query(order.orderId)]);
    if (plan.quietTime !== undefined) await context.advanceClock(merchant, plan.quietTime);
    const { course } = plan;
    const repeat = plan.isRepeated ? () => sendAgain(context, living) : undefined;
    const view = course && (await lead(context, living, course, repeat));
    if (!course || !view) return;
    expectEnd(view, course, what);
    const ending = String(statusOf(view));
    // The event may wait for its next attempt meanwhile.
    await repeat?.();
    if (plan.isUnheard && mailbox) await expectHeard(context, { area: product, merchant, mailbox, ending });
    if (mailbox) await expectCourseAnnounced(context, living, course, wordsOf(features));
    await letWeeksPass(context, merchant);
    await sideBySide([order.query(), living.namesake?.query()].flatMap((asked) => asked ?? []));
  });
}

/** Expects the event about the end of an order. Where no clock can be moved, it may be late. */
async function expectCourseAnnounced(
  context: CheckContext,
  { order, mailbox }: Living,
  { ends = [], announced }: Course,
  words: string,
): Promise<void> {
  if (!mailbox || !announced || !context.has('clock')) return;
  const fits = (webhook: Webhook) => ends.some((status) => mentionsStatus(status)(webhook));
  const orders = [{ words, order, mailbox }];
  const end = `which is ${ends.join(' or ')}`;
  await expectAnnounced(context, { merchant: order.merchant, orders, end, fits, requirement: announced });
}

/** Makes the order, and then what shares its id. What a target may refuse is left out then. */
async function begin<ProductFeature extends Feature>(
  context: CheckContext,
  making: Making<ProductFeature>,
  features: readonly ProductFeature[],
): Promise<Living | undefined> {
  const { id, namesake, isSentByAnother, address, isUnheard, course } = merged<Plan>(features);
  const merchant = await making.merchantFor(context, features);
  if (!merchant) return undefined;
  const isHeard = context.has('webhooks') && context.has('webhook-receiver') && !course?.isUnaddressed;
  const mailbox = isHeard ? await (address?.(context) ?? context.mailbox()) : undefined;
  if (isUnheard && mailbox) leaveUnheard(mailbox);
  // What a target remembers of a create it may remember for a moment only.
  const other = isSentByAnother ? await making.merchantFor(context, features) : undefined;
  const makeWith = async (chosen: readonly ProductFeature[]): Promise<Living> => {
    const plan = merged<Plan>(chosen);
    const further = {
      // Without a form of its own it is another one where the create is sent once more without what a target may refuse.
      ...(id && { merchantOrderId: id(context.newOrderId()) }),
      expiresAt: expiryOf(context, merchant, plan),
      ...(mailbox && { callbackUrl: mailbox.url }),
    };
    const order = await making.make(context, merchant, chosen, further);
    // The rules over the whole run see whose order is shown to the other one.
    if (other) await making.clientOf(context, other).createAnything(order.request);
    return { order, plan, mailbox };
  };
  const bound = features.filter(({ isOpen }) => !isOpen);
  const open = bound.length < features.length ? await ifTaken(makeWith(features)) : undefined;
  const living = open ?? (await makeWith(bound));
  if (!namesake) return living;
  // So that the times of the two differ.
  if (context.has('clock')) await context.advanceClock(merchant, betweenNamesakes);
  // Whether two products share their ids is open: the other one may be refused.
  return { ...living, namesake: await ifTaken(makeNamesake(context, making, living.order, namesake)) };
}

const lifetimeOf = ({ lifetime = orderLifetime }: Plan): number => lifetime;

/** When an order of a plan expires, ISO 8601. One whose time is to run out expires so soon that it can be awaited where no clock can be moved. */
function expiryOf(context: CheckContext, merchant: Credentials, plan: Plan): string {
  const runsOut = plan.course?.happenings(context, undefined).includes('time runs out');
  if (runsOut && !context.has('clock')) return awaitedSoon(context).expiresAt;
  return new Date(context.businessTime(merchant) + lifetimeOf(plan) * 1000).toISOString();
}

async function makeNamesake<ProductFeature extends Feature>(
  context: CheckContext,
  { makeUsual, makeOther }: Making<ProductFeature>,
  { merchant, request: { merchantOrderId } }: MadeOrder,
  namesake: Namesake,
): Promise<AnyMadeOrder | undefined> {
  if (namesake === 'of the other product') return makeOther(context, merchant, merchantOrderId);
  if (namesake === 'of another merchant') return makeUsual(context, await context.ownMerchant(), merchantOrderId);
  const similar = swapCase(merchantOrderId);
  return similar === merchantOrderId ? undefined : makeUsual(context, merchant, similar);
}

/** Leads an order through a course; its view then. `undefined`: the driver could not do that. */
async function lead(
  context: CheckContext,
  { order, plan }: Living,
  course: Course,
  repeat?: () => Promise<void>,
): Promise<Answer | undefined> {
  const happenings = course.happenings(context, dueFor(order));
  let isDone = true;
  for (const [place, happening] of happenings.entries()) {
    isDone = await happen(context, order, happening, lifetimeOf(plan));
    if (happening === 'time runs out' && place < happenings.length - 1) await repeat?.();
  }
  // A create that came again may have made another order under the same id of the merchant's.
  const isOther = (answer: Answer) => isAccepted(answer) && field(answer, 'data.orderId') !== order.orderId;
  const hasEnded = (answer: Answer) => isFinal(answer) || isOther(answer);
  const view = await (isDone ? pollFor(context, nameOf(order, happenings), order.query, hasEnded) : order.query());
  // A driver may have no such step, or may not know the means.
  return (isDone || isFinal(view)) && !isOther(view) ? view : undefined;
}

/**
 * Sends the create of an order again, that of a hosted one with an expiry that is still to come, and asks for the order by the platform's id: a hosted
 * create may make another order under the same id of the merchant's. The rules over the whole run judge what they show.
 */
async function sendAgain(context: CheckContext, { order, plan }: Living): Promise<void> {
  const { product, merchant, orderId, client, request } = order;
  const expiresAt = new Date(context.businessTime(merchant) + lifetimeOf(plan) * 1000).toISOString();
  await client.createAnything(product === 'orders' ? { ...request, expiresAt } : request);
  await client.query(orderId);
}

/** Lets something happen to an order. False: the driver has not done it. */
async function happen(
  context: CheckContext,
  order: AnyMadeOrder,
  happening: Happening,
  lifetime: number,
): Promise<boolean> {
  if (happening !== 'time runs out') return (await takeStep(context, order, happening)).done;
  if (context.has('clock')) await context.advanceClock(order.merchant, lifetime + behindExpiry);
  else await passSoon(context, order.merchant);
  return true;
}

/** What is due for an order in a stablecoin, as decimal text. `undefined`: it is priced in USD, or its create does not say. */
function dueFor({ product, created }: AnyMadeOrder): string | undefined {
  const shown = field(created, product === 'orders' ? 'data.orderAmount' : 'data.cryptoPaymentAmount');
  const [value, currency] = [valueAt(shown, ['value']), valueAt(shown, ['currency'])];
  return isDecimalText(value) && currency !== 'USD' ? value : undefined;
}

/** What is waited for, in words that are the same for all checks. */
function nameOf({ product }: AnyMadeOrder, happenings: readonly Happening[]): string {
  const types = happenings.flatMap((each) => (each === 'time runs out' ? [] : each.type));
  return types.length === 0 ? `${product} expire` : `${product} end after ${types.join(', ')}`;
}

function expectEnd(view: Answer, { ends, requirement }: Course, what: string): void {
  if (!ends) return;
  expectThat(ends.includes(String(statusOf(view))), view, {
    expected: `${what}: ${ends.join(' or ')}`,
    actual: seenAt(view, 'data.status'),
    requirement,
  });
}
