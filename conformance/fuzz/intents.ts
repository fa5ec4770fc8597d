import type { operations } from '../../generated/sandbox-control.ts';
import { contract as control } from '../../generated/sandbox-control-contract.ts';
import { atPointer, isObject, type JsonObject } from '../contract/json.ts';
import type { Credentials } from '../drivers/driver.ts';
import { type Dice, diceOf } from './dice.ts';
import { type FuzzWorld, receiverPaths } from './world.ts';

/** A right request, before anything is changed. */
export interface Intent {
  what: string;
  method: string;
  path: string;
  query?: string;
  body?: JsonObject;
  /** Values that can stand in the body. */
  values: ReturnType<FuzzWorld['bodies']['right']>['pool']['values'];
  /** Who signs it. `control`: a request of the control API. */
  as: Credentials | 'control';
}

/**
 * The list of requests is made of cycles of eight rounds. In each round the first `stories` places tell one step each of a story:
 * an order that is created, paid and refunded. The other places are free. A step comes a whole round after the one before it, so that the
 * answer to that has come, however many connections there are.
 */
const round = 256;
const stories = 96;
const steps = ['create', 'detect', 'pay', 'refund', 'start', 'end', 'query', 'webhooks'] as const;
/** How many requests a cycle has. */
export const cycle = round * steps.length;

/** An order of the list, by the number of the request that creates it. */
interface Story {
  first: number;
  product: 'hosted' | 'checkout';
  merchant: Credentials;
  merchantOrderId: string;
  merchantRefundOrderId: string;
}

function storyOf(first: number, world: FuzzWorld): Story {
  const dice = diceOf(`${world.seed} story ${first}`);
  return {
    first,
    product: dice.pick(['hosted', 'checkout']),
    merchant: dice.pick(world.merchants.steady),
    merchantOrderId: `fuzz-${world.seed}-${String(first).padStart(14, '0')}`,
    merchantRefundOrderId: `fuzz-refund-${world.seed}-${first}`,
  };
}

/** What the request with this number is, before it is changed, and whether it is a step of a story. */
export function intentOf(number: number, world: FuzzWorld, dice: Dice): { intent: Intent; isStep: boolean } {
  const [place, index] = [number % round, Math.floor(number / round) % steps.length];
  const step = steps[index];
  if (step !== undefined && place < stories) {
    return { intent: told(storyOf(number - index * round, world), step, world, dice), isStep: true };
  }
  // The stories of this cycle have begun after its first round.
  const begun = Math.floor(number / cycle) - (index === 0 ? 1 : 0);
  const story = storyOf(Math.max(0, begun - dice.below(2)) * cycle + dice.below(stories), world);
  return { intent: free(number, story, world, dice), isStep: false };
}

function told(story: Story, step: (typeof steps)[number], world: FuzzWorld, dice: Dice): Intent {
  switch (step) {
    case 'create':
      return createOrder(story, world, dice);
    case 'detect':
      return orderEvent(story, { type: 'transaction_detected' }, world);
    case 'pay':
      return orderEvent(story, { type: dice.chance(0.9) ? 'payment_confirmed' : 'payment_failed' }, world);
    case 'refund':
      return createRefund(story, world, dice);
    case 'start':
      return refundEvent(story, { type: 'processing_started' }, world);
    case 'end':
      return refundEvent(story, { type: dice.pick(['completed', 'completed', 'failed', 'closed']) }, world);
    case 'query':
      return dice.pick([queryOrder, queryRefund, batchQuery])(story, world, dice);
    case 'webhooks':
      return dice.pick([paymentMethods, batchQuery, queryRefund])(story, world, dice);
  }
}

/** Any operation at all, of a story's order or of a new one. */
function free(number: number, story: Story, world: FuzzWorld, dice: Dice): Intent {
  const odd = {
    ...story,
    first: number,
    merchant: dice.pick(world.merchants.odd),
    merchantOrderId: `fuzz-odd-${world.seed}-${String(number).padStart(12, '0')}`,
  };
  const kind = dice.below(100);
  if (kind < 20) return createOrder(dice.chance(0.5) ? odd : story, world, dice);
  if (kind < 34) return queryOrder(story);
  if (kind < 44) return createRefund(story, world, dice);
  if (kind < 54) return queryRefund(story, world, dice);
  if (kind < 62) return batchQuery(story, world, dice);
  if (kind < 68) return paymentMethods(dice.chance(0.5) ? odd : story);
  if (kind < 78) return orderEvent(story, example('OrderEvent', dice), world);
  if (kind < 86) return refundEvent(story, example('RefundEvent', dice), world);
  if (kind < 90) return controlRequest('createMerchant', 'POST', '/merchants', example('MerchantSettings', dice));
  const of = `/merchants/${odd.merchant.merchantId}`;
  if (kind < 93)
    return controlRequest('advanceClock', 'POST', `${of}/clock`, { advanceSeconds: 1 + dice.below(10_000) });
  if (kind < 96) return controlRequest('listDeliveries', 'GET', `${of}/deliveries`);
  if (kind < 98) return controlRequest('replayDelivery', 'POST', `${of}/deliveries/dlv.${dice.below(1000)}/replay`);
  return controlRequest('getCapabilities', 'GET', '/');
}

