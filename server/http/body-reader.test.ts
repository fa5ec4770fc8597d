import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bodyReader, UnreadBody } from './body-reader.ts';

const readBody = bodyReader({ largest: 1000, backlog: 2500 });
const server = createServer((request, response) => {
  readBody(request).then(
    (body) => response.end(String(body.length)),
    (error: unknown) => response.writeHead(error instanceof UnreadBody ? error.status : 500).end(),
  );
});
const sockets: Socket[] = [];

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

/** Begins a request with a part of its body, and resolves when the part is written. */
async function begin(headers: string, part: string): Promise<Socket> {
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  sockets.push(socket);
  await once(socket, 'connect');
  await new Promise((resolve) => socket.write(`POST / HTTP/1.1\r\nHost: a\r\n${headers}\r\n\r\n${part}`, resolve));
  return socket;
}

async function answerTo(socket: Socket): Promise<string> {
  const [text] = await once(socket, 'data');
  return String(text);
}

test('reads a body of the largest size, in whatever pieces it comes', async () => {
  expect(await answerTo(await begin('Content-Length: 1000', 'a'.repeat(1000)))).toContain('\r\n\r\n1000');
  const singly = `${'1\r\na\r\n'.repeat(1000)}0\r\n\r\n`;
  expect(await answerTo(await begin('Transfer-Encoding: chunked', singly))).toMatch('1000');
});

test.each([
  ['by its header', 'Content-Length: 1001', ''],
  ['by its bytes', 'Transfer-Encoding: chunked', `3e9\r\n${'a'.repeat(1001)}\r\n`],
])('refuses a larger one %s', async (_what, headers, part) => {
  expect(await answerTo(await begin(headers, part))).toContain('HTTP/1.1 413');
});

test('refuses compressed bytes', async () => {
  expect(await answerTo(await begin('Content-Encoding: gzip\r\nContent-Length: 4', 'gzip'))).toContain('HTTP/1.1 415');
});

test('gives up the oldest unfinished body when all together are too large, and no other', async () => {
  const oldest = await begin('Content-Length: 1000', 'a'.repeat(900));
  const refused = answerTo(oldest);
  const second = await begin('Content-Length: 1000', 'a'.repeat(900));
  const third = await begin('Content-Length: 1000', 'a'.repeat(900));
  expect(await refused).toContain('HTTP/1.1 503');
  for (const socket of [second, third]) {
    socket.write('a'.repeat(100));
    expect(await answerTo(socket)).toContain('\r\n\r\n1000');
  }
});
