import type { ChildProcess } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { contraryChoices } from '../../generated/catalogue.ts';
import type { Report } from '../run/report.ts';
import { assayProcess } from './testing/assay.ts';
import { assayHere } from './testing/assay-here.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-serve-'));
const running: ChildProcess[] = [];
const demo = fileURLToPath(new URL('../../server/setup/demo.yaml', import.meta.url));

afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Greeting {
  url: string;
  control?: string;
  controlToken?: string;
}

/** Starts `assay serve` and waits for its one line. */
async function serve(...flags: string[]) {
  const child = assayProcess(['serve', '--port', '0', ...flags]);
  running.push(child);
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const greeting: Greeting = JSON.parse(String(line));
  let text = '';
  child.stderr.on('data', (chunk: Buffer) => {
    text += chunk;
  });
  /** The lines of the log, read when the process has ended. */
  const log = () =>
    text
      .trim()
      .split('\n')
      .map((each): Record<string, unknown> => JSON.parse(each));
  const stop = async () => {
    const ended = once(child, 'close');
    child.kill('SIGTERM');
    const [code] = await ended;
    return code;
  };
  return { ...greeting, child, log, stop };
}

const bearer = (token: string | undefined) => ({ authorization: `Bearer ${token}` });

describe('assay serve', () => {
  it('prints its addresses once it accepts requests, and ends in order when it is told to', async () => {
    const { url, control, controlToken, stop } = await serve('--data', join(folder, 'first'));
    expect(control).toBe(`${url}/sandbox/v1`);
    const answer = await fetch(`${control}`, { headers: bearer(controlToken) });
    expect(await answer.json()).toMatchObject({ implementation: expect.stringMatching(/^assay\/[0-9]/) });
    expect(await stop()).toBe(0);
  });

  it('keeps what it was given over a restart', async () => {
    const flags = ['--data', join(folder, 'kept'), '--control-token', 'token-for-both-starts'];
    const first = await serve(...flags);
    const headers = { ...bearer('token-for-both-starts'), 'content-type': 'application/json' };
    const made = await fetch(`${first.control}/merchants`, { method: 'POST', headers, body: '{}' });
    const { merchantId } = (await made.json()) as { merchantId: string };
    await first.stop();
    const second = await serve(...flags);
    const clock = `${second.control}/merchants/${merchantId}/clock`;
    const answer = await fetch(clock, { method: 'POST', headers, body: '{"advanceSeconds": 1}' });
    expect(answer.status).toBe(200);
  });

  it('is killed and started again where it is supervised, and a run finds that nothing acknowledged is lost', async () => {
    const {
      url,
      control,
      controlToken = '',
      log,
      stop,
    } = await serve('--supervised', '--data', join(folder, 'killed'));
    const answer = await fetch(`${control}`, { headers: bearer(controlToken) });
    expect(await answer.json()).toMatchObject({ capabilities: expect.arrayContaining(['restart']) });
    const flags = ['--target', url, '--check', 'refunds.restart.acknowledged', '--check', 'orders.restart.states'];
    const run = await assayHere(['run', ...flags, '--report', 'json=-'], { ASSAY_CONTROL_TOKEN: controlToken }, folder);
    const report: Report = JSON.parse(run.stdout);
    expect(report.checks.map(({ id, verdict }) => [id, verdict])).toEqual([
      ['refunds.restart.acknowledged', 'passed'],
      ['orders.restart.states', 'passed'],
    ]);
    expect(await stop()).toBe(0);
    const messages = log().map(({ message }) => message);
    expect(messages.filter((message) => String(message).startsWith('started as a sandbox'))).toHaveLength(3);
    expect(messages.filter((message) => message === 'stopping')).toHaveLength(1);
  });

  it('is supervised in sandbox mode only, and cannot be restarted by anyone otherwise', async () => {
    const refused = await assayHere(['serve', '--supervised', '--mode', 'production', '--data', join(folder, 'none')]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--supervised needs --mode sandbox')]);
    const { control, controlToken } = await serve('--data', join(folder, 'alone'));
    const answer = await fetch(`${control}/restart`, { method: 'POST', headers: bearer(controlToken) });
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ detail: expect.stringContaining('assay serve --supervised') });
  });

  it('has no control API in production mode, and says nothing of one', async () => {
    const greeting = await serve('--mode', 'production', '--data', join(folder, 'production'));
    expect(Object.keys(greeting)).toEqual(['url', 'child', 'log', 'stop']);
    expect((await fetch(`${greeting.url}/sandbox/v1`)).status).toBe(404);
  });

  it('logs JSON lines: its start with what the mode relaxes, requests, its stop', async () => {
    const sandbox = await serve('--data', join(folder, 'logged'), '--control-token', 'c4n4ry-c4n4ry-c4n4ry');
    await fetch(`${sandbox.control}`, { headers: bearer('c4n4ry-c4n4ry-c4n4ry') });
    await sandbox.stop();
    const [started, request, stopping, stopped, ...more] = sandbox.log();
    expect(started).toMatchObject({ mode: 'sandbox', url: sandbox.url });
    const relaxed = JSON.stringify(started?.relaxed);
    for (const what of ['control API', 'loopback', 'HTTP', 'certificate', 'simulated']) expect(relaxed).toContain(what);
    expect(request).toMatchObject({ message: 'request', operation: 'getCapabilities', status: 200 });
    expect([stopping?.message, stopped?.message, more]).toEqual(['stopping', 'stopped', []]);
    expect(JSON.stringify(sandbox.log())).not.toContain('c4n4ry');

    const production = await serve('--mode', 'production', '--data', join(folder, 'logged'));
    await production.stop();
    expect(production.log()[0]).toMatchObject({ mode: 'production', relaxed: [], choices: {} });
  });

  it('finishes a request that is under way when it is told to end', async () => {
    const { url, child, controlToken } = await serve('--data', join(folder, 'ended'));
    const ended = once(child, 'exit');
    const request = openRequest(url, controlToken);
    await request.begun;
    child.kill('SIGTERM');
    await refusesConnections(url);
    expect(await request.finish()).toContain('HTTP/1.1 201 Created');
    expect(await ended).toEqual([0, null]);
  });

  it('ends at once when it is told twice', async () => {
    const { url, child, controlToken } = await serve('--data', join(folder, 'ended'));
    const ended = once(child, 'exit');
    await openRequest(url, controlToken).begun;
    child.kill('SIGTERM');
    await refusesConnections(url);
    child.kill('SIGINT');
    expect(await ended).toEqual([null, 'SIGINT']);
  });

  it('makes the merchants of its configuration once, and has metrics on a port of their own', async () => {
    const config = join(folder, 'seed.yaml');
    writeFileSync(config, 'merchants: [{ merchantId: M-SEED, apiKey: ak_seed, apiSecret: "${SEED_SECRET}" }]');
    const flags = ['--config', config, '--data', join(folder, 'seeded'), '--metrics-port', '0'];
    for (const secret of ['first', 'second']) {
      const child = assayProcess(['serve', '--port', '0', ...flags], { SEED_SECRET: secret });
      running.push(child);
      const [line] = await once(createInterface({ input: child.stderr }), 'line');
      const { url, metrics } = JSON.parse(String(line));
      const path = '/api/v1/merchants/M-SEED/orders/no-such-order-here';
      const timestamp = String(Date.now());
      const signature = createHmac('sha256', 'first').update(`${timestamp}\nGET\n${path}`).digest('base64');
      const headers = { 'X-Api-Key': 'ak_seed', 'X-Timestamp': timestamp, 'X-Signature': signature };
      expect(await (await fetch(`${url}${path}`, { headers })).json()).toMatchObject({ code: '40001' });
      expect(await (await fetch(metrics)).text()).toContain('assay_requests_total{area="orders"');
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
    }
  });

  it('takes other permitted answers where the contract leaves it open, and says which', async () => {
    const file = join(folder, 'choices.yaml');
    writeFileSync(file, 'orders-auth-failure: http-401\ntime-forms: milliseconds');
    const chosen = await serve('--choices', file, '--data', join(folder, 'chosen'));
    expect((await fetch(`${chosen.url}/api/v1/merchants/M-1/orders/no-such-order-here`)).status).toBe(401);
    await chosen.stop();
    expect(chosen.log()[0]).toMatchObject({ choices: { 'orders-auth-failure': 'http-401' } });

    const contrary = await serve('--choices', 'contrary', '--data', join(folder, 'chosen'));
    await contrary.stop();
    expect(contrary.log()[0]).toMatchObject({ choices: contraryChoices });
  });

  it('says why it cannot start', async () => {
    const { url } = await serve('--data', join(folder, 'taken'));
    const { code, stderr } = await assayHere(['serve', '--port', new URL(url).port, '--data', join(folder, 'second')]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('EADDRINUSE') });
  });
});

