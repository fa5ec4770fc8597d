import fc from 'fast-check';
import { refundsMachine } from '../../../../generated/catalogue.ts';
import type { CheckContext } from '../../../check/context.ts';
import type { OperationArea } from '../../../contract/operations.ts';
import { Broken, Inconclusive } from '../../../errors/outcomes.ts';
import {
  type Action,
  askInEveryWay,
  expectAll,
  newOrder,
  newPaidOrder,
  newRefund,
  orderEvent,
  passTime,
  refundEvent,
  repeatCreate,
  repeatRefund,
  type World,
} from './actions.ts';
import { type Model, openingBalance } from './model.ts';

/** How many sequences are tried side by side, and how many actions each has at most. */
const sequences = 12;
const mostActions = 30;

/** The library begins with short ones and with the first of all choices, unless it is told not to. */
const unbiased = true;

/** How many more are tried to find the shortest one that fails. */
const shorterSequences = 30;

/** The part of the whole wait for a change that is enough there: a wait in vain is what is to be shown again. */
const shortWait = 1 / 30;

/** Lengths of time that pass, in seconds: too short for an order to expire, long enough, and beyond a day. */
const spans = [60, 2000, 90_000];

/**
 * Takes random sequences of actions on several orders or refunds of merchants of their own, and compares the target with the
 * model after each action. Throws `Broken` with the shortest sequence found that shows the fault.
 */
export async function explore(context: CheckContext, area: OperationArea): Promise<void> {
  const sequence = fc.commands(actionsFor(context, area), { maxCommands: mostActions, size: 'max' });
  const seed = Math.floor(context.random() * 2 ** 31);
  const walks = fc.sample(sequence, { seed, numRuns: sequences, unbiased }).map((commands) => walk(context, commands));
  const errors = (await Promise.allSettled(walks)).map((each): unknown => {
    return each.status === 'rejected' ? each.reason : undefined;
  });
  const failed = errors.findIndex((error) => error instanceof Broken);
  const failure = errors[failed];
  if (failure instanceof Broken) {
    const shortest = await shortestFrom(context, sequence, { seed, path: String(failed) });
    // The shortest sequence is taken once more, so that the report has its exchanges. It may have failed only because the waits were short.
    for (const again of [shortest, fc.sample(sequence, { seed, path: String(failed), numRuns: 1, unbiased })[0]]) {
      context.transport.forget();
      if (again) await walk(context, again);
    }
    const { actual, expected } = failure;
    throw new Inconclusive(
      `a sequence of actions failed, and did not fail when it was taken again: ${actual}; expected: ${expected}`,
    );
  }
  const interrupted = errors.find((error) => error !== undefined);
  if (interrupted !== undefined) throw interrupted;
}

/** The shortest sequence found that fails, beginning with the one at `path`. `undefined`: that one does not fail again. */
async function shortestFrom(
  context: CheckContext,
  sequence: fc.Arbitrary<Iterable<Command>>,
  start: { seed: number; path: string },
): Promise<Iterable<Command> | undefined> {
  let walks = 0;
  const property = fc.asyncProperty(sequence, async (commands) => {
    walks += 1;
    if (walks > shorterSequences) return;
    await walk(context, commands, shortWait).catch((error: unknown) => {
      if (error instanceof Broken) throw error;
    });
  });
  const { counterexample } = await fc.check(property, { ...start, numRuns: 1, unbiased });
  return counterexample?.[0];
}

type Command = fc.AsyncCommand<Model, World>;

/** Takes the actions on a merchant of their own. A failure names the actions that led to it. */
async function walk(context: CheckContext, commands: Iterable<Command>, share = 1): Promise<void> {
  const balances = { USDT: openingBalance, USDC: openingBalance, USD1: openingBalance };
  const world: World = { context, merchant: await context.ownMerchant({ balances }), taken: [], share };
  const model: Model = { now: 0, orders: [], refunds: [] };
  try {
    await fc.asyncModelRun(() => ({ model, real: world }), commands);
    await expectAll(model, world);
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
    const { message, expected, actual, requirement, exchange } = error;
    const taken = world.taken.map((action, index) => `${index + 1}. ${action}`).join('; ');
    throw new Broken(`${message} after: ${taken}`, {
      expected: `${expected}, after: ${taken}`,
      actual,
      ...(requirement && { requirement }),
      ...(exchange !== undefined && { exchange }),
    });
  }
}

/** The actions that can be taken on this target. One that is listed several times is chosen more often. */
function actionsFor(context: CheckContext, area: OperationArea): fc.Arbitrary<Command>[] {
  const pick = fc.nat({ max: 7 });
  const paying = fc.constantFrom('due', 'due', 'less', 'more');
  const otherEvents = fc.constantFrom('payment_failed', 'cancelled');
  const refundEvents = fc.constantFrom(...refundsMachine.events.filter((event) => event !== 'accepted'));
  const product = area === 'checkout' ? 'checkout' : 'orders';
  // Refunds are those of orders of both products.
  const other = area === 'refunds' && context.has('checkout') ? 'checkout' : product;

  const make = pick.map((which) => newOrder(product, which));
  const makeOther = pick.map((which) => newOrder(other, which));
  const makePaid = fc
    .tuple(fc.constantFrom(product, other), pick, fc.constantFrom('due', 'due', 'more'))
    .map(([which, one, how]) => newPaidOrder(which, one, how));
  const detect = fc.tuple(pick, paying).map(([which, how]) => orderEvent(which, 'transaction_detected', how));
  const confirm = pick.map((which) => orderEvent(which, 'payment_confirmed', 'due'));
  const happen = fc.tuple(pick, otherEvents).map(([which, event]) => orderEvent(which, event, 'due'));
  const refund = pick.map(newRefund);
  const moveRefund = fc.tuple(pick, refundEvents).map(([which, event]) => refundEvent(which, event));
  const ofOrders = [make, makeOther, detect, confirm, happen];
  const ofRefunds = [refund, refund, refund, pick.map(repeatRefund), pick.map(askInEveryWay), pick.map(askInEveryWay)];
  const actions = [
    ofOrders,
    area === 'refunds' ? [makePaid, makePaid, makePaid, ...ofRefunds] : [make, detect, detect, confirm, confirm],
    other === 'checkout' ? [pick.map(repeatCreate)] : [],
    context.has('clock') ? [fc.constantFrom(...spans).map(passTime)] : [],
    area === 'refunds' && context.has('refund-events') ? [moveRefund, moveRefund, moveRefund] : [],
  ];
  return actions.flat().map((each: fc.Arbitrary<Action>) => each.map(commandOf));
}

function commandOf(action: Action): Command {
  return {
    check: (model) => action.possible(model),
    run: (model, world) => action.take(model, world),
    toString: () => 'an action',
  };
}
