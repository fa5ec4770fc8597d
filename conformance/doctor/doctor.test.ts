import { request as requestTo } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type SignatureMistakeCode, signatureMistakes } from '../../generated/catalogue.ts';
import { assay } from '../cli/testing/assay.ts';
import { assayHere } from '../cli/testing/assay-here.ts';
import type { Driver } from '../drivers/driver.ts';
import { expectingMistake } from '../proof/stand/auth-changes.ts';
import { answering, isRightlySigned, jsonAnswer, showing, spoiled } from '../proof/stand/changes.ts';
import { type Handler, startProxy } from '../proof/stand/proxy.ts';
import type { SessionOptions } from '../run/session.ts';
import { type Certified, issueFor, makeAuthority } from '../tests/support/certificates.ts';
import { listen } from '../tests/support/loopback.ts';
import { startTarget, type Target } from '../tests/support/target.ts';
import { signatureOf } from '../wire/signing/signature.ts';
import { examine } from './examine.ts';
import type { Finding } from './step.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const close of closing.splice(0).reverse()) await close();
});

let server: Target;
let port: string;
let authority: Certified;
beforeAll(async () => {
  server = await start();
  port = new URL(server.url).port;
  authority = await makeAuthority();
});
afterAll(() => server.close());

const start = (clock: () => number = Date.now): Promise<Target> => startTarget((parts) => ({ ...parts, clock }));

/** The findings by step, and the worst of them. */
async function diagnose(changes: Partial<SessionOptions>) {
  const findings: Record<string, Finding | undefined> = {};
  const { control: url, controlToken: token } = server;
  const options = { target: server.url, control: { url, token }, merchants: {} };
  const waits = { seed: 1, concurrency: 1, timeout: 5000, settle: 0, webhookWait: 300 };
  const worst = await examine({ ...options, ...waits, ...changes }, (name, finding) => {
    findings[name] = finding;
  });
  return { worst, findings };
}

