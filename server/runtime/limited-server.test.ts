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

test.each([
  ['at once', (end: () => void) => end()],
  ['later', (end: () => void) => setImmediate(() => setImmediate(end))],
])('a request that cannot be read is refused after the requests before it, answered %s', async (_when, answer) => {
  const server = limitedServer();
  server.on('request', (request, response) => answer(() => response.end(`served ${request.url}`)));
  const { url, close } = await listen(server, '127.0.0.1', 0);
  const text = await untilClosed(url, `${get('/1')}${get('/2')}GET /3 what is this\r\n\r\n${get('/4')}`);
  const answers = [...text.matchAll(/HTTP\/1\.1 (\d+)|served .\d/g)].map(([whole, status]) => status ?? whole);
  expect(answers).toEqual(['200', 'served /1', '200', 'served /2', '400']);
  await close();
});

test.each([
  ['answered before its end', true, ['200']],
  ['not answered yet', false, ['400']],
])('a body that cannot be read, of a request that is %s, gets one answer', async (_what, early, statuses) => {
  const server = limitedServer();
  server.on('request', (_request, response) => {
    if (early) response.flushHeaders();
  });
  const { url, close } = await listen(server, '127.0.0.1', 0);
  const text = await untilClosed(
    url,
    'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\nno size\r\n',
  );
  expect([...text.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => status)).toEqual(statuses);
  await close();
});

test('headers that are too long are refused with HTTP 431', async () => {
  const { url, close } = await listen(limitedServer(), '127.0.0.1', 0);
  expect(await untilClosed(url, `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`)).toMatch(
    /^$|^HTTP\/1\.1 431 /,
  );
  await close();
});

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
