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

/** Areas do not share what they leave free, so that one server can take a variant of each; `npm run proof` takes each alone. */
const areas = [ordersVariants, refundsVariants, checkoutVariants].map((each) => each.filter(isCombinable));
const carriers = generalVariants.filter(isCombinable);
const together = carriers.map((carrier, index) => combined([carrier, ...areas.flatMap((each) => each[index] ?? [])]));
const alone = [
  ...variants.filter((each) => !isCombinable(each)),
  ...areas.flatMap((each) => each.slice(carriers.length)),
];

testUnaccused([...together, ...alone]);