/** The server behind TLS, with a certificate for sandbox.test. */
async function overTls(settings: { ca?: string; requestCert?: boolean } = {}): Promise<string> {
  const certificate = await issueFor('sandbox.test', authority);
  const front = createTlsServer({ ...certificate, ...settings }, (incoming, response) => {
    const { method, url: path, headers } = incoming;
    const forwarded = requestTo({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(forwarded);
  });
  const listening = await listen(front);
  closing.push(listening.close);
  return `https://127.0.0.1:${listening.port}`;
}

const merchant = { merchantId: 'M-1', apiKey: 'ak_of_nobody', apiSecret: 'sk_canary_secret' };

describe('assay doctor', () => {
  it('finds nothing wrong with the reference server', async () => {
    const { code, stdout, stderr } = await assay(['doctor']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const names = ['configuration', 'address', 'connection', 'clock', 'driver', 'signed request', 'webhooks', 'scope'];
    expect(stdout.split('\n').map((line) => line.slice(0, 17).trim())).toEqual([
      ...names.map((name) => `✓ ${name}`),
      '',
    ]);
  });

  it('stops where no run could go on, and says what to do', async () => {
    const closed = await listen((await import('node:net')).createServer());
    await closed.close();
    const { code, stdout } = await assayHere(['doctor', '--target', `http://127.0.0.1:${closed.port}`], {
      ASSAY_CONTROL_TOKEN: 'canary-token',
    });
    expect(code).toBe(3);
    expect(stdout).toContain(
      `✗ connection      127.0.0.1:${closed.port}: ECONNREFUSED\n${' '.repeat(18)}→ start the server, or correct the port`,
    );
    expect(stdout).toContain('- webhooks        not looked at');
    expect(stdout).not.toContain('canary');
  });
});

describe('a name that leads nowhere', () => {
  it('is found, and the proxy that may know it', async () => {
    const { worst, findings } = await diagnose({ target: 'http://sandbox.invalid' });
    expect(worst).toBe('fatal');
    expect(findings.address).toMatchObject({ state: 'fatal', cure: expect.stringContaining('HTTPS_PROXY') });
    vi.stubEnv('HTTP_PROXY', 'http://user:canary@127.0.0.1:9');
    const { findings: proxied } = await diagnose({ target: 'http://sandbox.invalid' });
    expect(proxied.address?.found).toContain('sandbox.invalid is reached through the proxy 127.0.0.1:9');
    expect(proxied.clock).toMatchObject({ state: 'fatal' });
    expect(JSON.stringify(proxied)).not.toContain('canary');
  });
});

describe('TLS', () => {
  it('with an authority of its own wants that authority', async () => {
    const target = await overTls();
    const { findings } = await diagnose({ target });
    expect(findings.connection).toMatchObject({ state: 'fatal', cure: expect.stringContaining('tls.ca') });
    const { worst, findings: trusting } = await diagnose({ target, tls: { ca: authority.cert } });
    expect(worst).toBe('well');
    expect(trusting.connection?.found).toContain('a certificate of An authority of its own, until');
  });

  it('that asks for a certificate says so', async () => {
    const target = await overTls({ ca: authority.cert, requestCert: true });
    const { worst, findings } = await diagnose({ target, tls: { ca: authority.cert } });
    expect(worst).toBe('fatal');
    expect(findings.clock?.found).toMatch(/certificate required|ECONNRESET/i);
    const client = await issueFor('runner.test', authority);
    expect((await diagnose({ target, tls: { ca: authority.cert, ...client } })).worst).toBe('well');
  });
});

describe('a clock', () => {
  it('that is far off is wrong, though a run could go on', async () => {
    const ahead = 600_000;
    const late = await start(() => Date.now() + ahead);
    closing.push(late.close);
    const shifted = await startProxy(late.url, {
      merchantApi: async (request, behind) => {
        const answer = await behind.forward(request);
        return { ...answer, headers: { ...answer.headers, date: new Date(Date.now() + ahead).toUTCString() } };
      },
    });
    closing.push(shifted.close);
    const control = { url: `${shifted.url}/sandbox/v1`, token: late.controlToken ?? '' };
    const { worst, findings } = await diagnose({ target: shifted.url, control });
    expect(findings.clock).toMatchObject({
      state: 'wrong',
      found: expect.stringMatching(/^the target's clock is (59\d|600) s ahead/),
    });
    expect(findings['signed request']).toMatchObject({ state: 'well' });
    expect(worst).toBe('wrong');
  });
});

describe('the clock by which a target verifies', () => {
  it.each([
    [600_000, 'about 10 min ahead of'],
    [-7_200_000, 'about 120 min behind'],
  ])('is found where no header shows it: %i ms', async (ahead, words) => {
    const late = await start(() => Date.now() + ahead);
    closing.push(late.close);
    const control = { url: late.control, token: late.controlToken ?? '' };
    const { findings } = await diagnose({ target: late.url, control });
    expect(findings['signed request']).toMatchObject({
      state: 'fatal',
      found: expect.stringContaining(words),
      cure: expect.stringContaining('set the clock that is wrong'),
    });
  });
});

describe('a driver', () => {
  it.each([
    ['/sandbox/v1', '/sandbox/v1', 'give --target https://127.0.0.1:9/api-of-ours'],
    ['/control', '/control', 'give --control https://127.0.0.1:9/api-of-ours/control'],
    ['/sandbox/v1', '/login', 'a run follows none'],
  ])('at an address %s that redirects to %s says what to do', async (path, to, cure) => {
    const location = `https://127.0.0.1:9/api-of-ours${to}`;
    const redirect = { status: 301, headers: { location }, body: Buffer.alloc(0) };
    const handlers = { control: async () => redirect, merchantApi: async () => redirect };
    const proxy = await startProxy(server.url, handlers);
    closing.push(proxy.close);
    const control = { url: `${proxy.url}${path}`, token: server.controlToken };
    const { findings } = await diagnose({ target: server.url, control });
    expect(findings.driver?.found).toContain(`HTTP 301 with a redirect to ${location}; `);
    expect(findings.driver?.found).toContain(cure);
  });

  it('whose token is wrong is found', async () => {
    const control = { url: server.control, token: 'canary-token' };
    const { worst, findings } = await diagnose({ control });
    expect(worst).toBe('fatal');
    expect(findings.driver?.found).toContain('check the control token');
  });

  it('that lacks steps says what is skipped', async () => {
    const driver: Driver = { provisionMerchant: async () => merchant };
    const { findings } = await diagnose({ control: undefined, driver });
    expect(findings.driver).toMatchObject({ state: 'note', found: expect.stringContaining('nor let time pass') });
  });

  it('must be there where no merchant is configured', async () => {
    const { worst } = await diagnose({ control: undefined, driver: { advanceClock: async () => {} } });
    expect(worst).toBe('fatal');
  });
});

describe('a signed request', () => {
  it('that is refused as a wrongly signed one is points at the credentials, without showing them', async () => {
    const { worst, findings } = await diagnose({ control: undefined, merchants: { default: merchant } });
    expect(worst).toBe('fatal');
    expect(findings['signed request']).toMatchObject({ cure: expect.stringContaining('check key and secret') });
    expect(JSON.stringify(findings)).not.toContain('canary');
  });

  it('that meets a system error points at the log of the target, and at no key', async () => {
    const failure = { code: '99999', message: 'the database is away', data: null };
    const proxy = await startProxy(server.url, { merchantApi: async () => jsonAnswer(failure, 500) });
    closing.push(proxy.close);
    const control = { url: server.control, token: server.controlToken };
    const { findings } = await diagnose({ target: proxy.url, control });
    expect(findings['signed request']).toMatchObject({
      state: 'fatal',
      cure: expect.stringMatching(/^look at the log/),
    });
  });

  it('that is redirected says where', async () => {
    const headers = { location: 'https://login.example.com/' };
    const redirect = { status: 302, headers, body: Buffer.alloc(0) };
    const proxy = await startProxy(server.url, { merchantApi: async () => redirect });
    closing.push(proxy.close);
    const control = { url: server.control, token: server.controlToken };
    const { findings } = await diagnose({ target: proxy.url, control });
    expect(findings['signed request']?.found).toContain('HTTP 302 with a redirect to https://login.example.com/');
    expect(findings['signed request']?.cure).toContain('a run follows none');
  });

  it('that is redirected to another place of the API says which target to give', async () => {
    const proxy = await startProxy(server.url, {
      merchantApi: async ({ target }) => ({
        status: 308,
        headers: { location: `https://pay.example.com/gateway${target}` },
        body: Buffer.alloc(0),
      }),
    });
    closing.push(proxy.close);
    const { findings } = await diagnose({ target: proxy.url });
    expect(findings['signed request']?.cure).toContain('give --target https://pay.example.com/gateway,');
  });

  it('that finds no API points at the address where there is one', async () => {
    const { findings } = await diagnose({ target: `${server.url}/api/v1` });
    const cure = `make ${server.url} the target: the API answers there`;
    expect(findings['signed request']).toMatchObject({ state: 'fatal', cure });
  });

  it('is asked in an area that the target has', async () => {
    const { findings } = await diagnose({ areas: ['refunds'] });
    expect(findings['signed request']).toMatchObject({
      state: 'well',
      found: expect.stringContaining('REFUND_NOT_FOUND'),
    });
  });
});

describe('a target whose answers cannot be read', () => {
  const behind = async (merchantApi: Handler) => {
    const proxy = await startProxy(server.url, { merchantApi });
    closing.push(proxy.close);
    const control = { url: `${proxy.url}/sandbox/v1`, token: server.controlToken };
    const { findings } = await diagnose({ target: proxy.url, control });
    return findings['signed request'];
  };

  it.each<[string, (text: string) => string, string, string]>([
    [
      'have a byte order mark',
      (text) => `\u{feff}${text}`,
      'an answer that begins with a byte order mark',
      'without a byte order mark',
    ],
    [
      'break off',
      (text) => text.slice(0, 40),
      'at its Content-Length of 40 bytes, in the middle of a text: {"code":"40001"',
      'send the whole body',
    ],
    [
      'have control characters',
      (text) => `${text}\u{1b}[31m`,
      'something after its JSON: \\u{1b}[31m',
      'end the body with the JSON',
    ],
    [
      'have numbers as codes',
      (text) => text.replace('"40001"', '40001'),
      'a code that is the number 40001, and must be text such as "40001"',
      'as text, in quotation marks',
    ],
    [
      'have other names',
      (text) => text.replace('"code"', '"errorCode"'),
      'has errorCode where code is due',
      'the names of the contract',
    ],
  ])('because they %s is told so, and nothing of its address', async (_what, change, found, cure) => {
    const finding = await behind(
      answering((answer) => ({ ...answer, body: Buffer.from(change(answer.body.toString())) })),
    );
    expect(finding).toMatchObject({
      state: 'fatal',
      found: expect.stringContaining(found),
      cure: expect.stringContaining(cure),
    });
    expect(finding?.cure).not.toContain('address');
  });

  it('where it refuses a signature is told so, and of no other signature', async () => {
    const finding = await behind(
      answering((answer) => {
        const text = answer.body.toString();
        return { ...answer, body: Buffer.from(/90001|INVALID_SIGNATURE/.test(text) ? text.slice(0, -4) : text) };
      }),
    );
    expect(finding).toMatchObject({
      state: 'wrong',
      found: expect.stringMatching(
        /^a request with a wrong signature is answered with HTTP 200 and an answer that is no JSON/,
      ),
    });
  });
});

describe('a target that verifies nothing', () => {
  const answering = async (code: string, data: unknown) => {
    const proxy = await startProxy(server.url, { merchantApi: async () => jsonAnswer({ code, message: 'x', data }) });
    closing.push(proxy.close);
    const control = { url: `${proxy.url}/sandbox/v1`, token: server.controlToken };
    const { findings } = await diagnose({ target: proxy.url, control });
    return findings['signed request'];
  };

  it('and answers everything with a success is told both', async () => {
    expect(await answering('00000', {})).toEqual({
      state: 'fatal',
      found:
        'a query for something that does not exist is answered with a success, code = 00000 (HTTP 200), instead of code 40001, and so is one with a wrong signature',
      cure: 'have the target check signatures, and look up what a query asks for',
    });
  });

  it('and answers rightly otherwise is told that it must', async () => {
    expect(await answering('40001', null)).toMatchObject({
      state: 'wrong',
      cure: 'have the target check signatures',
    });
  });
});

describe('a target that expects another signature', () => {
  it.each<[SignatureMistakeCode, Finding['state']]>([
    ['signature-hex', 'fatal'],
    ['path-without-api-prefix', 'fatal'],
    ['path-with-prefix', 'fatal'],
    ['path-decoded', 'wrong'],
    ['components-reordered', 'fatal'],
    ['secret-replaced', 'fatal'],
    ['query-sorted', 'wrong'],
    ['query-decoded', 'wrong'],
    ['body-re-serialised', 'wrong'],
  ])('is told its mistake: %s', async (code, state) => {
    const proxy = await startProxy(server.url, { merchantApi: expectingMistake(code) });
    closing.push(proxy.close);
    const control = { url: `${proxy.url}/sandbox/v1`, token: server.controlToken };
    const { findings } = await diagnose({ target: proxy.url, control });
    const { what, cure } = signatureMistakes.find((each) => each.code === code) ?? { what: '', cure: '' };
    expect(findings['signed request']).toMatchObject({
      state,
      found: expect.stringContaining(what.replace(/\.$/, '')),
      cure,
    });
  });

  it('is told its mistake where its refusals cannot be read', async () => {
    const expecting = expectingMistake('body-re-serialised');
    const proxy = await startProxy(server.url, {
      merchantApi: async (request, behind) => {
        const answer = await expecting(request, behind);
        const isRefusal = answer.body.includes('"90001"') || answer.status === 401;
        return isRefusal ? { ...answer, status: 401, body: answer.body.subarray(0, -1) } : answer;
      },
    });
    closing.push(proxy.close);
    const control = { url: `${proxy.url}/sandbox/v1`, token: server.controlToken };
    const { findings } = await diagnose({ target: proxy.url, control });
    expect(findings['signed request']?.found).toContain('The body was parsed and written again');
  });

  it('is told that it refuses only some right signatures', async () => {
    let asked = 0;
    const proxy = await startProxy(server.url, {
      merchantApi: async (request, behind) => {
        asked += 1;
        return behind.forward(asked % 2 === 0 && isRightlySigned(request, behind) ? spoiled(request) : request);
      },
    });
    closing.push(proxy.close);
    const control = { url: `${proxy.url}/sandbox/v1`, token: server.controlToken };
    const { findings } = await diagnose({ target: proxy.url, control });
    expect(findings['signed request']).toMatchObject({
      state: 'wrong',
      found: expect.stringContaining('and takes others'),
    });
  });

  it('is told that it reads seconds from X-Timestamp', async () => {
    const merchantApi: Handler = async (request, behind) => {
      const { apiSecret = '' } = behind.owner(request.headers['x-api-key'] ?? '') ?? {};
      const [path = '', query] = request.target.split('?');
      const { 'x-timestamp': seconds = '', 'x-signature': given = '' } = request.headers;
      const { method, body } = request;
      const right = signatureOf({ timestamp: seconds, method, path, query, body }, apiSecret) === given;
      const timestamp = String(Number(seconds) * 1000);
      const signature = signatureOf({ timestamp, method, path, query, body }, right ? apiSecret : 'wrong');
      const headers = { ...request.headers, 'x-timestamp': timestamp, 'x-signature': signature };
      return behind.forward({ ...request, headers });
    };
    const proxy = await startProxy(server.url, { merchantApi });
    closing.push(proxy.close);
    const control = { url: `${proxy.url}/sandbox/v1`, token: server.controlToken };
    const { findings } = await diagnose({ target: proxy.url, control });
    expect(findings['signed request']?.found).toContain('X-Timestamp holds seconds');
  });
});

describe('steps of the driver', () => {
  const controlledBy = async (handlers: Parameters<typeof startProxy>[1], changes: Partial<SessionOptions> = {}) => {
    const proxy = await startProxy(server.url, handlers);
    closing.push(proxy.close);
    const control = { url: `${proxy.url}/sandbox/v1`, token: server.controlToken };
    return (await diagnose({ target: proxy.url, control, ...changes })).findings.webhooks;
  };
  const idle: Handler = async (request, behind) =>
    request.target.endsWith('/events') ? jsonAnswer({ status: 'PROCESSING' }) : behind.forward(request);

  it('without effect are found, with webhooks and without', async () => {
    const found = 'the driver answered that the step cancelled is done, but the order is still INIT';
    expect(await controlledBy({ control: idle })).toMatchObject({
      state: 'wrong',
      found: `${found}, and no webhook came within 300 ms: the step has no effect`,
    });
    expect(await controlledBy({ control: idle }, { areas: ['orders'] })).toMatchObject({
      state: 'wrong',
      found: `${found}: the step has no effect`,
    });
  });

  it('that webhooks announce and queries do not show are found', async () => {
    const merchantApi = showing((view) => ({ ...view, status: 'INIT' }));
    expect(await controlledBy({ merchantApi }, { webhookWait: 5000 })).toMatchObject({
      state: 'wrong',
      found: expect.stringContaining('queries still show the order as INIT'),
    });
  });
});

describe('an area that a target lacks', () => {
  it.each([
    [/\/refunds|\/checkout/, 'checkout and refunds', 'areas: [orders, webhooks]'],
    [/\/orders/, 'orders and checkout', 'areas: [refunds, webhooks]'],
  ])('is told, with the line that says so: %s', async (lacks, areas, line) => {
    const proxy = await startProxy(server.url, {
      merchantApi: async (request, behind) =>
        lacks.test(request.target) ? jsonAnswer({ error: 'Not Found' }, 404) : behind.forward(request),
    });
    closing.push(proxy.close);
    const control = { url: `${proxy.url}/sandbox/v1`, token: server.controlToken };
    const { findings } = await diagnose({ target: proxy.url, control });
    expect(findings['signed request']).toMatchObject({ state: 'well' });
    expect(findings.scope).toMatchObject({
      state: 'wrong',
      found: `signed queries of ${areas} are answered with HTTP 404 and no code of the contract`,
      cure: expect.stringContaining(line),
    });
  });
});

describe('webhooks', () => {
  it('that do not get here are wrong, though a run could go on', async () => {
    const webhooks = { host: '127.0.0.1', port: 0, url: 'https://127.0.0.1:9' };
    const { worst, findings } = await diagnose({ webhooks });
    expect(worst).toBe('wrong');
    expect(findings.webhooks).toMatchObject({ state: 'wrong', cure: expect.stringContaining('webhooks.url') });
  });

  it('whose signatures are in hexadecimal are told so', async () => {
    const other = await startTarget((parts) => ({
      ...parts,
      send: (webhook) => {
        const { 'X-Signature': signature = '', 'X-Timestamp': timestamp = '' } = webhook.headers;
        const inHexadecimal = Buffer.from(signature, 'base64').toString('hex');
        return parts.send({ ...webhook, headers: { 'X-Timestamp': timestamp, 'X-Signature': inHexadecimal } });
      },
    }));
    closing.push(other.close);
    const control = { url: other.control, token: other.controlToken };
    const { findings } = await diagnose({ target: other.url, control, webhookWait: 5000 });
    expect(findings.webhooks).toMatchObject({ state: 'note', found: expect.stringContaining('in hexadecimal') });
  });

  it.each<[string, Partial<SessionOptions>]>([
    ['where the target sends none', { areas: ['orders'] }],
    [
      'without a driver that cancels',
      { control: undefined, driver: { provisionMerchant: () => server.newMerchant() } },
    ],
    ['beyond the limits', { limits: { maxOrders: 0 } }],
  ])('are not tried %s', async (_what, changes) => {
    const { findings } = await diagnose(changes);
    expect(findings.webhooks).toMatchObject({ state: 'note', found: expect.stringContaining('not tried') });
  });
});
