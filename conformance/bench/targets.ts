import { setTimeout as delay } from 'node:timers/promises';
import { hopelessServers } from '../proof/faults/hopeless.ts';
import { isOf, onlyFor } from '../proof/stand/changes.ts';
import type { Make } from '../proof/stand/fault.ts';
import type { Handler } from '../proof/stand/proxy.ts';

/** A target that keeps a run waiting, or gives it nothing to judge. */
export interface SlowTarget {
  title: string;
  make: Make;
}

/** Gives each answer so many milliseconds later. */
const later =
  (milliseconds: number): Handler =>
  async (request, server) => {
    const answer = await server.forward(request);
    await delay(milliseconds);
    return answer;
  };

/** Longer than any run waits for an answer, in milliseconds. */
const tooLong = 60_000;

const allLater = (milliseconds: number): SlowTarget => ({
  title: `every answer ${milliseconds} ms later`,
  make: { merchantApi: later(milliseconds), control: later(milliseconds) },
});

/** A server of the proof that is wrong as a whole. */
function hopeless(id: string): SlowTarget {
  const server = hopelessServers.find((each) => each.id === id);
  if (!server) throw new Error(`the proof has no server ${id}`);
  return { title: server.title, make: server.make };
}

export const slowTargets: readonly SlowTarget[] = [
  allLater(100),
  allLater(400),
  hopeless('orders-never-expire'),
  hopeless('no-webhooks'),
  { title: 'answers no query for a refund', make: { merchantApi: onlyFor(isOf('refunds.query'), later(tooLong)) } },
  {
    title: 'answers the create of a hosted order after 2 s',
    make: { merchantApi: onlyFor(isOf('orders.create'), later(2000)) },
  },
  hopeless('not-found'),
  hopeless('hexadecimal-signatures'),
  hopeless('refuses-everything'),
];
