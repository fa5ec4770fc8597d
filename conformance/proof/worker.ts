/** A process of `npm run proof`: judges the servers whose positions it is sent, until the parent process disconnects. */
import { openJudges } from './judge-server.ts';

const judges = openJudges();

process.on('message', async (position: number) => {
  const judged = await (await judges).judge(position);
  process.send?.(judged);
});
process.on('disconnect', async () => {
  await (await judges).close();
});
