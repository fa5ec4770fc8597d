import { afterAll, beforeAll, expect, it } from 'vitest';
import { checksOfVariant } from './checks-of-server.ts';
import type { Variant } from './stand/fault.ts';
import { openStand, patience, patientReceiver, type Stand } from './stand/stand.ts';
import { combined, isCombinable } from './testing/combined.ts';
import { quickChecks } from './testing/quick-checks.ts';
import { checkoutVariants } from './variants/checkout.ts';
import { singleChoices } from './variants/chosen-servers.ts';
import { freeChoiceVariants } from './variants/free-choices.ts';
import { freeFormVariants } from './variants/free-forms.ts';
import { freeWireVariants } from './variants/free-wire.ts';
import { generalVariants, variants } from './variants/index.ts';
import { ordersVariants } from './variants/orders.ts';
import { refundsVariants } from './variants/refunds.ts';
import { webhookVariants } from './variants/webhooks.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand(patientReceiver);
});
afterAll(() => stand.close());

it('every variant has an id of its own', () => {
  const ids = variants.map(({ id }) => id);
  expect(ids.filter((id, index) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(id) || ids.indexOf(id) !== index)).toEqual([]);
});

/** Points at which the reference server itself decides otherwise about a row of the second reading. */
const rereadPoints: readonly string[] = ['refund-second', 'orders-rate-limit', 'content-type'];

/**
 * The conforming servers that a second reading of the specification made fair: those that take the other side where the first was too
 * strict, and those of which a sentence allows what is seldom done. Nothing warns about them either.
 */
const unwarned: readonly Variant[] = [
  ...freeChoiceVariants,
  ...freeFormVariants,
  combined(freeWireVariants),
  ...webhookVariants,
  ...singleChoices.filter(({ openPoint }) => rereadPoints.includes(openPoint)),
];

/**
 * Areas do not share what they leave free, and what is free in all of them is mostly free by itself, so that one server can
 * take a variant of each; `npm run proof` takes each alone.
 */
const general = generalVariants.filter(isCombinable);
const half = Math.ceil(general.length / 2);
const kinds = [
  general.slice(0, half),
  general.slice(half),
  ...[ordersVariants, refundsVariants, checkoutVariants, webhookVariants].map((each) => each.filter(isCombinable)),
];
const together = Array.from({ length: half }, (_, index) => combined(kinds.flatMap((each) => each[index] ?? [])));
const alone = [
  ...variants.filter((each) => !isCombinable(each) && !unwarned.includes(each)),
  ...kinds.flatMap((each) => each.slice(half)),
];

/** What can accuse a server. */
const judging = quickChecks.filter(({ level }) => level !== 'MAY');

it.for([...together, ...alone].map((variant) => [variant.id, variant] as const))(
  '%s is accused of nothing',
  async ([, variant]) => {
    const checks = checksOfVariant(judging, variant);
    const { results } = await stand.judge(variant.make, checks, { concurrency: 16, ...patience });
    const accused = results
      .filter(({ verdict }) => verdict === 'failed' || verdict === 'inconclusive')
      .map(({ check, verdict, reason, expected, actual }) => ({ id: check.id, verdict, reason, expected, actual }));
    expect(accused).toEqual([]);
    expect(results.filter(({ verdict }) => verdict === 'passed').length).toBeGreaterThan(checks.length / 3);
  },
);

it.for(unwarned.map((variant) => [variant.id, variant] as const))(
  '%s is neither failed nor warned about',
  async ([, variant]) => {
    const { results } = await stand.judge(variant.make, checksOfVariant(quickChecks, variant), {
      concurrency: 16,
      ...patience,
    });
    const accused = results
      .filter(({ verdict }) => ['failed', 'inconclusive', 'warned'].includes(verdict))
      .map(({ check, verdict, reason, expected, actual }) => ({ id: check.id, verdict, reason, expected, actual }));
    expect(accused).toEqual([]);
  },
);
