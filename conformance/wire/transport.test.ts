import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { Socket } from 'node:net';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { Inconclusive } from '../errors/outcomes.ts';
import { createRecorder } from '../history/recorder.ts';
import { type Certified, issueFor, makeAuthority } from '../tests/support/certificates.ts';
import { listen, startForwardProxy } from '../tests/support/loopback.ts';
import { openConnections, proxyFor, type TlsSettings } from './connections.ts';
import { guardLimits, LimitReached, type Limits } from './limits.ts';
import { isTelling } from './says-something.ts';
import { createTransport, type RawRequest, type Transport } from './transport.ts';

const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const close of closing.splice(0).reverse()) await close();
});

/** A server with what it saw: how many connections, and the request lines and hosts of its requests. */
async function serve(answer: RequestListener, tls?: ServerOptions) {
  const seen: string[] = [];
  const sockets: Socket[] = [];
  const listener: RequestListener = (request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.host}`);
    request.resume();
    answer(request, response);
  };
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  server.on('connection', (socket: Socket) => sockets.push(socket));
  const { port, close } = await listen(server);
  closing.push(close);
  return { server, port, seen, sockets, origin: `${tls ? 'https' : 'http'}://127.0.0.1:${port}` };
}

function open(settings: { timeout?: number; maximum?: number; tls?: TlsSettings; limits?: Limits } = {}): Transport {
  const { timeout = 5000, maximum = 4, tls, limits = {} } = settings;
  const connections = openConnections({ maximum, timeout, tls });
  closing.push(connections.close);
  return createTransport({ connections, limits: guardLimits(limits), runId: 'test', timeout });
}

const get = (origin: string, changes: Partial<RawRequest> = {}): RawRequest => ({
  method: 'GET',
  origin,
  target: '/',
  headers: {},
  ...changes,
});

const fine: RequestListener = (_request, response) => response.end('{"code":"00000"}');

describe('a target behind TLS of its own', () => {
  let authority: Certified;
  let certificate: Certified;
  beforeAll(async () => {
    authority = await makeAuthority();
    certificate = await issueFor('sandbox.test', authority);
  });

  it('is trusted when its authority is configured, and not otherwise', async () => {
    const { origin, seen } = await serve(fine, certificate);
    await expect(open().send(get(origin))).rejects.toThrow(/UNABLE_TO_VERIFY_LEAF_SIGNATURE/);
    expect(seen).toEqual([]);
    await expect(open({ tls: { ca: authority.cert } }).send(get(origin))).resolves.toMatchObject({ status: 200 });
  });

  it('has its certificate held against its address, whatever host a request names', async () => {
    const { origin, seen } = await serve(fine, certificate);
    const request = get(origin, { target: '/a', headers: { Host: 'shop.test' } });
    await expect(open({ tls: { ca: authority.cert } }).send(request)).resolves.toMatchObject({ status: 200 });
    expect(seen).toEqual(['GET /a shop.test']);
  });

  it('gets our certificate when it asks for one', async () => {
    const client = await issueFor('runner.test', authority);
    const { origin, seen } = await serve(fine, { ...certificate, ca: authority.cert, requestCert: true });
    await expect(open({ tls: { ca: authority.cert } }).send(get(origin))).rejects.toThrow(Inconclusive);
    expect(seen).toEqual([]);
    const tls = { ca: authority.cert, ...client };
    await expect(open({ tls }).send(get(origin))).resolves.toMatchObject({ status: 200 });
  });

  it('is reached through a tunnel of the proxy, which is kept', async () => {
    const { port, seen } = await serve(fine, certificate);
    const proxy = await startForwardProxy();
    closing.push(proxy.close);
    vi.stubEnv('https_proxy', `http://us%40er:pass@127.0.0.1:${proxy.port}`);
    const transport = open({ tls: { ca: authority.cert } });
    for (const target of ['/a', '/b', '/c']) await transport.send(get(`https://sandbox.test:${port}`, { target }));
    expect(seen).toEqual(['/a', '/b', '/c'].map((path) => `GET ${path} sandbox.test:${port}`));
    const authorization = `Basic ${Buffer.from('us@er:pass').toString('base64')}`;
    expect(proxy.asked).toEqual([{ line: `CONNECT sandbox.test:${port}`, authorization }]);
  });

  it('is not judged by a proxy that opens no tunnel', async () => {
    const proxy = await startForwardProxy(403);
    closing.push(proxy.close);
    vi.stubEnv('HTTPS_PROXY', `http://127.0.0.1:${proxy.port}`);
    await expect(open().send(get('https://sandbox.test'))).rejects.toThrow(
      'the proxy opened no connection to it: HTTP 403',
    );
  });
});

