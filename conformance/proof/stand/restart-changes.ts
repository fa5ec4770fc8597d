import type { AppParts } from '../../../server/app.ts';
import type { Records } from '../../../server/services/ports.ts';
import { storing } from './changes.ts';
import type { Make } from './fault.ts';
import { Ended, type Handler, type ProxyRequest, type ServerBehind } from './proxy.ts';

/** A server that does something wrong with its data when it starts again. `remember` sees what it writes; `recover` gets what it has remembered. */
export function recovering<Remembered>(
  remember: (records: Records, memory: Remembered[]) => Partial<Records>,
  recover: (records: Records, memory: readonly Remembered[]) => Promise<void>,
): Make {
  let memory: Remembered[] = [];
  return {
    restarts: true,
    parts: (parts: AppParts) => {
      const remembered = memory;
      memory = [];
      const own = memory;
      // Everything else waits for this, because SQLite does one transaction after the other.
      parts.storage.transaction((records) => recover(records, remembered)).catch(() => undefined);
      return storing((records) => remember(records, own))(parts);
    },
  };
}

/** True for the request of the control API that restarts the server. */
export const isRestart = ({ target }: ProxyRequest): boolean => target.endsWith('/restart');

/** A handler of the control API that calls `restarted` when a server is to be restarted. */
export const noticingRestarts =
  (restarted: (server: ServerBehind) => void): Handler =>
  (request, server) => {
    if (isRestart(request)) restarted(server);
    return server.forward(request);
  };

/** How long a process that has begun to break requests off still answers others, in milliseconds. */
const farewell = 40;

/**
 * A server that breaks creates off once it has said that it ends, and answers queries until it does, a little later. `afterwards` handles the
 * queries of merchants when it has started again.
 */
export function endingBitByBit(afterwards: Handler): Make {
  let [isEnding, hasStartedAgain] = [false, false];
  return {
    restarts: true,
    control: async (request, server) => {
      if (!isRestart(request)) return server.forward(request);
      isEnding = true;
      setTimeout(() => {
        [isEnding, hasStartedAgain] = [false, true];
        server.forward(request).catch(() => undefined);
      }, farewell);
      return { status: 202, headers: {}, body: Buffer.alloc(0) };
    },
    merchantApi: async (request, server) => {
      if (request.method === 'GET') return (hasStartedAgain ? afterwards : server.forward)(request, server);
      if (isEnding) throw new Ended('the process ends');
      return server.forward(request);
    },
  };
}
