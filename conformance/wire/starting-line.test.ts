import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import { afterEach, expect, test, vi } from 'vitest';
import { listen } from '../tests/support/loopback.ts';
import { openConnections } from './connections.ts';
import { guardLimits } from './limits.ts';
import { startingLineFor } from './starting-line.ts';
import { createTransport } from './transport.ts';

const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const close of closing.splice(0).reverse()) await close();
});

/** A line with which so many of its requests have arrived, and which of them have gone. */
function arrivedAt(line: ReturnType<typeof startingLineFor>, requests: number): number[] {
  const gone: number[] = [];
  for (let number = 1; number <= requests; number += 1) line.arrive(() => gone.push(number));
  return gone;
}

test('those who have arrived at a starting line go when the last one has', () => {
  const line = startingLineFor(3);
  const gone = arrivedAt(line, 2);
  expect(gone).toEqual([]);
  line.arrive(() => gone.push(3));
  expect(gone).toEqual([1, 2, 3]);
  line.arrive(() => gone.push(4));
  expect(gone).toEqual([1, 2, 3, 4]);
});

test('those who have arrived at a starting line go after half a second where others do not come', () => {
  vi.useFakeTimers();
  const gone = arrivedAt(startingLineFor(3), 2);
  vi.advanceTimersByTime(499);
  expect(gone).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(gone).toEqual([1, 2]);
});

test('a request waits at the starting line with the last byte of its body', async () => {
  let text = '';
  const server = createServer((request, response) => {
    request.setEncoding('utf8');
    request.on('data', (piece: string) => {
      text += piece;
      server.emit('piece');
    });
    request.on('end', () => response.end('{"code":"00000"}'));
  });
  const { port, close } = await listen(server);
  const connections = openConnections({ maximum: 1, timeout: 5000 });
  closing.push(close, connections.close);
  const transport = createTransport({ connections, limits: guardLimits({}), runId: 'test', timeout: 5000 });
  const line = new EventEmitter();
  const arrived = once(line, 'arrived');
  const answer = transport.send({
    ...{ method: 'POST', target: '/', origin: `http://127.0.0.1:${port}`, headers: {} },
    body: Buffer.from('{"number":1}'),
    startingLine: { arrive: (go) => line.emit('arrived', go) },
  });
  await once(server, 'piece');
  const [go] = await arrived;
  expect(text).toBe('{"number":1');
  go();
  expect((await answer).status).toBe(200);
  expect(text).toBe('{"number":1}');
});
