import { isCheckout, isHosted, merchantIdOf, onlyFor, showing } from '../../stand/changes.ts';
import type { Fault, Make } from '../../stand/fault.ts';
import { dueLater, followingClocks } from '../../stand/order-changes.ts';

const century = 100 * 365 * 86_400_000;

const products = [
  { area: 'orders', stored: 'hosted', noun: 'hosted orders' },
  { area: 'checkout', stored: 'checkout', noun: 'checkout orders' },
] as const;

/** A server that ends orders three seconds early, and shows them as waiting until their time has run out. */
function endingBehindViews(area: (typeof products)[number]['area'], stored: (typeof products)[number]['stored']): Make {
  const { now, control } = followingClocks();
  return {
    ...dueLater(stored, -3000),
    control,
    merchantApi: onlyFor(
      area === 'orders' ? isHosted : isCheckout,
      showing((view, request) => {
        const isOpen = Date.parse(String(view.expiresAt)) > now(merchantIdOf(request));
        return view.status === 'CLOSED' && isOpen ? { ...view, status: 'INIT' } : view;
      }),
    ),
  };
}

/** Wrong servers that end orders before their time has run out. */
export const lastSecondsFaults: readonly Fault[] = products.flatMap(({ area, stored, noun }) => [
  {
    id: `${area}-ended-seconds-early`,
    title: `Ends ${noun} that nobody pays ten seconds before their time has run out.`,
    breaks: `${area}.states.initial`,
    caughtBy: `${area}.states.last-seconds`,
    make: dueLater(stored, -10_000),
  },
  {
    id: `${area}-announced-as-ended-seconds-early`,
    title: `Announces three seconds before the time of ${noun} has run out that nobody has paid them, and shows them rightly.`,
    breaks: 'webhooks.order.after-change',
    caughtBy: `${area}.states.last-seconds`,
    make: endingBehindViews(area, stored),
  },
  ...([1, 2] as const).map((seconds) => ({
    id: `${area}-that-expire-within-${seconds}-s-never-end`,
    title: `Never ends ${noun} that expire within ${seconds} s of their creation.`,
    breaks: `${area}.states.expired` as const,
    caughtBy: `${area}.states.short-lived`,
    make: dueLater(stored, century, ({ createdAt, expiresAt }) => expiresAt - createdAt <= seconds * 1000),
  })),
]);
