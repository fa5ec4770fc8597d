/** A process of `npm run proof`: judges the servers that it is sent until the parent process disconnects. */
import type { FromWorker } from './crew.ts';
import type { Job } from './jobs.ts';
import { openJudges } from './judge-server.ts';

/** How often the process gives a sign of life, in milliseconds. */
const heartbeat = 500;

const judges = await openJudges();
let before = performance.eventLoopUtilization();
let busy = 0;

function send(message: Pick<FromWorker, 'judged'>): void {
  const { user, system } = process.cpuUsage();
  const whole: FromWorker = { ...message, busy, cpu: (user + system) / 1000 };
  // A parent process that is just about to disconnect waits for nothing more.
  if (process.connected) process.send?.(whole, undefined, undefined, () => undefined);
}

process.on('message', async (job: Job) => send({ judged: await judges.judge(job) }));
process.on('disconnect', () => process.exit());
setInterval(() => {
  const now = performance.eventLoopUtilization();
  busy = performance.eventLoopUtilization(now, before).utilization;
  before = now;
  send({});
}, heartbeat);
