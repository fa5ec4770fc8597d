import { bodyOf, isCheckout, isHosted, merchantIdOf, onlyFor, recordOfEvent, showing } from '../../stand/changes.ts';
import type { Fault, Make } from '../../stand/fault.ts';
import { followingClocks } from '../../stand/order-changes.ts';

const products = [
  { area: 'orders', noun: 'hosted orders', applies: isHosted },
  { area: 'checkout', noun: 'checkout orders', applies: isCheckout },
] as const;

/** A server that shows when the payment of an order was detected as paidAt. */
function datingAtDetection(applies: typeof isHosted, ofWhom: 'everybody' | 'automatic merchants' = 'everybody'): Make {
  const { now, control } = followingClocks();
  const automatic = new Set<unknown>();
  const detected = new Map<unknown, string>();
  return {
    control: async (request, server) => {
      if (bodyOf(request)?.automatic === true) {
        const answer = await server.forward(request);
        automatic.add(bodyOf(answer)?.merchantId);
        return answer;
      }
      const orderId = recordOfEvent('orders', request);
      if (orderId !== undefined && bodyOf(request)?.type === 'transaction_detected') {
        detected.set(orderId, new Date(now(merchantIdOf(request))).toISOString());
      }
      return control(request, server);
    },
    merchantApi: onlyFor(
      applies,
      showing((view) => {
        const at = detected.get(view.orderId);
        const isMeant = ofWhom === 'everybody' || automatic.has(view.merchantId);
        return view.status === 'SUCCEEDED' && at !== undefined && isMeant ? { ...view, paidAt: at } : view;
      }),
    ),
  };
}

/** Wrong servers that take another moment of a payment for the one at which it succeeded. */
export const paidAtFaults: readonly Fault[] = products.flatMap(({ area, noun, applies }): Fault[] => [
  {
    id: `${area}-paid-at-detection`,
    title: `Shows as paidAt of ${noun} when their payments were detected.`,
    breaks: `${area}.view.paid-at`,
    caughtBy: `${area}.query.paid-at`,
    make: datingAtDetection(applies),
  },
  {
    id: `${area}-confirmed-alone-paid-at-detection`,
    title: `Shows as paidAt of ${noun} whose payments it confirms by itself when those were detected.`,
    breaks: `${area}.view.paid-at`,
    caughtBy: `${area}.query.paid-at`,
    make: datingAtDetection(applies, 'automatic merchants'),
  },
  {
    id: `${area}-paid-at-expiry-at-last`,
    title: `Shows expiresAt as paidAt of ${noun} whose payments were confirmed after that.`,
    breaks: `${area}.view.paid-at`,
    caughtBy: `${area}.query.paid-at`,
    make: {
      merchantApi: onlyFor(
        applies,
        showing((view) =>
          view.status === 'SUCCEEDED' && String(view.paidAt) > String(view.expiresAt)
            ? { ...view, paidAt: view.expiresAt }
            : view,
        ),
      ),
    },
  },
]);
