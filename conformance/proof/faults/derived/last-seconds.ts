import type { Fault } from '../../stand/fault.ts';
import { dueLater } from '../../stand/order-changes.ts';

const century = 100 * 365 * 86_400_000;

const products = [
  { area: 'orders', stored: 'hosted', noun: 'hosted orders' },
  { area: 'checkout', stored: 'checkout', noun: 'checkout orders' },
] as const;

/** Wrong servers that end orders before their time has run out. */
export const lastSecondsFaults: readonly Fault[] = products.flatMap(({ area, stored, noun }) => [
  {
    id: `${area}-ended-seconds-early`,
    title: `Ends ${noun} that nobody pays ten seconds before their time has run out.`,
    breaks: `${area}.states.initial`,
    caughtBy: `${area}.states.last-seconds`,
    make: dueLater(stored, -10_000),
  },
  ...([1, 2] as const).map((seconds) => ({
    id: `${area}-that-expire-within-${seconds}-s-never-end`,
    title: `Never ends ${noun} that expire within ${seconds} s of their creation.`,
    breaks: `${area}.states.expired` as const,
    caughtBy: `${area}.states.short-lived`,
    make: dueLater(stored, century, ({ createdAt, expiresAt }) => expiresAt - createdAt <= seconds * 1000),
  })),
]);
