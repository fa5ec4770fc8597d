import { makeCheckoutOrder } from '../../arrange/checkout-orders/checkout-orders.ts';
import { type AnyMadeOrder, unpaidStatuses } from '../../arrange/orders/any-order.ts';
import { makeOrder } from '../../arrange/orders/orders.ts';
import { ifTaken, isFinal, sideBySide } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { countJudged, expectThat, needAccepted, seenAt, statusOf } from '../../check/expect.ts';
import { readMoment } from '../../contract/moments.ts';
import { statusesIn } from '../../contract/statuses.ts';
import { PermittedChoice } from '../../errors/outcomes.ts';
import { type Answer, field } from '../../wire/exchange.ts';
import type { Webhook } from '../../wire/mailbox.ts';

// An order waits for its payment to the last second. The time is the target's own: no more has passed since createdAt than the run has waited
// for, and has let pass.

/** In milliseconds. */
const second = 1000;

/** How much business time is let pass, in seconds. */
const passing = 1800;

/**
 * How much of an order's time is left then: less than a second, and as much as slow targets and coarse times need. `beyond`: how far its end lies
 * beyond a whole second, since a target may keep no more of a time, and one that shows more must not end it before. In milliseconds.
 */
const moments = [
  { left: 700, beyond: 0 },
  { left: 1900, beyond: 0 },
  { left: 6000, beyond: 0 },
  { left: 700, beyond: 900 },
] as const;

/** `ends`: where an order may end that nobody has paid. */
const products = [
  { product: 'orders', noun: 'a hosted order', make: makeOrder, ends: ['CLOSED'] },
  { product: 'checkout', noun: 'a checkout order', make: makeCheckoutOrder, ends: unpaidStatuses },
] as const;

/** How long a webhook is awaited at most that comes before an order's time has run out, in milliseconds. A busy target sends late. */
const patience = 2500;

/** True for a webhook that tells of an end which nobody has paid, and of nothing else. */
function saysEnded({ text }: Webhook): boolean {
  const [only, ...others] = statusesIn(text);
  return others.length === 0 && only !== undefined && unpaidStatuses.includes(only);
}

const instantIn = (value: unknown) => readMoment(String(value));

/** Fails where an order has ended although its time has not run out. False where that cannot be told: its times are too coarse, or answers too slow. */
async function expectWaiting(
  context: CheckContext,
  { noun, make }: (typeof products)[number],
  { left, beyond }: (typeof moments)[number],
): Promise<boolean> {
  const merchant = await context.ownMerchant();
  const life = passing * 1000 + left;
  const end = () => context.businessTime(merchant) + life;
  await context.pause(second - ((end() - beyond) % second));
  const expiresAt = new Date(Math.round((end() - beyond) / second) * second + beyond).toISOString();
  const asked = performance.now();
  const mailbox = await context.mailbox();
  const order = await make(context, merchant, { expiresAt, callbackUrl: mailbox.url });
  const [made, expiry] = ['createdAt', 'expiresAt'].map((name) => instantIn(field(order.created, `data.${name}`)));
  if (!made || !expiry) return false;
  await context.advanceClock(merchant, passing);
  const answer = await order.query();
  needAccepted(answer, `a query for ${noun}`);
  const latestNow = () => made.instant + made.precision + passing * 1000 + (performance.now() - asked);
  const latest = latestNow();
  if (latest >= expiry.instant) return false;
  expectThat(!isFinal(answer), answer, {
    expected: `${noun} that nobody pays waits until ${new Date(expiry.instant).toISOString()}, its expiresAt; by its createdAt and the time that has passed, it is ${new Date(latest).toISOString()} at the latest`,
    actual: seenAt(answer, 'data.status'),
  });
  countJudged(context.transport);
  const early = await context.awaitOther(mailbox.first(saysEnded, Math.min(patience, expiry.instant - latest)));
  const cameAt = latestNow();
  if (!early || cameAt >= expiry.instant) return true;
  expectThat(false, early, {
    expected: `no webhook tells of the end of ${noun} that nobody pays before ${new Date(expiry.instant).toISOString()}, its expiresAt`,
    actual: `one tells of it at ${new Date(cameAt).toISOString()} at the latest, by createdAt and the time that has passed`,
    requirement: 'webhooks.order.after-change',
  });
  return true;
}

/**
 * How long orders live that expire almost as soon as they are made, in milliseconds: less than the steps of a coarse timer, and about as long as
 * their create may take.
 */
const shortestLives = [300, 900, 1900, 4900];

/** How much time passes until they have expired, in seconds: where a clock is moved, and where it is waited for. */
const untilExpired = { moved: 60, waited: 6 } as const;

/**
 * Fails where orders have not ended that expire moments after they are made. A target may refuse one, whose time may be over when it looks. False
 * where it has taken none.
 */
async function expectEnded(
  context: CheckContext,
  { product, noun, make, ends }: (typeof products)[number],
): Promise<boolean> {
  const merchant = await context.ownMerchant();
  const made = await sideBySide(
    shortestLives.map(async (life) => {
      const expiresAt = new Date(context.now() + life).toISOString();
      const order = await ifTaken<AnyMadeOrder>(make(context, merchant, { expiresAt }));
      return order ? [{ life, order }] : [];
    }),
  );
  if (context.has('clock')) await context.advanceClock(merchant, untilExpired.moved);
  else await context.pause(untilExpired.waited * 1000);
  const hasEnded = (answer: Answer) => ends.some((end) => end === statusOf(answer));
  await sideBySide(
    made.flat().map(async ({ life, order }) => {
      const answer = await context.poll(order.query, hasEnded);
      expectThat(hasEnded(answer), answer, {
        expected: `${noun} that nobody has paid, and that expired ${life} ms after it was asked for: data.status = ${ends.join(' or ')}`,
        actual: seenAt(answer, 'data.status'),
        requirement: `${product}.states.expired`,
      });
    }),
  );
  return made.flat().length > 0;
}

const shortLived = (each: (typeof products)[number]): CheckDeclaration => ({
  id: `${each.product}.states.short-lived`,
  title: `${each.noun.replace(/^a/, 'A')} that expires moments after it is made has ended then`,
  requirements: [`${each.product}.states.expired`],
  async run(context) {
    if (await expectEnded(context, each)) return;
    throw new PermittedChoice(
      'orders that expire moments after they are made are refused, or come too late to be made',
    );
  },
});

export const lastSecondsChecks: readonly CheckDeclaration[] = products.flatMap((each): CheckDeclaration[] => [
  {
    id: `${each.product}.states.last-seconds`,
    title: `${each.noun.replace(/^a/, 'A')} waits for its payment to the last second of its time, and is not announced as ended before`,
    requirements: [`${each.product}.states.initial`, 'webhooks.order.after-change'],
    needs: ['own-merchant', 'clock'],
    long: true,
    async run(context) {
      const judged = await sideBySide(moments.map((moment) => expectWaiting(context, each, moment)));
      if (!judged.includes(true))
        throw new PermittedChoice('times are too coarse, or answers too slow, to tell seconds');
    },
  },
  shortLived(each),
]);
