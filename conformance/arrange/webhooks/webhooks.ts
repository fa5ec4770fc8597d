import type { RequirementId } from '../../../generated/catalogue-ids.ts';
import type { CheckContext } from '../../check/context.ts';
import { mayAnnounce } from '../../contract/statuses.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { Broken, Inconclusive } from '../../errors/outcomes.ts';
import type { Mailbox, Webhook } from '../../wire/mailbox.ts';
import { makeCheckoutOrder } from '../checkout-orders/checkout-orders.ts';
import { type AnyMadeOrder, bringOrderTo, needSoonAccepted, type Product, soon } from '../orders/any-order.ts';
import { makeOrder } from '../orders/orders.ts';

/** An order whose webhooks go to a mailbox of its own. */
export interface NotifiedOrder<Box extends Mailbox = Mailbox> extends AnyMadeOrder {
  mailbox: Box;
  merchantOrderId: string;
}

/** Makes an order that names `mailbox` as its callbackUrl; of a merchant of its own, unless one is given. The expiry of one with a short life can be awaited. */
export async function makeNotifiedOrder<Box extends Mailbox>(
  context: CheckContext,
  product: Product,
  mailbox: Box,
  givenMerchant?: Credentials,
  lifetime: 'ordinary' | 'short' = 'ordinary',
): Promise<NotifiedOrder<Box>> {
  const merchant = givenMerchant ?? (await context.ownMerchant());
  const make = product === 'orders' ? makeOrder : makeCheckoutOrder;
  const made = await (lifetime === 'short'
    ? make(context, merchant, { callbackUrl: mailbox.url, ...soon(context) }, needSoonAccepted(context))
    : make(context, merchant, { callbackUrl: mailbox.url }));
  return { ...made, mailbox, merchantOrderId: made.request.merchantOrderId };
}

/** A hosted order that was cancelled, which takes the fewest steps, and the webhook that announced it. */
export async function makeCancelledOrder(
  context: CheckContext,
  givenMerchant?: Credentials,
): Promise<{ order: NotifiedOrder; webhook: Webhook }> {
  const order = await makeNotifiedOrder(context, 'orders', await context.mailbox(), givenMerchant);
  await bringOrderTo(context, order, 'CLOSED');
  const webhook = await expectWebhook(context, order, () => true, 'a webhook of the order that was cancelled');
  return { order, webhook };
}

/** True when a webhook may announce a status: its body mentions this status, or none at all. */
export function mentionsStatus(status: string): (webhook: Webhook) => boolean {
  return ({ text }) => mayAnnounce(text, status);
}

/**
 * By how much business time is moved, again and again, when a webhook does not come by itself; in seconds. Each of the days
 * makes another attempt due, so that a webhook lost between busy machines is not taken for one that was never sent.
 */
const day = 86_400;
const advances = [60, 3600, day, day, day, day];

/** The shares of the whole wait that are spent before time is moved by a day, and after it. Where time can be moved, waiting longer gains nothing. */
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
