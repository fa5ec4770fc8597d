import { jsonAnswer } from '../stand/changes.ts';
import type { Make, Variant } from '../stand/fault.ts';
import type { ProxyAnswer } from '../stand/proxy.ts';
import { noticingRestarts } from '../stand/restart-changes.ts';

/** A server that gives merchants this answer for so many milliseconds after each start. */
function awayFor(milliseconds: number, answer: () => ProxyAnswer): Make {
  let back = 0;
  return {
    restarts: true,
    control: noticingRestarts(() => {
      back = Date.now() + milliseconds;
    }),
    merchantApi: async (request, server) => (Date.now() < back ? answer() : server.forward(request)),
  };
}

/** The page of a gateway whose server does not answer. */
const gatewayPage = (): ProxyAnswer => ({
  status: 502,
  headers: { 'content-type': 'text/html' },
  body: Buffer.from('<h1>Bad Gateway</h1>'),
});

/** A server whose clock is set by so many milliseconds at every other start. */
function clockSet(milliseconds: number): Make {
  let starts = 0;
  return {
    restarts: true,
    parts: (parts) => {
      const off = starts % 2 === 0 ? 0 : milliseconds;
      starts += 1;
      return { ...parts, clock: () => Date.now() + off };
    },
  };
}

/** Conforming servers that come back otherwise than the reference server. */
export const restartVariants: readonly Variant[] = [
  {
    id: 'restart-slow',
    title: 'Is behind a gateway, and comes back three seconds after its end.',
    make: awayFor(3000, gatewayPage),
  },
  {
    id: 'restart-503-at-first',
    title: 'Answers HTTP 503 with the envelope for a while after its start.',
    make: awayFor(1500, () => jsonAnswer({ code: '99999', message: 'the service is starting', data: null }, 503)),
  },
  {
    id: 'restart-clock-behind',
    title: 'Has a clock that is three seconds behind after a start.',
    make: clockSet(-3000),
  },
  {
    id: 'restart-clock-ahead',
    title: 'Has a clock that is three seconds ahead after a start.',
    make: clockSet(3000),
  },
];