describe('a proxy', () => {
  it('gets the request for a plain target, byte for byte', async () => {
    const { port, seen } = await serve(fine);
    const proxy = await startForwardProxy();
    closing.push(proxy.close);
    vi.stubEnv('HTTP_PROXY', `http://user:pass@127.0.0.1:${proxy.port}`);
    const transport = open();
    const origin = `http://sandbox.test:${port}`;
    await transport.send(get(origin, { target: '/a/../b?x=%7e' }));
    expect(seen).toEqual([`GET /a/../b?x=%7e sandbox.test:${port}`]);
    const authorization = `Basic ${Buffer.from('user:pass').toString('base64')}`;
    expect(proxy.asked).toEqual([{ line: `GET ${origin}/a/../b?x=%7e`, authorization }]);
    expect(JSON.stringify(transport.exchanges)).not.toContain(authorization);
  });

  it('is named by the environment, and left out for this machine and for what NO_PROXY names', () => {
    vi.stubEnv('HTTP_PROXY', 'http://plain.test:3128');
    vi.stubEnv('https_proxy', 'http://secure.test:3128');
    vi.stubEnv('NO_PROXY', 'inside.test,.internal.test');
    const addresses = ['http://a.test', 'https://a.test', 'http://inside.test', 'https://a.internal.test'];
    expect(addresses.map(proxyFor)).toEqual([
      'http://plain.test:3128',
      'http://secure.test:3128',
      undefined,
      undefined,
    ]);
    const here = ['http://localhost:1', 'http://127.0.0.2', 'https://[::1]:1', 'http://a.localhost'];
    expect(here.map(proxyFor)).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('that wants credentials is not the target', async () => {
    const proxy = await startForwardProxy(407);
    closing.push(proxy.close);
    vi.stubEnv('http_proxy', `http://127.0.0.1:${proxy.port}`);
    await expect(open().send(get('http://sandbox.test'))).rejects.toThrow('the proxy wants credentials');
  });
});

describe('a kept connection', () => {
  it('is used again at once, and given up when it has idled', async () => {
    const { origin, server, sockets } = await serve(fine);
    server.keepAliveTimeout = 60_000;
    const transport = open();
    await transport.send(get(origin));
    await transport.send(get(origin));
    expect(sockets).toHaveLength(1);
    await new Promise((resolve) => sockets[0]?.once('close', resolve));
    await transport.send(get(origin));
    expect(sockets).toHaveLength(2);
  });

  it('is closed once none is to be kept, and others are kept when they are to be again', async () => {
    const { origin, server, sockets } = await serve(fine);
    server.keepAliveTimeout = 60_000;
    const connections = openConnections({ maximum: 4, timeout: 5000 });
    closing.push(connections.close);
    const transport = createTransport({ connections, limits: guardLimits({}), runId: 'test', timeout: 5000 });
    await transport.send(get(origin));
    const closed = new Promise((resolve) => sockets[0]?.once('close', resolve));
    connections.keepNone();
    await closed;
    for (let count = 0; count < 2; count += 1) await transport.send(get(origin));
    expect(sockets).toHaveLength(3);
    connections.keepAgain();
    for (let count = 0; count < 2; count += 1) await transport.send(get(origin));
    expect(sockets).toHaveLength(4);
  });

  it('is not used again where the target announces that it closes soon', async () => {
    const { origin, server, sockets } = await serve(fine);
    server.keepAliveTimeout = 1900;
    const transport = open();
    for (let count = 0; count < 3; count += 1) await transport.send(get(origin));
    expect(sockets).toHaveLength(3);
  });
});

describe('a rate limit', () => {
  const limiting = (times: number, after: string): RequestListener => {
    let left = times;
    return (request, response) => {
      left -= 1;
      if (left < 0) fine(request, response);
      else response.writeHead(429, { 'retry-after': after }).end();
    };
  };

  it('may be a gateway that is alone for a while and says until when; without that its word is final', async () => {
    let asked = 0;
    const deploying = (after: Record<string, string>) =>
      serve((_, response) => {
        asked += 1;
        response.writeHead(asked % 2 === 1 ? 503 : 200, asked % 2 === 1 ? after : {}).end();
      });
    const { origin } = await deploying({ 'retry-after': '0' });
    await expect(open().send(get(origin))).resolves.toMatchObject({ status: 200, exchange: 2 });
    const silent = await deploying({});
    await expect(open().send(get(silent.origin))).rejects.toThrow(
      /a gateway answered in place of the target: HTTP 503/,
    );
  });

  it('is waited out, and what carries the time is made anew', async () => {
    const { origin, seen } = await serve(limiting(1, '1'));
    const transport = open();
    const waits: number[] = [];
    const headers = (waited: number) => {
      waits.push(waited);
      return {};
    };
    const answer = await transport.send(get(origin, { headers }));
    expect(answer).toMatchObject({ status: 200, exchange: 2 });
    expect(seen).toHaveLength(2);
    expect(transport.exchanges.map(({ response }) => response?.status)).toEqual([429, 200]);
    expect(waits[1]).toBeGreaterThanOrEqual(990);
  });

  it('that others of the run meet too is waited out several times', async () => {
    const { origin, seen } = await serve(limiting(20, '0'));
    await expect(open().send(get(origin))).resolves.toMatchObject({ status: 200 });
    expect(seen).toHaveLength(21);
  });

  it('that goes on is not held against the target, nor met with requests for ever', async () => {
    const { origin, seen } = await serve(limiting(50, '0'));
    await expect(open().send(get(origin))).rejects.toThrow(/limits\.requestsPerSecond/);
    expect(seen).toHaveLength(21);
  });

  it('is not waited out for minutes', async () => {
    const { origin, seen } = await serve(limiting(1, '600'));
    await expect(open().send(get(origin))).rejects.toThrow('after 600 s, which is too long');
    expect(seen).toHaveLength(1);
  });

  it('is not waited out for minutes in several waits either', async () => {
    let asked = 0;
    const { origin, seen } = await serve((_request, response) => {
      asked += 1;
      response.writeHead(429, { 'retry-after': asked === 1 ? '1' : '60' }).end();
    });
    await expect(open().send(get(origin))).rejects.toThrow('after 60 s, which is too long');
    expect(seen).toHaveLength(2);
  });

  it('that was provoked is an answer', async () => {
    const { origin } = await serve(limiting(1, '1'));
    await expect(open().send(get(origin, { provokes429: true }))).resolves.toMatchObject({ status: 429 });
  });
});

describe('connections that the target closes without notice', () => {
  it('are not kept any more after some of them', async () => {
    const requests = new Map<Socket, number>();
    const { origin, server, sockets } = await serve(({ socket }, response) => {
      requests.set(socket, (requests.get(socket) ?? 0) + 1);
      if (requests.get(socket) === 1) response.end('{}');
      else socket.resetAndDestroy();
    });
    server.keepAliveTimeout = 60_000;
    const transport = open({ maximum: 1 });
    const outcomes = [];
    for (let count = 0; count < 10; count += 1) {
      outcomes.push(
        await transport.send(get(origin)).then(
          () => 'answered',
          (error: Error) => (error.message.includes('over a kept connection') ? 'lost' : error.message),
        ),
      );
    }
    const [kept, single] = [['answered', 'lost', 'answered', 'lost', 'answered', 'lost'], Array(4).fill('answered')];
    expect(outcomes).toEqual([...kept, ...single]);
    expect(sockets).toHaveLength(3 + 4);
  });
});

describe('an interruption', () => {
  it.each<[string, RequestListener, string]>([
    ['a gateway’s page', (_request, response) => response.writeHead(502).end('<h1>Bad gateway</h1>'), 'a gateway'],
    ['a reset', (request) => request.socket.resetAndDestroy(), 'ECONNRESET'],
    [
      'a reset in the middle of the answer',
      (request, response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('{"code"', () => request.socket.resetAndDestroy());
      },
      'ECONNRESET',
    ],
    [
      'an end in the middle of the answer',
      (request, response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('{"code"', () => request.socket.end());
      },
      'aborted',
    ],
    ['silence', () => {}, 'did not come within 1000 ms'],
  ])('is not held against the target, nor repeated: %s', async (_what, answer, message) => {
    const { origin, seen } = await serve(answer);
    const sent = open({ timeout: 1000 }).send(get(origin, { method: 'POST' }));
    await expect(sent).rejects.toThrow(Inconclusive);
    await expect(sent).rejects.toThrow(message);
    expect(seen).toHaveLength(1);
  });

  it('is not what a request waits for that has no connection yet', async () => {
    const { origin } = await serve((_request, response) => setTimeout(() => response.end('{}'), 400));
    const transport = open({ timeout: 1500, maximum: 1 });
    const sent = Array.from({ length: 5 }, () => transport.send(get(origin)));
    expect(await Promise.all(sent)).toHaveLength(5);
  });
});

describe('an answer that is longer than its Content-Length says', () => {
  it('is read as far as that', async () => {
    const { origin } = await serve((_request, response) => {
      response.socket?.end('HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n{"a":"\u017c\u017c"}');
    });
    await expect(open().send(get(origin))).resolves.toMatchObject({ status: 200, text: '{"a":"\u017c' });
  });

  it('is no answer where it is none of HTTP', async () => {
    const { origin } = await serve((_request, response) => {
      response.socket?.end('{"code":"00000"}');
    });
    await expect(open().send(get(origin))).rejects.toThrow(/no answer to GET \//);
  });
});

describe('an answer that is long', () => {
  const mebibyte = 1024 * 1024;
  const answering =
    (bytes: number): RequestListener =>
    (_request, response) =>
      response.end(JSON.stringify('x'.repeat(bytes)));

  it('is read to a limit', async () => {
    const { origin } = await serve(answering(5 * mebibyte));
    await expect(open().send(get(origin))).rejects.toThrow(/longer than 4\d{3} KiB, and its rest was not read/);
  });

  it('is not read to its end where others that come at the same time are as long', async () => {
    const { origin } = await serve(answering(3 * mebibyte));
    const transport = open({ maximum: 32, timeout: 60_000 });
    const sent = await Promise.allSettled(Array.from({ length: 32 }, () => transport.send(get(origin))));
    const whole = sent.filter(({ status }) => status === 'fulfilled').length;
    // The run reads 48 MiB of such answers, whichever they are.
    expect(whole).toBeLessThanOrEqual(16);
    // An ordinary answer is still read.
    const { origin: ordinary } = await serve(fine);
    await expect(transport.send(get(ordinary))).resolves.toMatchObject({ text: '{"code":"00000"}' });
  });
});

describe('limits', () => {
  it('keep the run from a host that is not listed, even from asking where it is', async () => {
    const transport = open({ limits: { allowHosts: ['127.0.0.1'] } });
    await expect(transport.send(get('http://elsewhere.invalid'))).rejects.toThrow(LimitReached);
    expect(transport.exchanges).toEqual([]);
  });

  it('count no order that was refused', async () => {
    const answers = ['{"code":"10001"}', '{"code":"00000"}', '{"code":"00000"}'];
    const { origin, seen } = await serve((_request, response) => response.end(answers.shift()));
    const transport = open({ limits: { maxOrders: 1 } });
    const create = get(origin, { method: 'POST', target: '/api/v1/merchants/M-1/orders', body: Buffer.from('{}') });
    await transport.send(create);
    await transport.send(create);
    await expect(transport.send(create)).rejects.toThrow(LimitReached);
    expect(seen).toHaveLength(2);
  });

  it('hold requests back', async () => {
    const { origin } = await serve(fine);
    const transport = open({ limits: { requestsPerSecond: 10 } });
    const started = performance.now();
    await Promise.all(Array.from({ length: 4 }, () => transport.send(get(origin))));
    expect(performance.now() - started).toBeGreaterThanOrEqual(290);
  });
});

describe('what an answer says', () => {
  it('is known of an exchange that keeps only the beginning of its body', async () => {
    const codes = ['40001', '90001'];
    const { origin } = await serve((_request, response) =>
      response.end(JSON.stringify({ message: 'x'.repeat(2000), code: codes.shift() })),
    );
    const connections = openConnections({ maximum: 4, timeout: 5000 });
    closing.push(connections.close);
    const facts = { suite: '0', target: origin, seed: 1, clockAhead: 0, settle: 0, webhookWait: 0, pins: {} };
    const full = (text: string) => ({ text: text.slice(0, 10), cut: true as const });
    const history = { ...createRecorder(facts), keepBody: full };
    const transport = createTransport({ connections, limits: guardLimits({}), runId: 'test', timeout: 5000, history });
    await transport.send(get(origin));
    await transport.send(get(origin));
    expect(transport.exchanges.map(({ response }) => response?.body.length)).toEqual([10, 10]);
    expect(transport.exchanges.map(isTelling)).toEqual([true, false]);
  });
});
