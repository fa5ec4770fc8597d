import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createGuard } from './address-guard.ts';
import { createSender } from './sender.ts';
import { type Receiver, selfSigned, startReceiver } from './testing/receiver.ts';

const open: { close(): unknown }[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

async function receiver(...how: Parameters<typeof startReceiver>): Promise<Receiver> {
  const started = await startReceiver(...how);
  open.push(started);
  return started;
}

/** A receiver below HTTP; resolves with its port. */
async function tcp(onConnection: (socket: Socket) => void): Promise<number> {
  const sockets: Socket[] = [];
  const server: Server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push({
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

const post = (url: string, body = '{}') => ({ url, headers: { 'Content-Type': 'application/json' }, body });
const leadsTo = (address: string) => async () => [{ address, family: 4 }];

describe('in sandbox mode', () => {
  const send = createSender('sandbox');

  test('a receiver gets exactly the target, headers and body', async () => {
    const { port, received } = await receiver((response) => response.end());
    const body = '{"note":"绿茶 🍵"}';
    const url = `http://127.0.0.1:${port}/hooks/caf%c3%a9%2Forders?tenant=7&x`;
    await expect(
      send({ url, headers: { 'Content-Type': 'application/json', 'webhook-id': 'evt.1' }, body }),
    ).resolves.toEqual({ httpStatus: 200 });
    expect(received).toMatchObject([
      {
        method: 'POST',
        target: '/hooks/caf%c3%a9%2Forders?tenant=7&x',
        headers: { 'content-type': 'application/json', 'webhook-id': 'evt.1', 'content-length': '22' },
      },
    ]);
    expect(received[0]?.body.toString()).toBe(body);
  });

  test.each([200, 201, 204, 404, 500, 503])('an answer of %d is told as such', async (status) => {
    const { port } = await receiver((response) => response.writeHead(status).end());
    await expect(send(post(`http://127.0.0.1:${port}/`))).resolves.toEqual({ httpStatus: status });
  });

  test.each([301, 302, 303, 307, 308])('a redirect of %d is not followed', async (status) => {
    const elsewhere = await receiver((response) => response.end());
    const { port, received } = await receiver((response) =>
      response.writeHead(status, { Location: `http://127.0.0.1:${elsewhere.port}/` }).end(),
    );
    await expect(send(post(`http://127.0.0.1:${port}/`))).resolves.toEqual({ httpStatus: status });
    expect(received).toHaveLength(1);
    expect(elsewhere.received).toEqual([]);
  });

  test('an answer without end is given up at its bound', async () => {
    let closed: Promise<unknown> | undefined;
    const { port } = await receiver((response) => {
      closed = once(response, 'close');
      const more = () => response.write(Buffer.alloc(16 * 1024));
      response.writeHead(200).on('drain', more);
      more();
    });
    // Long enough for the deadline to have no part in it.
    const patient = createSender('sandbox', { timeout: 3_600_000 });
    await expect(patient(post(`http://127.0.0.1:${port}/`))).resolves.toEqual({ httpStatus: 200 });
    await closed;
  });

  test('a name is looked up once, so that what was judged is what is connected to', async () => {
    const { port, received } = await receiver((response) => response.end());
    const answers = ['127.0.0.1', '127.0.0.2'];
    const guard = createGuard('sandbox', async () => [{ address: answers.shift() ?? '', family: 4 }]);
    await expect(createSender('sandbox', { guard })(post(`http://shop.example:${port}/`))).resolves.toEqual({
      httpStatus: 200,
    });
    expect(received).toHaveLength(1);
    expect(answers).toEqual(['127.0.0.2']);
  });

  test('nobody listens there', async () => {
    const port = await tcp(() => undefined);
    await Promise.all(open.splice(0).map((each) => each.close()));
    await expect(send(post(`http://127.0.0.1:${port}/`))).resolves.toEqual({
      error: 'the connection was refused (ECONNREFUSED)',
    });
  });

  test.each([
    ['hangs up', (socket: Socket) => socket.once('data', () => socket.destroy()), /closed without an answer/],
    ['does not speak HTTP', (socket: Socket) => socket.end('hello\r\n\r\n'), /not HTTP/],
    [
      'changes the protocol',
      (socket: Socket) =>
        socket.once('data', () => socket.write('HTTP/1.1 101 x\r\nConnection: upgrade\r\nUpgrade: y\r\n\r\n')),
      /closed without an answer/,
    ],
  ])('one that %s', async (_, behave, error) => {
    const port = await tcp(behave);
    await expect(send(post(`http://127.0.0.1:${port}/`))).resolves.toEqual({ error: expect.stringMatching(error) });
  });

  test.each(['ftp://127.0.0.1/', 'nonsense', 'http://[::1', 'urn:a:b'])('%s is told, not thrown', async (url) => {
    await expect(send(post(url))).resolves.toEqual({ error: expect.stringMatching(/^the address is /) });
  });

  test('what cannot be sent is told, without what it holds', async () => {
    const result = await send({ url: 'http://127.0.0.1:1/', headers: { 'X-Signature': 'se\ncret' }, body: '' });
    expect(result).toEqual({ error: expect.stringMatching(/^the request failed/) });
    expect(JSON.stringify(result)).not.toMatch(/cret/);
  });
});

describe('a receiver that is slow', () => {
  const send = createSender('sandbox', { timeout: 50 });
  const timedOut = { error: 'no answer within 0.05 s' };

  test('to answer', async () => {
    const { port, received } = await receiver(() => undefined);
    await expect(send(post(`http://127.0.0.1:${port}/`))).resolves.toEqual(timedOut);
    expect(received).toHaveLength(1);
  });

  test('to write its headers, byte by byte', async () => {
    const port = await tcp((socket) => {
      const timer = setInterval(() => socket.write('x'), 10);
      socket.write('HTTP/1.1 200 OK\r\n');
      socket.on('close', () => clearInterval(timer));
    });
    await expect(send(post(`http://127.0.0.1:${port}/`))).resolves.toEqual(timedOut);
  });

  test('to agree on TLS', async () => {
    const port = await tcp(() => undefined);
    await expect(send(post(`https://127.0.0.1:${port}/`))).resolves.toEqual(timedOut);
  });

  test('to be looked up', async () => {
    const guard = createGuard('sandbox', () => new Promise(() => undefined));
    const waiting = createSender('sandbox', { timeout: 50, guard });
    await expect(waiting(post('http://shop.example/'))).resolves.toEqual(timedOut);
  });

  test('to end its body has answered', async () => {
    const { port } = await receiver((response) => response.writeHead(200).write('{'));
    await expect(send(post(`http://127.0.0.1:${port}/`))).resolves.toEqual({ httpStatus: 200 });
  });
});

describe('a certificate that nobody vouches for', async () => {
  const certificate = await selfSigned();
  const untrusted = { error: 'the certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)' };
  const secure = () => receiver((response) => response.end(), certificate);

  test.each(['127.0.0.1', 'localhost'])('is accepted from %s in sandbox mode', async (host) => {
    const guard = createGuard('sandbox', leadsTo('127.0.0.1'));
    const { port } = await secure();
    await expect(createSender('sandbox', { guard })(post(`https://${host}:${port}/`))).resolves.toEqual({
      httpStatus: 200,
    });
  });

  test('is refused from any other name in sandbox mode', async () => {
    const guard = createGuard('sandbox', leadsTo('127.0.0.1'));
    const { port, received } = await secure();
    await expect(createSender('sandbox', { guard })(post(`https://shop.example:${port}/`))).resolves.toEqual(untrusted);
    expect(received).toEqual([]);
  });

  test.each(['127.0.0.1', 'localhost'])('is refused from %s in production mode', async (host) => {
    // Any address may be used here, so that it is the certificate which is refused.
    const guard = createGuard('sandbox', leadsTo('127.0.0.1'));
    const { port, received } = await secure();
    await expect(createSender('production', { guard })(post(`https://${host}:${port}/`))).resolves.toEqual(untrusted);
    expect(received).toEqual([]);
  });
});

describe('in production mode', () => {
  test.each(['127.0.0.1', 'localhost', '0x7f.1', '[::ffff:127.0.0.1]'])('%s is not connected to', async (host) => {
    const { port, received } = await receiver((response) => response.end());
    await expect(createSender('production')(post(`http://${host}:${port}/`))).resolves.toEqual({
      error: expect.stringMatching(/ is not an address on the public internet$/),
    });
    expect(received).toEqual([]);
  });

  test('nor is a name that leads there', async () => {
    const { port, received } = await receiver((response) => response.end());
    const send = createSender('production', { guard: createGuard('production', leadsTo('127.0.0.1')) });
    await expect(send(post(`http://shop.example:${port}/`))).resolves.toEqual({
      error: 'the host name leads to an address that is not on the public internet',
    });
    expect(received).toEqual([]);
  });
});
