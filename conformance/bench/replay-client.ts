/** The client of the replay: `node replay-client.js HISTORY PORT CONNECTIONS`. It tells what its requests took, and ends. */
import { Agent, request } from 'node:http';
import type { Replay } from './replay.ts';
import { type Answered, ownCpuTime, placeHeader, replayedRequests, withoutOwn } from './replayed.ts';

const [, , history = '', port, connections] = process.argv;
const requests = await replayedRequests(history);
const agent = new Agent({ keepAlive: true, maxSockets: Number(connections) });

function send({ method, path, query, headers, body }: Answered, place: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const target = query === undefined ? path : `${path}?${query}`;
    const options = { agent, host: '127.0.0.1', port, method, path: target };
    const bytes = body && Buffer.from(body.text);
    const length = bytes && { 'content-length': bytes.length };
    const sent = request({ ...options, headers: { ...withoutOwn(headers), ...length, [placeHeader]: place } });
    sent.on('error', reject);
    sent.on('response', (response) => {
      response.resume().on('end', resolve);
    });
    sent.end(bytes);
  });
}

let next = 0;
/** Sends one request after the other until none is left. */
async function sendInTurn(): Promise<void> {
  for (let place = next++; place < requests.length; place = next++) {
    const each = requests[place];
    if (each) await send(each, place);
  }
}

const [began, before] = [performance.now(), ownCpuTime()];
await Promise.all(Array.from({ length: Number(connections) }, sendInTurn));
const milliseconds = performance.now() - began;
process.send?.({ requests: requests.length, milliseconds, cpu: ownCpuTime() - before } satisfies Replay);
agent.destroy();
process.disconnect();
