import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { FailureLog } from './logger.ts';
import { repeat } from './repeat.ts';

/** How often the server looks for orders and refunds that are due, in milliseconds. */
const dueInterval = 250;

/** For how long a server that restarts in its process is away, in milliseconds. */
const absence = 20;

/** What a server does: it answers requests, moves what is due and sends webhooks. */
interface Workers {
  handler: RequestListener;
  moveDue(): Promise<void>;
  deliveries: { start(): void; stop(): Promise<void> };
}

/** The work of a server, from its start to its end. */
export interface Work {
  /** Finishes what is under way, and begins nothing new. */
  finish(): Promise<void>;
  /** Breaks off everything at once, as a kill of the process would. */
  breakOff(): void;
}

/** Lets the workers work for the server. `sever`: cuts off their storage. */
export function startWork(server: Server, workers: Workers, log: FailureLog, sever: () => void): Work {
  server.on('request', workers.handler);
  const due = repeat(dueInterval, workers.moveDue, log);
  workers.deliveries.start();
  const finish = async () => {
    await due.stop();
    await workers.deliveries.stop();
  };
  return {
    finish,
    breakOff: () => {
      sever();
      server.off('request', workers.handler);
      server.closeAllConnections();
      // What is still tried fails, because it has no storage any more.
      finish().catch((error: unknown) => log('ending failed', error));
    },
  };
}

/** Work that can end without warning and start again in the same process, with nothing but the data. */
export interface RestartableWork {
  finish(): Promise<void>;
  restart(): void;
}

/** Starts work that can be restarted. `start` is called now, and again at each restart. */
export function restartableWork(server: Server, start: () => Work): RestartableWork {
  let work = start();
  let returning: NodeJS.Timeout | undefined;
  return {
    finish: async () => {
      clearTimeout(returning);
      await work.finish();
    },
    restart: () => {
      work.breakOff();
      // As while a process starts, nobody gets an answer for a moment. Whoever asked for the restart sees that it has begun.
      const refuse = ({ socket }: IncomingMessage) => socket.destroy();
      server.on('request', refuse);
      returning = setTimeout(() => {
        server.off('request', refuse);
        work = start();
      }, absence);
    },
  };
}
