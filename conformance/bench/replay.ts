import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Served } from './replay-server.ts';

/** What was replayed: how many requests, their time, and the CPU time of client and server together; times in milliseconds. */
export interface Replay {
  requests: number;
  milliseconds: number;
  cpu: number;
}

/**
 * The yardstick of a run: the requests that a history has recorded, sent by a client that does nothing else to a server that does nothing else
 * than give the recorded answers. Its time is what HTTP alone takes.
 */
export async function replay(history: string, connections: number): Promise<Replay> {
  const server = start('replay-server', [history]);
  try {
    const port = await told<number>(server);
    const sent = await told<Replay>(start('replay-client', [history, String(port), String(connections)]));
    server.send('end');
    const { cpu } = await told<Served>(server);
    return { ...sent, cpu: sent.cpu + cpu };
  } finally {
    server.kill();
  }
}

const start = (module: string, args: readonly string[]) =>
  fork(fileURLToPath(new URL(`${module}.js`, import.meta.url)), [...args]);

/** The next message of a process. Rejects when the process ends without one. */
async function told<Message>(child: ChildProcess): Promise<Message> {
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`the replay ended with code ${code}`)));
  const [message] = await Promise.race([once(child, 'message'), ended]);
  return message;
}
