/**
 * Ends a PostgreSQL server when the process that started it is gone, however that ended: standard input is a pipe from
 * there, and closes with it. Argument: the server's data directory, whose lock file has its process id for as long as it
 * runs. Whoever ends the server in order ends this process after it.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const [directory = ''] = process.argv.slice(2);

process.stdin.resume();
await new Promise((resolve) => process.stdin.once('close', resolve));

// It may be starting just now.
for (let tries = 0; tries < 50 && processId() === undefined; tries += 1) await delay(100);
const server = processId();
if (server !== undefined) {
  // Immediate shutdown: it ends its own processes and keeps nothing, which nobody needs any more.
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

/** False when the lock file was left behind and its process id is another's by now, where the system can tell. */
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
