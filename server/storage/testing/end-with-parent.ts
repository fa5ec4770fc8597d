/**
 * Ends a PostgreSQL server when the process that started it is gone, however that process ended. Standard input is a
 * pipe from that process and closes with it. Argument: the server's data directory. Its lock file holds the server's
 * process id as long as the server runs. A caller that ends the server in order ends this process afterwards.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const [directory = ''] = process.argv.slice(2);

process.stdin.resume();
await new Promise((resolve) => process.stdin.once('close', resolve));

// The server may be starting at this moment.
for (let tries = 0; tries < 50 && processId() === undefined; tries += 1) await delay(100);
const server = processId();
if (server !== undefined) {
  // Immediate shutdown: the server ends its own processes and saves nothing, because the data is no longer needed.
  process.kill(server, 'SIGQUIT');
  while (isAlive(server)) await delay(50);
}
rmSync(directory, { recursive: true, force: true });

/** The server's process id; `undefined` while it does not run. */
function processId(): number | undefined {
  try {
    const id = Number(readFileSync(join(directory, 'postmaster.pid'), 'utf8').split('\n')[0]);
    return id > 0 && isServer(id) ? id : undefined;
  } catch {
    return undefined;
  }
}

/** False when the lock file is stale and its process id belongs to another process, where the system can tell. */
function isServer(id: number): boolean {
  return !existsSync('/proc/self/cmdline') || readFileSync(`/proc/${id}/cmdline`, 'utf8').includes(directory);
}

function isAlive(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch {
    return false;
  }
}
