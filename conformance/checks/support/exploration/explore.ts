import fc from 'fast-check';
import { refundsMachine } from '../../../../generated/catalogue.ts';
import type { CheckContext } from '../../../check/context.ts';
import { Broken, Inconclusive } from '../../../errors/outcomes.ts';
import {
  createOrder,
  createRefund,
  expectAll,
  orderEvent,
  passTime,
  refundEvent,
  repeatCreate,
  repeatRefund,
  type Step,
  type World,
} from './actions.ts';
import { type Model, openingBalance } from './model.ts';

/** How many sequences are tried, and how many steps each has at most. */
const sequences = 6;
const mostSteps = 60;

/** How many more are tried to find the shortest one that fails. */
const shorterSequences = 30;

/** What a sequence is about. */
export type Subject = 'orders' | 'checkout' | 'refunds';

/** Lengths of time that pass, in seconds: too short for an order to expire, long enough, and beyond a day. */
const spans = [60, 2000, 90_000];

/**
 * Takes random sequences of steps, over several orders or refunds of merchants of their own, and holds the target against
 * the model after each step. Throws `Broken` with the shortest sequence that was found to show what is wrong.
 */
export async function explore(context: CheckContext, subject: Subject): Promise<void> {
  let interrupted: unknown;
  let walks = 0;
  const sequence = fc.commands(stepsFor(context, subject), { maxCommands: mostSteps, size: 'max' });
  const property = fc.asyncProperty(sequence, async (commands) => {
    walks += 1;
    if (walks > sequences + shorterSequences) return;
    try {
      await walk(context, commands);
    } catch (error) {
      if (error instanceof Broken) throw error;
      interrupted ??= error;
    }
  });
  const seed = Math.floor(context.random() * 2 ** 31);
  const { counterexample } = await fc.check(property, { seed, numRuns: sequences });
  const [shortest] = counterexample ?? [];
  if (!shortest) {
    if (interrupted) throw interrupted;
    return;
  }
  // Once more, so that the exchanges of the report are those of the shortest sequence.
  await walk(context, shortest);
  throw new Inconclusive('a sequence of steps failed, and did not when it was taken again');
}

type Command = fc.AsyncCommand<Model, World>;

/** Takes the steps, on a merchant of their own. A failure says which steps led there. */
async function walk(context: CheckContext, commands: Iterable<Command>): Promise<void> {
  context.transport.forget();
  const balances = { USDT: openingBalance, USDC: openingBalance, USD1: openingBalance };
  const world: World = { context, merchant: await context.ownMerchant({ balances }), taken: [] };
  const model: Model = { now: 0, orders: [], refunds: [] };
  try {
    await fc.asyncModelRun(() => ({ model, real: world }), commands);
    await expectAll(model, world);
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
    const { message, expected, actual, requirement, exchange } = error;
    const steps = world.taken.map((step, index) => `${index + 1}. ${step}`).join('; ');
    throw new Broken(`${message} after: ${steps}`, {
      expected: `${expected}, after: ${steps}`,
      actual,
      ...(requirement && { requirement }),
      ...(exchange !== undefined && { exchange }),
    });
  }
}

/** The steps that can be taken on this target; what stands there several times comes up more often. */
function stepsFor(context: CheckContext, subject: Subject): fc.Arbitrary<Command>[] {
  const pick = fc.nat({ max: 7 });
  const paying = fc.constantFrom('due', 'due', 'less', 'more');
  const otherEvents = fc.constantFrom('payment_failed', 'cancelled');
  const refundEvents = fc.constantFrom(...refundsMachine.events.filter((event) => event !== 'accepted'));
  const product = subject === 'checkout' ? 'checkout' : 'orders';

  const make = pick.map((which) => createOrder(product, which));
  const detect = fc.tuple(pick, paying).map(([which, how]) => orderEvent(which, 'transaction_detected', how));
  const confirm = pick.map((which) => orderEvent(which, 'payment_confirmed', 'due'));
  const happen = fc.tuple(pick, otherEvents).map(([which, event]) => orderEvent(which, event, 'due'));
  const moveRefund = fc.tuple(pick, refundEvents).map(([which, event]) => refundEvent(which, event));
  const steps = [
    [make, make, make, detect, detect, detect, confirm, confirm, confirm, happen],
    product === 'checkout' ? [pick.map(repeatCreate)] : [],
    context.has('clock') ? [fc.constantFrom(...spans).map(passTime)] : [],
    subject === 'refunds' ? [pick.map(createRefund), pick.map(createRefund), pick.map(repeatRefund)] : [],
    subject === 'refunds' && context.has('refund-events') ? [moveRefund, moveRefund] : [],
  ];
  return steps.flat().map((each: fc.Arbitrary<Step>) => each.map(commandOf));
}

function commandOf(step: Step): Command {
  return {
    check: (model) => step.possible(model),
    run: (model, world) => step.take(model, world),
    toString: () => 'a step',
  };
}
