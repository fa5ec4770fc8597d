/** The server of the replay: `node replay-server.js HISTORY`. It tells its port, and at the end its CPU time. */
import { createServer } from 'node:http';
import { listen } from '../../server/runtime/listen.ts';
import { ownCpuTime, placeHeader, replayedRequests, withoutOwn } from './replayed.ts';

/** What the server tells at the end. */
export interface Served {
  /** CPU time for the requests, in milliseconds. */
  cpu: number;
}

const answers = (await replayedRequests(process.argv[2] ?? '')).map(({ answer: { status, headers, body } }) => ({
  status,
  headers: withoutOwn(headers),
  body: Buffer.from(body.text),
}));
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    const answer = answers[Number(request.headers[placeHeader])];
    if (!answer) throw new Error('the request names no place of the history');
    response.writeHead(answer.status, { ...answer.headers, 'content-length': answer.body.length }).end(answer.body);
  });
});
const { url } = await listen(server, '127.0.0.1', 0);
const before = ownCpuTime();
process.once('message', () => process.send?.({ cpu: ownCpuTime() - before } satisfies Served));
process.once('disconnect', () => process.exit());
process.send?.(Number(new URL(url).port));
