import type { AppParts } from '../../../server/app.ts';
import type { Records } from '../../../server/services/ports.ts';
import { storing } from './changes.ts';
import type { Make } from './fault.ts';
import type { Handler, ProxyRequest } from './proxy.ts';

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

/** A handler of the control API that calls `restarted` when the server is to be restarted. */
export const noticingRestarts =
  (restarted: () => void): Handler =>
  (request, server) => {
    if (isRestart(request)) restarted();
    return server.forward(request);
  };
