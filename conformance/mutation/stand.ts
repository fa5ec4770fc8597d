import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Session } from '../check/session.ts';
import { openSession } from '../run/session.ts';
import { onStage, type Stage } from './active.ts';
import { buildFolder } from './build.ts';

/** Opens servers of the instrumented build in this process. */
export interface Stand {
  /** Starts a server on this stage, calls `work` with a session with it, and stops the server. */
  against<Result>(
    stage: Stage,
    work: (session: Session) => Promise<Result>,
    patience?: keyof typeof waits,
  ): Promise<Result>;
}

/** How long checks wait, in milliseconds. The servers are near, and a mutant that never does a thing costs the whole wait. */
const waits = {
  brief: { timeout: 10_000, settle: 1500, webhookWait: 2500 },
  patient: { timeout: 60_000, settle: 5000, webhookWait: 15_000 },
};

/** How long the servers wait for a receiver of webhooks, in milliseconds. */
const receiverTimeout = 1000;

/** How long a run against one server may take, in milliseconds: a mutant may keep a check waiting without an end. */
const longestRun = 300_000;

/** How long a server may take to start and to stop, in milliseconds: a mutant may wait for what never comes. */
const longestStep = 30_000;

/** How many checks ask one server at the same time. */
const concurrency = 4;

/** Loads the instrumented build. The namespace must be open. */
export async function openStand(folder = buildFolder): Promise<Stand> {
  const load = (name: string): Promise<unknown> => import(pathToFileURL(join(folder, name)).href);
  const main = await load('server/main.js');
  const sender = await load('server/webhooks/sender.js');
  if (!isMain(main) || !isSender(sender)) throw new Error(`${folder} holds no server`);
  const send = sender.createSender('sandbox', { timeout: receiverTimeout });

  return {
    against: (stage, work, patience = 'brief') =>
      onStage(stage, async () => {
        const starting = main.startServer(
          { host: '127.0.0.1', port: 0, database: ':memory:', mode: 'sandbox', implementation: 'mutation/1' },
          // The server does not validate its own answers: the suite must find the wrong ones.
          (parts) => ({ ...parts, send, validateResponses: false, log: () => undefined }),
        );
        const server = await inTime(starting, 'start');
        try {
          const control = { url: server.control ?? '', token: server.controlToken ?? '' };
          const session = await openSession({
            target: server.url,
            control,
            merchants: {},
            seed: 1,
            concurrency,
            stop: AbortSignal.timeout(longestRun),
            ...waits[patience],
          });
          try {
            return await work(session);
          } finally {
            await session.close();
          }
        } finally {
          await inTime(server.close(), 'stop');
        }
      }),
  };
}

/** What a step of the server resolves with. Rejects when the step takes too long. */
async function inTime<Result>(step: Promise<Result>, name: string): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the server did not ${name} in ${longestStep} ms`)), longestStep);
  });
  return Promise.race([step, late]).finally(() => clearTimeout(timer));
}

const isMain = (module: unknown): module is typeof import('../../server/main.ts') =>
  typeof module === 'object' && module !== null && 'startServer' in module;

const isSender = (module: unknown): module is typeof import('../../server/webhooks/sender.ts') =>
  typeof module === 'object' && module !== null && 'createSender' in module;
