import { jsonAnswer } from '../stand/changes.ts';
import type { Make, Variant } from '../stand/fault.ts';
import type { ProxyAnswer } from '../stand/proxy.ts';
import { endingBitByBit, isRestart, noticingRestarts } from '../stand/restart-changes.ts';
import { settlingAtOnce } from './checkout.ts';

/** A server that gives merchants this answer for so many milliseconds after its first restart, and after each later one. */
function awayFor(first: number, later: number, answer: () => ProxyAnswer): Make {
  // More than one server of this kind may run in a process: alone, and together with other variants.
  const backAt = new WeakMap<object, number>();
  return {
    restarts: true,
    control: noticingRestarts(({ identity }) => {
      backAt.set(identity, Date.now() + (backAt.has(identity) ? later : first));
    }),
    merchantApi: async (request, server) =>
      Date.now() < (backAt.get(server.identity) ?? 0) ? answer() : server.forward(request),
  };
}

/** The page of a gateway whose server does not answer. */
const gatewayPage = (): ProxyAnswer => ({
  status: 502,
  headers: { 'content-type': 'text/html' },
  body: Buffer.from('<h1>Bad Gateway</h1>'),
});

/** A server whose clock is off by one of these numbers of milliseconds after each start, in turn. */
function clockOffBy(...milliseconds: number[]): Make {
  let starts = 0;
  return {
    restarts: true,
    parts: (parts) => {
      const off = milliseconds[starts % milliseconds.length] ?? 0;
      starts += 1;
      return { ...parts, clock: () => Date.now() + off };
    },
  };
}

/** How long a process that is to end still answers, in milliseconds. */
const farewell = 150;

/** A server that says that it ends now, and does so a little later. */
const endingLater: Make = {
  restarts: true,
  control: async (request, server) => {
    if (!isRestart(request)) return server.forward(request);
    setTimeout(() => server.forward(request).catch(() => undefined), farewell);
    return { status: 202, headers: {}, body: Buffer.alloc(0) };
  },
};

/** Conforming servers that come back otherwise than the reference server. */
export const restartVariants: readonly Variant[] = [
  {
    id: 'restart-slow',
    title: 'Is behind a gateway, and comes back three seconds after its first end.',
    make: awayFor(3000, 200, gatewayPage),
  },
  {
    id: 'restart-503-at-first',
    title: 'Answers HTTP 503 with the envelope for a while after its start.',
    make: awayFor(1500, 400, () => jsonAnswer({ code: '99999', message: 'the service is starting', data: null }, 503)),
  },
  {
    id: 'restart-clock-off',
    title: 'Has a clock that is up to three seconds behind or ahead after a start.',
    make: clockOffBy(0, -3000, 3000),
  },
  {
    id: 'restart-ends-later',
    title: 'Still answers for a moment after it has said that it ends.',
    make: endingLater,
  },
  {
    id: 'restart-processing-skipped',
    title: 'Settles a checkout order as soon as its payment is seen, before a restart and after it.',
    make: { ...settlingAtOnce(), restarts: true },
  },
  {
    id: 'restart-ends-bit-by-bit',
    title: 'Breaks creates off when it has said that it ends, and answers queries for a moment more.',
    make: endingBitByBit((request, server) => server.forward(request)),
  },
];
