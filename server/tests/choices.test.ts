import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type Choices, contraryChoices, referenceChoices } from '../../generated/catalogue.ts';
import { authPoints } from './choices/auth.ts';
import { checkoutPoints } from './choices/checkout.ts';
import { generalPoints } from './choices/general.ts';
import { ordersPoints } from './choices/orders.ts';
import { type Chosen, type Points, startChosen } from './choices/point.ts';
import { refundsPoints } from './choices/refunds.ts';
import { webhooksPoints } from './choices/webhooks.ts';

/** Every point at which there is a choice: a new one does not compile until somebody looks at it. */
const points: Points<keyof Choices> = {
  ...authPoints,
  ...ordersPoints,
  ...checkoutPoints,
  ...refundsPoints,
  ...webhooksPoints,
  ...generalPoints,
};

/** What `observe` sees of a server; answers that break the contract would have been logged. */
async function seenOf(choices: Partial<Choices>, observe: (chosen: Chosen) => Promise<unknown>): Promise<unknown> {
  const chosen = await startChosen(choices);
  try {
    const seen = await observe(chosen);
    expect(chosen.server.logged).toEqual([]);
    return seen;
  } finally {
    await chosen.server.close();
  }
}

describe.each(Object.entries(points))('%s', (id, { seen, observe }) => {
  it.each(Object.entries(seen))('%s', async (value, expected) => {
    expect(await seenOf({ [id]: value }, observe)).toEqual(expected);
  });

  it('looks different for each value', () => {
    const each = Object.values(seen).map((one) => inspect(one, { depth: null }));
    expect(new Set(each).size).toBe(each.length);
  });
});

it('the reference server is the one whose choices nobody made', () => {
  expect(Object.keys(referenceChoices)).toEqual(Object.keys(contraryChoices));
  expect(Object.keys(points).sort()).toEqual(Object.keys(referenceChoices).sort());
});
