import { ordersMachine, refundsMachine } from '../../../generated/catalogue.ts';
import type { RequirementId } from '../../../generated/catalogue-ids.ts';
import type { CheckContext } from '../../check/context.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { Broken, Inconclusive } from '../../errors/outcomes.ts';
import type { Mailbox, Webhook } from '../../wire/mailbox.ts';
import { makeCheckoutOrder } from '../checkout-orders/checkout-orders.ts';
import { type AnyMadeOrder, makeOrder } from '../orders/orders.ts';

/** An order whose webhooks go to a mailbox of its own. */
export interface NotifiedOrder<Box extends Mailbox = Mailbox> extends AnyMadeOrder {
  mailbox: Box;
  merchantOrderId: string;
}

export type Product = 'orders' | 'checkout';

/** Makes an order that names `mailbox` as its callbackUrl; of a merchant of its own, unless one is given. */
export async function makeNotifiedOrder<Box extends Mailbox>(
  context: CheckContext,
  product: Product,
  mailbox: Box,
  ofMerchant?: Credentials,
): Promise<NotifiedOrder<Box>> {
  const merchant = ofMerchant ?? (await context.ownMerchant());
  const make = product === 'orders' ? makeOrder : makeCheckoutOrder;
  const made = await make(context, merchant, { callbackUrl: mailbox.url });
  return { ...made, mailbox, merchantOrderId: made.request.merchantOrderId };
}

const statuses = [...new Set([...Object.keys(ordersMachine.states), ...Object.keys(refundsMachine.states)])];

/**
 * True when a webhook can be the one for a status. What its body looks like is not said: one that names statuses must name
 * this one, one that names none may tell of any.
 */
export function tellsOf(status: string): (webhook: Webhook) => boolean {
  return ({ text }) => {
    const named = statuses.filter((each) => new RegExp(`\\b${each}\\b`).test(text));
    return named.length === 0 || named.includes(status);
  };
}

/**
 * How far business time is moved when a webhook does not come by itself, in seconds; each step beside the ones before it. Of
 * several days each makes another attempt due: nobody sees one that is lost on its way between busy machines.
 */
const day = 86_400;
const advances = [60, 3600, day, day, day, day];

/** Where time can be moved, nothing is gained by waiting long before it was; as shares of the whole wait. */
const [shareBefore, shareOfDay] = [0.1, 0.25];

/** Waits for a webhook that fits; where the driver can, business time is moved too. `undefined`: none has come. */
export async function awaitWebhook(
  context: CheckContext,
  { mailbox, merchant }: { mailbox: Mailbox; merchant: Credentials },
  fits: (webhook: Webhook) => boolean,
): Promise<Webhook | undefined> {
  const movable = context.has('clock');
  const wait = (share: number) => mailbox.first(fits, context.webhookWait * share);
  let webhook = await wait(movable ? shareBefore : 1);
  for (const seconds of movable ? advances : []) {
    if (webhook) break;
    await context.advanceClock(merchant, seconds);
    webhook = await wait(seconds === day ? shareOfDay : shareBefore);
  }
  return webhook;
}

/**
 * Waits for a webhook that fits, as `awaitWebhook` does. Throws `Broken` when none comes although days have passed, and
 * `Inconclusive` when no time could be moved: the contract sets no deadline.
 */
export async function expectWebhook(
  context: CheckContext,
  { mailbox, merchant }: { mailbox: Mailbox; merchant: Credentials },
  fits: (webhook: Webhook) => boolean,
  what: string,
  requirement?: RequirementId,
): Promise<Webhook> {
  const movable = context.has('clock');
  const webhook = await awaitWebhook(context, { mailbox, merchant }, fits);
  if (webhook) return webhook;
  const came = `${mailbox.webhooks.length} webhooks came to ${mailbox.url}`;
  if (!movable) {
    throw new Inconclusive(`${what} did not come within ${context.webhookWait} ms, and no clock can be moved; ${came}`);
  }
  const exchange = mailbox.webhooks.at(-1)?.exchange;
  throw new Broken(`${what} did not come`, {
    expected: what,
    actual: `${came}, though four days of business time have passed`,
    ...(exchange !== undefined && { exchange }),
    ...(requirement && { requirement }),
  });
}
