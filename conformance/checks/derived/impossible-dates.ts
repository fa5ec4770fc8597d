import { makeCheckoutOrder } from '../../arrange/checkout-orders/checkout-orders.ts';
import type { Product } from '../../arrange/orders/any-order.ts';
import { makeOrder } from '../../arrange/orders/orders.ts';
import { someAtOnce } from '../../arrange/requests/some-at-once.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectRefused, needAccepted } from '../../check/expect.ts';
import type { Credentials } from '../../drivers/driver.ts';
import type { Answer } from '../../wire/exchange.ts';

/** A day of a year after the present one, in UTC, and dates that no calendar has and a lenient reader takes for that day or the next one. */
interface Eve {
  day: string;
  impossible: readonly string[];
}

const isLeapYear = (year: number) => new Date(Date.UTC(year, 1, 29)).getUTCMonth() === 1;

/**
 * The days on which dates that no calendar has are less than a day ahead, in the order of time, each after `now`; and the eve of a 31st
 * that is the end of a year too, for what the answers show of it.
 */
function evesAfter(now: number): Eve[] {
  const begun = new Date(now).getUTCFullYear() + 1;
  const year = isLeapYear(begun) ? begun + 1 : begun;
  return [
    { day: `${year}-02-28`, impossible: [`${year}-02-29`, `${year}-02-30`] },
    { day: `${year}-03-01`, impossible: [`${year}-02-30`] },
    { day: `${year}-04-30`, impossible: [`${year}-04-31`] },
    { day: `${year}-11-30`, impossible: [`${year}-11-31`] },
    { day: `${year}-12-30`, impossible: [] },
    { day: `${year}-12-31`, impossible: [`${year}-12-32`] },
  ];
}

/** Sends a create with an expiry. */
type Create = (expiresAt: string) => Promise<Answer>;

/** A merchant's creates of a product, after one was accepted. */
async function createsOf(context: CheckContext, product: Product, merchant: Credentials): Promise<Create> {
  if (product === 'orders') {
    const { client, request } = await makeOrder(context, merchant);
    return (expiresAt) => client.create({ ...request, merchantOrderId: context.newOrderId(), expiresAt });
  }
  const { client, request } = await makeCheckoutOrder(context, merchant);
  return (expiresAt) => client.create({ ...request, merchantOrderId: context.newOrderId(), expiresAt });
}

/**
 * A date that no calendar has is refused where no other rule refuses it: on the eve of the day for which a lenient reader takes it, so
 * that it is neither in the past nor far ahead. The times of the day are such that the day after counts, or the day itself.
 */
const impossibleDate = (product: Product): CheckDeclaration => ({
  id: `${product}.create.expires-at.impossible-date`,
  title: 'An expiresAt on a day that no calendar has is refused, where the day after is less than a day ahead',
  requirements: [`${product}.create.expires-at.form`],
  needs: ['clock'],
  long: true,
  async run(context) {
    const merchant = await context.ownMerchant();
    const create = await createsOf(context, product, merchant);
    let passed = 0;
    for (const { day, impossible } of evesAfter(context.now())) {
      const noon = Date.parse(`${day}T12:00:00Z`);
      const ahead = Math.max(0, Math.round((noon - context.now()) / 1000) - passed);
      await context.advanceClock(merchant, ahead);
      passed += ahead;
      const next = new Date(noon + 86_400_000).toISOString().slice(0, 10);
      const possible = `${next}T06:00:00Z`;
      const others = impossible.flatMap((date) => [`${date}T06:00:00Z`, `${date}T18:00:00Z`]);
      const [accepted, ...answers] = await someAtOnce([possible, ...others], async (expiresAt) => {
        return { expiresAt, answer: await create(expiresAt) };
      });
      if (accepted) needAccepted(accepted.answer, `a create with expiresAt = ${possible} on ${day}`);
      for (const { expiresAt, answer } of answers) {
        expectRefused(answer, `expiresAt = ${expiresAt}, sent on ${day}`);
      }
    }
  },
});

export const impossibleDateChecks: readonly CheckDeclaration[] = [impossibleDate('orders'), impossibleDate('checkout')];
