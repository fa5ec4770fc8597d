import { ordinaryAmount } from '../../arrange/orders/orders.ts';
import { merchantWithBalance, tooMuch } from '../../arrange/refunds/balances.ts';
import { needDeduction, needTaking } from '../../arrange/refunds/fees.ts';
import type { PaidOrder } from '../../arrange/refunds/paid-order.ts';
import { makeOrderPaidAt } from '../../arrange/refunds/paid-orders.ts';
import { bringRefundTo, type MadeRefund, makeRefund, refundRequest } from '../../arrange/refunds/refunds.ts';
import { sideBySide, whereReached } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectAccepted, expectRefused, isAccepted } from '../../check/expect.ts';
import { addDecimals, compareDecimals, subtractDecimals } from '../../contract/decimals.ts';
import { Inconclusive, PermittedChoice } from '../../errors/outcomes.ts';
import type { Answer } from '../../wire/exchange.ts';
import { expectInsufficient } from '../support/insufficient-balance.ts';

const { value: price } = ordinaryAmount;

/** What two usual orders cost together. */
const doublePrice = addDecimals([price, price]);

type UnpaidEnd = 'FAILED' | 'CLOSED';

/** What refunds of a usual order, and of one that costs twice as much, take, as decimal text. */
interface Taken {
  usual: string;
  double: string;
}

const larger = (one: string, other: string) => (compareDecimals(one, other) < 0 ? other : one);

async function takenHere(context: CheckContext): Promise<Taken> {
  const merchant = await merchantWithBalance(context, tooMuch);
  const taken = async (value: string) => {
    const order = await makeOrderPaidAt(context, merchant, value);
    return needDeduction((await makeRefund(context, merchant, { order })).created);
  };
  const [usual, double] = await Promise.all([taken(price), taken(doublePrice)]);
  return { usual, double };
}

/**
 * A merchant whose balance covers so many refunds of usual orders and not one more, with an account of what is left of it. Whether what a
 * refund had reserved that FAILED or was CLOSED is given back is open, so that part of it may be left or not, until a refund has shown which.
 */
class Course {
  readonly #context: CheckContext;
  readonly #first: PaidOrder;
  readonly #taken: string;
  readonly #count: number;
  readonly #done: string[] = [];
  readonly #givesBack = new Set<UnpaidEnd>();
  readonly #perhaps: Record<UnpaidEnd, string> = { FAILED: '0', CLOSED: '0' };
  /** What is left at least. */
  #left: string;
  /** An order that no refund was made of yet. It is refunded anew until that is accepted. */
  #next: PaidOrder | undefined;

  private constructor(context: CheckContext, first: PaidOrder, { taken, count }: { taken: string; count: number }) {
    this.#context = context;
    this.#first = first;
    this.#next = first;
    this.#taken = taken;
    this.#count = count;
    this.#left = Course.#balanceFor(taken, count);
  }

  /** A target may ask that the whole price is there, and take less of it. */
  static #balanceFor = (taken: string, count: number) =>
    addDecimals([...Array.from({ length: count - 1 }, () => taken), larger(taken, price)]);

