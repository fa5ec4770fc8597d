import { expect, it } from 'vitest';
import { checkoutVariants } from './checkout-variants.ts';
import { ordersVariants } from './orders-variants.ts';
import { refundsVariants } from './refunds-variants.ts';
import { combined, isCombinable } from './testing/combined.ts';
import { testUnaccused } from './testing/unaccused.ts';
import { generalVariants, variants } from './variants.ts';

it('every variant has an id of its own', () => {
  const ids = variants.map(({ id }) => id);
  expect(ids.filter((id, index) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(id) || ids.indexOf(id) !== index)).toEqual([]);
});

/**
 * Areas do not share what they leave free, and what is free in all of them is mostly free by itself, so that one server can
 * take a variant of each; `npm run proof` takes each alone.
 */
const general = generalVariants.filter(isCombinable);
const half = Math.ceil(general.length / 2);
const kinds = [
  general.slice(0, half),
  general.slice(half),
  ...[ordersVariants, refundsVariants, checkoutVariants].map((each) => each.filter(isCombinable)),
];
const together = Array.from({ length: half }, (_, index) => combined(kinds.flatMap((each) => each[index] ?? [])));
const alone = [...variants.filter((each) => !isCombinable(each)), ...kinds.flatMap((each) => each.slice(half))];

testUnaccused([...together, ...alone]);
