import type { Fault } from '../../stand/fault.ts';
import { dueLater } from '../../stand/order-changes.ts';

const products = [
  { area: 'orders', stored: 'hosted', noun: 'hosted orders' },
  { area: 'checkout', stored: 'checkout', noun: 'checkout orders' },
] as const;

/** Wrong servers that end orders before their time has run out. */
export const lastSecondsFaults: readonly Fault[] = products.map(({ area, stored, noun }) => ({
  id: `${area}-ended-seconds-early`,
  title: `Ends ${noun} that nobody pays ten seconds before their time has run out.`,
  breaks: `${area}.states.initial`,
  caughtBy: `${area}.states.last-seconds`,
  make: dueLater(stored, -10_000),
}));