  static async begin(context: CheckContext, taken: string, count: number): Promise<Course> {
    const merchant = await merchantWithBalance(context, Course.#balanceFor(taken, count));
    return new Course(context, await makeOrderPaidAt(context, merchant), { taken, count });
  }

  get merchant() {
    return this.#first.merchant;
  }

  /** What is left at most. */
  get most(): string {
    return addDecimals([this.#left, this.#perhaps.FAILED, this.#perhaps.CLOSED]);
  }

  /** What has happened, as the end of a sentence. */
  get words(): string {
    return `from a balance for ${this.#count}, after ${this.#done.join(', ') || 'nothing else'}`;
  }

  /** Refunds the next usual order. Fails unless it is accepted where what is left covers it, and refused where it does not; the refund, where it was made. */
  async refund(): Promise<MadeRefund | undefined> {
    const order = this.#next ?? (await makeOrderPaidAt(this.#context, this.merchant));
    this.#next = order;
    let answer: Answer | undefined;
    const judge = (created: Answer) => {
      answer = created;
      const what = `a refund of ${price} ${this.words}`;
      if (compareDecimals(this.#taken, this.most) > 0) expectInsufficient(created, what);
      else if (compareDecimals(larger(this.#taken, price), this.#left) <= 0) {
        expectAccepted(created, what, 'refunds.create.accepted');
      }
      if (!isAccepted(created)) throw new Inconclusive('what is left may not cover it');
    };
    const made = await makeRefund(this.#context, this.merchant, { order }, judge).catch((error: unknown) => {
      if (error instanceof Inconclusive && answer && !isAccepted(answer)) return undefined;
      throw error;
    });
    this.#done.push(made ? 'one that is made' : 'one that is refused');
    if (!made) return undefined;
    this.#next = undefined;
    needTaking(made.created, this.#taken);
    this.take(this.#taken);
    return made;
  }

  /** Adds something to what has happened. */
  note(words: string): void {
    this.#done.push(words);
  }

  /** Counts what a refund has taken. */
  take(taken: string): void {
    const open = (['FAILED', 'CLOSED'] as const).filter((end) => compareDecimals(this.#perhaps[end], '0') > 0);
    const [end] = open;
    // Then it has taken what another one has given back, and that has shown that such ones do.
    if (end && open.length === 1 && compareDecimals(taken, this.#left) > 0) {
      this.#givesBack.add(end);
      this.#left = addDecimals([this.#left, this.#perhaps[end]]);
      this.#perhaps[end] = '0';
    }
    this.#left = subtractDecimals(this.#left, taken);
  }

  /** Brings a refund that takes so much to its end. Throws `PermittedChoice` where it cannot be CLOSED. */
  async end(refund: MadeRefund, state: 'SUCCEEDED' | UnpaidEnd, taken = this.#taken): Promise<void> {
    await bringRefundTo(this.#context, refund, state);
    this.#done.push(`one that is ${state}`);
    if (state === 'SUCCEEDED') return;
    if (this.#givesBack.has(state)) this.#left = addDecimals([this.#left, taken]);
    else this.#perhaps[state] = addDecimals([this.#perhaps[state], taken]);
  }

  /** Sends creates of refunds again, which makes none. */
  async repeat(...refunds: readonly MadeRefund[]): Promise<void> {
    for (const { client, request } of refunds) await client.create(request);
    this.#done.push('the same creates again');
  }

  /** As many refunds as the balance covers, which are all under way. */
  async refundAll(): Promise<MadeRefund[]> {
    const made: MadeRefund[] = [];
    while (made.length < this.#count) made.push((await this.refund()) ?? fewer());
    return made;
  }
}

const fewer = () => {
  throw new Inconclusive('the balance covers fewer refunds than what they take comes to');
};

/** Refunds that are under way at once and end in these states one after the other. After each end, two more are tried. */
async function endEach(
  context: CheckContext,
  { usual }: Taken,
  ends: readonly ('SUCCEEDED' | UnpaidEnd)[],
): Promise<void> {
  const course = await Course.begin(context, usual, ends.length);
  const refunds = await course.refundAll();
  await course.refund();
  for (const [index, refund] of refunds.entries()) {
    await course.end(refund, ends[index] ?? 'SUCCEEDED');
    for (let tries = 0; tries < 2; tries += 1) {
      const further = await course.refund();
      // What was given back once and is taken for good then is never there again.
      if (further && tries === 0) await course.end(further, 'SUCCEEDED');
    }
  }
  await course.repeat(...refunds);
  await course.refund();
}

/** A refund that FAILED, others from what it gave back, a second one of its order that is not covered any more, and one that still is. */
async function refuseSecond(context: CheckContext, { usual, double }: Taken): Promise<void> {
  const course = await Course.begin(context, usual, 3);
  const order = await makeOrderPaidAt(context, course.merchant, doublePrice);
  const first = await makeRefund(context, course.merchant, { order });
  needTaking(first.created, double);
  course.take(double);
  await course.end(first, 'FAILED', double);
  if (!(await course.refund()) || !(await course.refund()) || compareDecimals(double, course.most) <= 0) return;
  const second = await first.client.create(refundRequest(context, order.orderId));
  const what = `a second refund of an order of ${doublePrice}, whose first one FAILED, ${course.words}`;
  expectRefused(second, what, 'refunds.create.reserves-funds');
  course.note('a second one of an order that is refused');
  await course.refund();
}

/** Checks that each step of a longer course of refunds leaves just what it should of a balance. */
export const balanceCourseChecks: readonly CheckDeclaration[] = [
  {
    id: 'refunds.balance.course',
    long: true,
    title:
      'Refunds that are under way at once, end one after the other in every way and are tried in between use up a balance to the last, and nothing beyond it',
    requirements: [
      'refunds.create.reserves-funds',
      'refunds.create.accepted',
      'refunds.errors.insufficient-balance',
      'refunds.errors.business',
    ],
    needs: ['order-events', 'own-merchant', 'refund-events'],
    async run(context) {
      const taken = await takenHere(context);
      // Otherwise what is left where all is taken may cover one more.
      if (compareDecimals(addDecimals([taken.usual, taken.usual]), price) <= 0) {
        throw new PermittedChoice(`a refund of ${price} takes ${taken.usual} only (open point refund-deduct-amount)`);
      }
      await sideBySide([
        endEach(context, taken, ['SUCCEEDED', 'SUCCEEDED']),
        endEach(context, taken, ['FAILED', 'SUCCEEDED', 'FAILED']),
        endEach(context, taken, ['SUCCEEDED', 'FAILED', 'SUCCEEDED']),
        // Whether a refund can be CLOSED is open.
        whereReached(endEach(context, taken, ['SUCCEEDED', 'CLOSED', 'CLOSED'])),
        refuseSecond(context, taken),
      ]);
    },
  },
];
