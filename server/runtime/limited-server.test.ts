import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { limitedServer, serverLimits } from './limited-server.ts';
import { listen } from './listen.ts';

const limits = { ...serverLimits, headersTimeout: 100, requestTimeout: 200, connectionsCheckingInterval: 20 };

/** Sends the beginning of a request, or nothing, and resolves with all that the server sends until it hangs up. */
async function untilClosed(url: string, beginning: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  socket.on('error', () => {});
  if (beginning !== '') socket.write(beginning);
  await once(socket, 'close');
  return text;
}

test.each([
  ['nothing', ''],
  ['half of the headers', 'GET / HTTP/1.1\r\nHost: a\r\n'],
  ['half of the body', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf'],
])('a client that sends %s is hung up on', async (_what, beginning) => {
  const server = limitedServer(limits);
  server.on('request', () => {});
  const { url, close } = await listen(server, '127.0.0.1', 0);
  expect(await untilClosed(url, beginning)).toMatch(/^$|^HTTP\/1\.1 408 /);
  await close();
});

test('connections beyond the limit are closed, and the others are served', async () => {
  const server = limitedServer({ ...serverLimits, maxConnections: 1 });
  server.on('request', (_request, response) => response.end('served'));
  const { url, close } = await listen(server, '127.0.0.1', 0);
  const first = connect(Number(new URL(url).port), '127.0.0.1');
  await once(first, 'connect');
  expect(await untilClosed(url, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')).toBe('');
  first.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  expect(String(await once(first, 'data'))).toContain('served');
  await close();
});
