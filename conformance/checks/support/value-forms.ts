import type { OpenPointId } from '../../../generated/catalogue.ts';
import type { CheckContext } from '../../check/context.ts';
import { isAccepted, summary } from '../../check/expect.ts';
import type { Answer } from '../../wire/exchange.ts';

/** Texts that are no number in any notation. */
export const notNumbers = ['nine', 'abc', ''] as const;

/** A number in notations of which the specification does not say whether an amount may have them. */
export const formsOf = (amount: string): string[] => [
  `+${amount}`,
  `${amount}e0`,
  `${amount}E+0`,
  `00${amount}`,
  '.5',
  '5.',
];

const day = 86_400_000;

/** Times that no calendar has, some of them close to the present; ISO 8601 in form. */
export function impossibleTimes(context: CheckContext): string[] {
  const today = new Date(context.now()).toISOString().slice(0, 10);
  const year = new Date(context.now()).getUTCFullYear() + 1;
  return [
    `${today}T25:00:00.000Z`,
    `${today}T12:60:00.000Z`,
    `${year}-02-30T12:00:00.000Z`,
    `${year}-13-01T12:00:00.000Z`,
  ];
}

/** Times within the next hours in forms that the specification leaves open, each with its form in words. */
export function timeForms(context: CheckContext): [string, string][] {
  const soon = new Date(context.now() + day / 12).toISOString();
  const shifted = new Date(context.now() + day / 12 + day / 3).toISOString();
  return [
    ['no zone', soon.slice(0, -1)],
    ['an offset', shifted.replace('Z', '+08:00')],
    ['an offset without a colon', shifted.replace('Z', '+0800')],
    ['the basic form', soon.replaceAll(/[-:]/g, '')],
    ['a comma before the decimal places', soon.replace('.', ',')],
    ['no seconds', soon.replace(/:[0-9]{2}\.[0-9]+Z$/, 'Z')],
    ['a space for the T', soon.replace('T', ' ')],
  ];
}

/** Asks for an order that expires on a leap second within the next day, and records the answer. */
export async function observeLeapSecond(
  context: CheckContext,
  create: (expiresAt: string) => Promise<Answer>,
): Promise<void> {
  const answer = await create(`${new Date(context.now()).toISOString().slice(0, 10)}T23:59:60Z`);
  context.observeIn(answer, 'leap-seconds', summary(answer), isAccepted(answer) ? 'accepted' : 'refused');
}

/** Sends each body and records the answers at an open point. */
export async function observeForms(
  context: CheckContext,
  creates: readonly (readonly [string, object])[],
  send: (body: object) => Promise<Answer>,
  openPoint: OpenPointId = 'orders-amount-limits',
): Promise<void> {
  for (const [what, body] of creates) {
    const answer = await send(body);
    context.observeIn(answer, openPoint, `${what}: ${summary(answer)}`);
  }
}
