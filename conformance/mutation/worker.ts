/** A process of `npm run mutation`: does the jobs that it is sent until the parent process disconnects. */
import { noteCrashes, openNamespace } from './active.ts';
import { cover, judgeMutant } from './judge.ts';
import type { FromWorker, NumberedJob } from './messages.ts';
import { openStand } from './stand.ts';

/** How often the process gives a sign of life, in milliseconds. */
const heartbeat = 1000;

const reached = openNamespace(process.argv[2]);
const opened = openStand();
noteCrashes();

function send(message: Omit<FromWorker, 'cpu'>): void {
  const { user, system } = process.cpuUsage();
  // A parent process that has just disconnected takes no message any more, which is no error here.
  if (process.connected)
    process.send?.({ cpu: (user + system) / 1000, ...message } satisfies FromWorker, () => undefined);
}

process.on('message', async ({ number, job }: NumberedJob) => {
  const stand = await opened;
  if ('cover' in job) send({ done: { number, covered: await cover(job.cover, stand, reached, job.patience) } });
  else send({ done: { number, judged: await judgeMutant(job.judge, job.rounds, stand) } });
});
setInterval(() => send({}), heartbeat);
process.on('disconnect', () => process.exit());
await opened;
send({ loaded: Object.keys(reached.static) });
