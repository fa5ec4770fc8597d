import { limit } from '../../../generated/catalogue.ts';
import type { RequirementId } from '../../../generated/catalogue-ids.ts';
import { margin, needPrompt, timeWindow } from '../../arrange/authentication/rules/timestamps.ts';
import { checkoutMerchant, checkoutRequest } from '../../arrange/checkout-orders/checkout-orders.ts';
import { post } from '../../arrange/requests/arranged-operation.ts';
import { sideBySide } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import {
  countJudged,
  expectAccepted,
  expectRefused,
  expectThat,
  isAccepted,
  needAccepted,
} from '../../check/expect.ts';
import { instantOf } from '../../contract/moments.ts';
import { field } from '../../wire/exchange.ts';

const day = limit('checkout.expires-at.farthest', 'max');

/** How far beyond an edge expiries lie, in milliseconds: what a careless target allows for clocks that differ, or rounds away. */
const distances = [2000, 20_000, 40_000];

/** How far within the edge an expiry lies that must be taken, in milliseconds. */
const inside = 2000;

/** How much a createdAt may be rounded, in milliseconds. */
const rounded = 1000;

/** A rule of the expiry, and by how much an expiry breaks it that lies this far after the creation, in milliseconds. */
interface Edge {
  requirement: RequirementId;
  words: string;
  /** The expiry that lies this far beyond the edge, in milliseconds after now. */
  ahead(distance: number): number;
  isBroken(life: number): boolean;
}

const edges: readonly Edge[] = [
  {
    requirement: 'checkout.create.expires-at.future',
    words: 'an expiresAt after createdAt',
    ahead: (distance) => -distance,
    isBroken: (life) => life <= -rounded,
  },
  {
    requirement: 'checkout.create.expires-at.limit',
    words: `an expiresAt at most ${day / 3_600_000} h after createdAt`,
    ahead: (distance) => day + distance,
    isBroken: (life) => life > day + rounded,
  },
];

const soon = 1_800_000;

/** Sends a create with this expiry, signed at this time; both in milliseconds after now. */
async function create(context: CheckContext, ahead: number, signed?: number) {
  const { client, method } = await checkoutMerchant(context, await context.merchant());
  const expiresAt = new Date(context.now() + ahead).toISOString();
  const request = post(client.createPath, checkoutRequest(context, method, { expiresAt }));
  const timestamp = signed === undefined ? {} : { timestamp: String(context.now() + signed) };
  return { expiresAt, answer: await client.send({ ...request, ...timestamp }) };
}

/** The edges of how long a checkout order may live, seen by the time at which the target says that it was made: no clock but its own counts. */
export const checkoutExpiryEdgeChecks: readonly CheckDeclaration[] = [
  {
    id: 'checkout.create.expires-at.edges',
    title: 'An order that is made expires after its createdAt, and at most 24 hours after it, to the second',
    requirements: edges.map(({ requirement }) => requirement),
    async run(context) {
      const usual = (await create(context, soon)).answer;
      needAccepted(usual, 'a create with an expiresAt in half an hour');
      // By its own clock, on which it is later now than when it made that order.
      const within = instantOf(field(usual, 'data.createdAt')) + day - inside;
      if (!Number.isNaN(within)) {
        const { answer, expiresAt } = await create(context, within - context.now());
        const what = `an expiresAt of ${expiresAt}, which is less than ${day / 3_600_000} h after its creation`;
        expectAccepted(answer, what, 'checkout.create.expires-at.limit');
      }
      await sideBySide(
        edges.flatMap(({ requirement, words, ahead, isBroken }) =>
          distances.map(async (distance) => {
            const { expiresAt, answer } = await create(context, ahead(distance));
            const createdAt = instantOf(field(answer, 'data.createdAt'));
            // A refusal is right, and whether createdAt is a time is judged elsewhere.
            if (!isAccepted(answer) || Number.isNaN(createdAt)) return countJudged(answer);
            expectThat(!isBroken(Date.parse(expiresAt) - createdAt), answer, {
              expected: `${words}, or a refusal`,
              actual: `accepted with expiresAt = ${expiresAt} and createdAt = ${new Date(createdAt).toISOString()}`,
              requirement,
            });
          }),
        ),
      );
    },
  },
  {
    id: 'checkout.create.expires-at.not-by-timestamp',
    title: 'How long an order may live counts from its creation, not from the X-Timestamp of its request',
    requirements: edges.map(({ requirement }) => requirement),
    async run(context) {
      const shift = timeWindow - margin;
      const half = shift / 2;
      const cases = [
        { ahead: -half, signed: -shift, requirement: 'checkout.create.expires-at.future' },
        { ahead: day + half, signed: shift, requirement: 'checkout.create.expires-at.limit' },
      ] as const;
      for (const { ahead, signed, requirement } of cases) {
        const made = performance.now();
        const usual = await create(context, soon, signed);
        if (!isAccepted(usual.answer)) needPrompt(made);
        needAccepted(usual.answer, 'a create with an expiresAt in half an hour and the same X-Timestamp');
        const { answer, expiresAt } = await create(context, ahead, signed);
        const when = `${Math.abs(signed) / 1000} s ${signed < 0 ? 'ago' : 'ahead'}`;
        expectRefused(answer, `an expiresAt of ${expiresAt} in a request signed for ${when}`, requirement);
      }
    },
  },
];
