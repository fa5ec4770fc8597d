import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { listen } from './listen.ts';

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

async function serving(listener: RequestListener) {
  const server = createServer(listener);
  const listening = await listen(server, '127.0.0.1', 0);
  const port = Number(new URL(listening.url).port);
  /** A connection of its own, as the server knows it. */
  const connection = async () => {
    const known = once(server, 'connection');
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    sockets.push(socket);
    await known;
    return socket;
  };
  return { ...listening, server, connection };
}

/** All that arrives on a connection until it ends. */
async function everything(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket) text += chunk;
  return text;
}

const request = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

describe('a server that is closed', () => {
  it('answers what is under way, then ends its connection', async () => {
    let answer = () => {};
    const { server, connection, close } = await serving((_request, response) => {
      answer = () => response.end('the answer');
    });
    const socket = await connection();
    const begun = once(server, 'request');
    socket.write(request);
    await begun;
    const closed = close();
    const received = everything(socket);
    answer();
    await closed;
    expect(await received).toMatch(/^HTTP\/1\.1 200 OK.*Connection: close.*the answer/is);
  });

  it('does not wait for connections without a request, used before or not', async () => {
    const { connection, close } = await serving((_request, response) => response.end('first'));
    const used = await connection();
    used.write(request);
    await once(used, 'data');
    await connection();
    const half = await connection();
    half.write('GET / HTTP/1.1\r\n');
    await close(3_600_000);
  });

  it('accepts nothing more', async () => {
    const { url, close } = await serving((_request, response) => response.end());
    expect((await fetch(url)).status).toBe(200);
    await close();
    await expect(fetch(url)).rejects.toThrow();
  });

  it('cuts off what does not end within the grace', async () => {
    const { server, connection, close } = await serving(() => {});
    const socket = await connection();
    const begun = once(server, 'request');
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf');
    await begun;
    const ended = once(socket, 'close');
    await close(20);
    await ended;
  });
});

it('says so when the port is taken', async () => {
  const { url, close } = await serving(() => {});
  await expect(listen(createServer(), '127.0.0.1', Number(new URL(url).port))).rejects.toThrow('EADDRINUSE');
  await close();
});
