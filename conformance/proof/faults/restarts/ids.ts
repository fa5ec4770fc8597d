import { isCheckout, isHostedCreate, isOf, onlyFor, showing } from '../../stand/changes.ts';
import { type Fault, faultsCaughtBy, type Make } from '../../stand/fault.ts';
import type { ProxyRequest } from '../../stand/proxy.ts';
import { isOfRefunds, isRefundCreate, refundingAgain } from '../../stand/refund-changes.ts';
import { noticingRestarts } from '../../stand/restart-changes.ts';
import { idIn, renamed } from './changes.ts';

const fault = faultsCaughtBy('');

/** A server that knows only since its start which ids were used, and makes another record for one from before. */
function forgettingIds(concerns: (request: ProxyRequest) => boolean, more: Make = {}): Make {
  let known = new Set<string>();
  let before = new Set<string>();
  const again = new Set<string>();
  return {
    ...more,
    restarts: true,
    control: noticingRestarts(() => {
      before = new Set([...before, ...known]);
      known = new Set();
    }),
    merchantApi: async (request, server) => {
      if (!concerns(request)) return server.forward(request);
      const id = idIn(request);
      if (id !== undefined) {
        if (before.has(id)) again.add(id);
        known.add(id);
      }
      const other = [...again].find((each) => request.target.includes(each) || each === id);
      if (other === undefined) return server.forward(request);
      const answer = await server.forward(renamed(request, server, other, `${other}-2`));
      return { ...answer, body: Buffer.from(answer.body.toString('utf8').replaceAll(`${other}-2`, other)) };
    },
  };
}

/** A server that gives new records, when it has started again, the ids of the first ones from before. */
function countingAnew(name: string, concerns: (request: ProxyRequest) => boolean): Make {
  let [hasStartedAgain, made]: [boolean, unknown[]] = [false, []];
  return {
    restarts: true,
    control: noticingRestarts(() => {
      hasStartedAgain = true;
    }),
    merchantApi: onlyFor(
      concerns,
      showing((view) => {
        if (!hasStartedAgain) made = [...made, view[name]];
        else if (!made.includes(view[name])) return { ...view, [name]: made.at(-1) };
        return view;
      }),
    ),
  };
}

/** Wrong servers that know only since their start which ids were used. */
export const idRestartFaults: readonly Fault[] = [
  fault(
    'checkout-ids-known-since-start',
    'Knows only since its start which ids of checkout orders were used.',
    'general.restart.repeat',
    'checkout.restart.repeat',
    forgettingIds(isCheckout),
  ),
  fault(
    'refund-ids-known-since-start',
    'Knows only since its start which ids of refunds were used.',
    'general.restart.repeat',
    'refunds.restart.repeat',
    forgettingIds(isOfRefunds, { parts: refundingAgain }),
  ),
  ...(
    [
      ['orders', 'orderId', isHostedCreate],
      ['checkout', 'orderId', isOf('checkout.create')],
      ['refunds', 'refundOrderId', isRefundCreate],
    ] as const
  ).map(([area, name, concerns]) =>
    fault(
      `${area}-counted-anew-at-start`,
      `Gives what is made after its start the ids of what was made before, of ${area}.`,
      'general.restart.acknowledged',
      `${area}.restart.acknowledged`,
      countingAnew(name, concerns),
    ),
  ),
];
