import {
  isCheckout,
  isHosted,
  isHostedCreate,
  isOf,
  merchantIdOf,
  onlyFor,
  queriedId,
  showing,
} from '../../stand/changes.ts';
import { type Fault, faultsCaughtBy, type Make } from '../../stand/fault.ts';
import type { ProxyRequest } from '../../stand/proxy.ts';
import { isOfRefunds, isRefundCreate, parameterOf, refundingAgain } from '../../stand/refund-changes.ts';
import { noticingRestarts } from '../../stand/restart-changes.ts';
import { idIn, renamed, showingAfterStart } from './changes.ts';

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

/** The merchant's own id that a query asks for; undefined in every other request. */
const idAsked = (request: ProxyRequest): string | undefined =>
  request.method === 'GET' ? (queriedId(request) ?? parameterOf(request, 'merchantRefundOrderId')) : undefined;

/** A server that finds what it made before its start by ids in which the case of letters does not count: the last one that was made so. */
function indexedInLowerCase(concerns: (request: ProxyRequest) => boolean): Make {
  const last = new Map<string, string>();
  const key = (request: ProxyRequest, id: string) => `${merchantIdOf(request)} ${id.toLowerCase()}`;
  return showingAfterStart(
    (request, server) => {
      const id = concerns(request) ? idAsked(request) : undefined;
      const other = id === undefined ? undefined : last.get(key(request, id));
      return server.forward(id === undefined || other === undefined ? request : renamed(request, server, id, other));
    },
    (request, server) => {
      const id = concerns(request) ? idIn(request) : undefined;
      if (id !== undefined) last.set(key(request, id), id);
      return server.forward(request);
    },
  );
}

/** A server that writes ids in lower case when it starts again, and finds what it made before only by ids that have no other letters. */
const lostUnlessLowerCase = (concerns: (request: ProxyRequest) => boolean): Make =>
  showingAfterStart((request, server) => {
    const id = concerns(request) ? idAsked(request) : undefined;
    const isLost = id !== undefined && id !== id.toLowerCase();
    return server.forward(isLost ? renamed(request, server, id, `${id}-lost`) : request);
  });

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
  ...(
    [
      ['orders', isHosted],
      ['checkout', isCheckout],
      ['refunds', isOfRefunds],
    ] as const
  ).flatMap(([area, concerns]) => [
    fault(
      `${area}-indexed-in-lower-case-at-start`,
      `Takes ids that differ in the case of a letter for one when it has started again, of ${area}.`,
      'general.restart.acknowledged',
      `${area}.restart.acknowledged`,
      indexedInLowerCase(concerns),
    ),
    fault(
      `${area}-in-upper-case-lost-at-start`,
      `Does not find what was made before its start under an id with a capital letter, of ${area}.`,
      'general.restart.acknowledged',
      `${area}.restart.acknowledged`,
      lostUnlessLowerCase(concerns),
    ),
  ]),
];