function createOrder({ product, merchant, merchantOrderId }: Story, world: FuzzWorld, dice: Dice): Intent {
  const operation = product === 'hosted' ? 'orders.create' : 'checkout.create';
  const own = {
    merchantOrderId,
    expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
    ...(product === 'checkout' && dice.chance(0.2) && { callbackUrl: webhookAddress(world, dice) }),
  };
  const { body, pool } = world.bodies.right(operation, own, dice);
  return signed(merchant, operation, 'POST', product === 'hosted' ? '/orders' : '/checkout/orders', {
    body,
    values: pool.values,
  });
}

function createRefund(story: Story, world: FuzzWorld, dice: Dice): Intent {
  const own = {
    merchantRefundOrderId: story.merchantRefundOrderId,
    acquiringOrderId: orderIdOf(story, world),
    ...(dice.chance(0.2) && { notifyUrl: webhookAddress(world, dice) }),
  };
  const { body, pool } = world.bodies.right('refunds.create', own, dice);
  return signed(story.merchant, 'refunds.create', 'POST', '/refunds', { body, values: pool.values });
}

function queryOrder({ product, merchant, merchantOrderId }: Story): Intent {
  const [operation, root] = product === 'hosted' ? ['orders.query', '/orders'] : ['checkout.query', '/checkout/orders'];
  return signed(merchant, operation, 'GET', `${root}/${merchantOrderId}`);
}

function queryRefund(story: Story, world: FuzzWorld, dice: Dice): Intent {
  const query = dice.pick([
    `merchantRefundOrderId=${story.merchantRefundOrderId}`,
    `refundOrderId=${refundIdOf(story, world)}`,
    `acquiringOrderId=${orderIdOf(story, world)}`,
  ]);
  return signed(story.merchant, 'refunds.query', 'GET', '/refunds', { query });
}

function batchQuery({ merchant, merchantRefundOrderId }: Story, world: FuzzWorld, dice: Dice): Intent {
  const own = { merchantRefundOrderIds: [merchantRefundOrderId, 'unknown'] };
  const { body, pool } = world.bodies.right('refunds.batch-query', own, dice);
  return signed(merchant, 'refunds.batch-query', 'POST', '/refunds/batch-query', { body, values: pool.values });
}

function paymentMethods({ merchant }: Story): Intent {
  return signed(merchant, 'checkout.payment-methods', 'GET', '/checkout/payment-methods');
}

function orderEvent(story: Story, event: JsonObject, world: FuzzWorld): Intent {
  const path = `/merchants/${story.merchant.merchantId}/orders/${orderIdOf(story, world)}/events`;
  return controlRequest('sendOrderEvent', 'POST', path, event);
}

function refundEvent(story: Story, event: JsonObject, world: FuzzWorld): Intent {
  const path = `/merchants/${story.merchant.merchantId}/refunds/${refundIdOf(story, world)}/events`;
  return controlRequest('sendRefundEvent', 'POST', path, event);
}

function signed(
  as: Credentials,
  what: string,
  method: string,
  path: string,
  more: Partial<Pick<Intent, 'query' | 'body' | 'values'>> = {},
): Intent {
  return { what, method, path: `/api/v1/merchants/${as.merchantId}${path}`, values: [], as, ...more };
}

function controlRequest(what: keyof operations, method: string, path: string, body?: JsonObject): Intent {
  return { what, method, path: `/sandbox/v1${path}`, ...(body && { body }), values: [], as: 'control' };
}

const orderIdOf = ({ first }: Story, world: FuzzWorld) => world.idOf(first) ?? 'ord.unknown';
const refundIdOf = ({ first }: Story, world: FuzzWorld) =>
  world.idOf(first + steps.indexOf('refund') * round) ?? 'ref.unknown';

const webhookAddress = ({ receiver }: FuzzWorld, dice: Dice) => `${receiver}${dice.pick(receiverPaths)}`;

/** An example body of the control API for a schema. */
function example(schema: 'OrderEvent' | 'RefundEvent' | 'MerchantSettings', dice: Dice): JsonObject {
  const found = controlExamples.filter((each) => each.schema.endsWith(`/${schema}`));
  return dice.pick(found).value;
}

const controlExamples = Object.values(isObject(control.paths) ? control.paths : {}).flatMap((path) => {
  const content = atPointer(path, '/post/requestBody/content/application~1json');
  const examples = atPointer(content, '/examples');
  return Object.values(isObject(examples) ? examples : {}).flatMap((each) => {
    const value = atPointer(each, '/value');
    return isObject(value) ? [{ schema: String(atPointer(content, '/schema/$ref')), value }] : [];
  });
});