describe('assay serve, called wrongly,', () => {
  it.each([
    [
      'a control token where there is no control API',
      ['--mode', 'production', '--control-token', 'token-of-some-length', '--data', join(folder, 'refused')],
      '--control-token needs --mode sandbox: production mode has no control API',
    ],
    ['a database that is no address', ['--database', 'file.db'], '--data'],
    ['a port that is none', ['--port', '70000'], '0 to 65535'],
    ['a configuration that is not there', ['--config', 'nowhere.yaml'], 'nowhere.yaml'],
    ['a configuration that does not fit', ['--config', wrongSeed()], 'unknown key merchant; did you mean merchants?'],
    ['choices that are not there', ['--choices', 'nowhere.yaml'], 'nowhere.yaml'],
    ['a choice that is none', ['--choices', wrongChoices()], 'did you mean orders-duplicate-id?'],
    [
      'a simulation in production',
      ['--mode', 'production', '--config', demo, '--data', join(folder, 'refused')],
      'M-DEMO cannot be automatic',
    ],
    ['a database that is not there', ['--database', 'postgres://u:canary@127.0.0.1:1/x'], '127.0.0.1:1'],
    ['data in a file', ['--data', demo], 'demo.yaml is a file; give a folder in which this user may write'],
    ['data below a file', ['--data', join(demo, 'below')], 'not a directory'],
    ['data where no folder can be made', ['--data', '/proc/none/data'], '--data: the folder /proc/none/data cannot be'],
  ])('refuses %s and says so', async (_what, flags, message) => {
    const { code, stdout, stderr } = await assayHere(['serve', ...flags]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('canary');
  });
});

function wrongSeed(): string {
  const path = join(folder, 'wrong.yaml');
  writeFileSync(path, 'merchant: [{ apiSecret: canary }]');
  return path;
}

function wrongChoices(): string {
  const path = join(folder, 'wrong-choices.yaml');
  writeFileSync(path, 'orders-duplicates: always-refused');
  return path;
}

/** A request for a merchant whose body is still on its way: the server has taken it and waits. */
function openRequest(url: string, controlToken = '') {
  const { host, hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let received = '';
  socket.on('error', () => {});
  socket.on('data', (chunk: Buffer) => {
    received += chunk;
  });
  const headers = [
    ...[`Host: ${host}`, `Authorization: Bearer ${controlToken}`, 'Content-Type: application/json'],
    ...['Content-Length: 2', 'Expect: 100-continue'],
  ];
  socket.write(`${['POST /sandbox/v1/merchants HTTP/1.1', ...headers].join('\r\n')}\r\n\r\n`);
  return {
    /** Resolves when the server asks for the body. */
    begun: once(socket, 'data'),
    /** Sends the body; resolves with all that the server has said until it hung up. */
    finish: async () => {
      const closed = once(socket, 'close');
      socket.write('{}');
      await closed;
      return received;
    },
  };
}

/** Resolves when nothing listens there any more. */
async function refusesConnections(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  for (;;) {
    const socket = connect(Number(port), hostname);
    const refused = await Promise.race([
      once(socket, 'connect').then(() => false),
      new Promise<boolean>((resolve) => socket.once('error', () => resolve(true))),
    ]).finally(() => socket.destroy());
    if (refused) return;
  }
}
