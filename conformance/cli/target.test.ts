import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as requestTo } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommanderError } from 'commander';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { UsageError } from '../errors/usage-errors.ts';
import { startProxy } from '../proof/stand/proxy.ts';
import type { Report } from '../run/report.ts';
import { issueFor, makeAuthority } from '../tests/support/certificates.ts';
import { listen } from '../tests/support/loopback.ts';
import { reopening, startTarget, type Target } from '../tests/support/target.ts';
import { runCommand } from './run.ts';
import { assay } from './testing/assay.ts';
import { assayHere } from './testing/assay-here.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-target-'));
const write = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const one = ['--check', 'orders.query.unknown'];

let server: Target;
let token: string;
const closing: (() => Promise<void>)[] = [];
beforeAll(async () => {
  server = await startTarget(reopening);
  token = server.controlToken;
});
afterAll(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await server.close();
  rmSync(folder, { recursive: true });
});

describe('a setting', () => {
  it('is taken from a flag before the environment, and from there before the file', async () => {
    const config = write('precedence.yaml', `target: ${server.url}\ncontrol: { token: of-the-file }\n`);
    const args = ['run', '--config', config, ...one];
    const file = await assayHere(args);
    const environment = await assayHere(args, { ASSAY_CONTROL_TOKEN: token });
    const flag = await assayHere([...args, '--control-token', 'of-the-flag'], { ASSAY_CONTROL_TOKEN: token });
    expect([file.code, environment.code, flag.code]).toEqual([3, 0, 3]);
    // What CI systems set to nothing has no value.
    const { code, stderr } = await assayHere(['run', '--target', server.url], { ASSAY_CONTROL_TOKEN: '' });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('there is no merchant for the requests'),
    });
  });
});

describe('the target itself', () => {
  it('is taken from the environment where no flag names it', async () => {
    const config = write('of-the-file.yaml', 'target: http://127.0.0.1:9\n');
    const environment = { ASSAY_TARGET: server.url, ASSAY_CONTROL_TOKEN: token };
    const { code, stderr } = await assayHere(['run', '--config', config, ...one], environment);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining(`1 check against ${server.url}\n`) });
    const wrong = await assayHere(['run', ...one], { ...environment, ASSAY_TARGET: 'sandbox' });
    expect(wrong).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('ASSAY_TARGET must be an http or https address'),
    });
  });

  it('is not forgotten by whoever gives what belongs to one: no verdict on the reference server is taken for its own', async () => {
    const config = write('no-target.yaml', 'control: { token: of-the-file }\n');
    const { code, stderr } = await assayHere(['run', '--config', config, ...one], { ASSAY_API_KEY: 'ak_1' });
    expect(code).toBe(2);
    expect(stderr).toContain(
      'there is no target for ASSAY_API_KEY and control of the configuration: give --target, or set ASSAY_TARGET, or target in the configuration file.',
    );
  });
});

describe('a target behind TLS of its own', () => {
  it('is judged with the certificates that the configuration names', async () => {
    const authority = await makeAuthority();
    const [certificate, client] = await Promise.all(
      ['sandbox.test', 'runner.test'].map((name) => issueFor(name, authority)),
    );
    const front = createTlsServer({ ...certificate, ca: authority.cert, requestCert: true }, (incoming, response) => {
      const { method, url: path, headers } = incoming;
      const { port } = new URL(server.url);
      const forwarded = requestTo({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
      incoming.pipe(forwarded);
    });
    const { port, close } = await listen(front);
    closing.push(close);
    write('ca.pem', authority.cert);
    write('client.pem', client?.cert ?? '');
    write('client-key.pem', client?.key ?? '');
    const tls = 'tls: { ca: ca.pem, cert: client.pem, key: client-key.pem }';
    const config = write('tls.yaml', `target: https://127.0.0.1:${port}\n${tls}\n`);
    const { code, stderr } = await assayHere(['run', '--config', config, ...one], { ASSAY_CONTROL_TOKEN: token });
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('1 passed of 1 check') });
  });
});

describe('a limit', () => {
  it('stops the run before it is passed', async () => {
    let accepted = 0;
    const counting = await startProxy(server.url, {
      merchantApi: async (request, behind) => {
        const answer = await behind.forward(request);
        const isCreate = request.method === 'POST' && request.target.endsWith('/orders');
        if (isCreate && answer.body.includes('"code":"00000"')) accepted += 1;
        return answer;
      },
    });
    closing.push(counting.close);
    const config = write('limits.yaml', `target: ${counting.url}\nlimits: { maxOrders: 5 }\n`);
    const file = join(folder, 'limits.json');
    const args = ['run', '--config', config, '--check', 'auth.orders.create.*'];
    const { code, stderr } = await assay([...args, '--report', `json=${file}`], { ASSAY_CONTROL_TOKEN: token });
    expect(code).toBe(3);
    expect(stderr).toContain('stopped before its end: the run has made as many orders as limits.maxOrders allows, 5');
    // A create that is under way counts until it is refused.
    expect(accepted).toBeGreaterThan(0);
    expect(accepted).toBeLessThanOrEqual(5);
    const report: Report = JSON.parse(readFileSync(file, 'utf8'));
    expect(report).toMatchObject({ outcome: 'incomplete', summary: { failed: 0 } });
    expect(report.summary.inconclusive).toBeGreaterThan(0);
  });
});

describe('a baseline', () => {
  const failing = 'orders.state.closed-is-final';
  const run = (baseline: string, ...flags: string[]) =>
    assayHere(['run', '--target', server.url, '--check', failing, ...one, '--baseline', baseline, ...flags], {
      ASSAY_CONTROL_TOKEN: token,
      NO_COLOR: '1',
    });

  it('lets a known failure pass, and shows it all the same', async () => {
    const file = join(folder, 'known.json');
    const baseline = write('known.yaml', `- { check: ${failing}, reason: ticket 7 }\n`);
    const { code, stderr } = await run(baseline, '--report', `json=${file}`);
    expect(code).toBe(0);
    expect(stderr).toContain(`✗ ${failing}`);
    expect(stderr).toContain('known: ticket 7');
    expect(stderr).toContain('1 passed, 1 failed (1 known) of 2 checks');
    const { checks }: Report = JSON.parse(readFileSync(file, 'utf8'));
    expect(checks.find(({ id }) => id === failing)).toMatchObject({
      verdict: 'failed',
      baseline: { reason: 'ticket 7' },
    });
  });

  it('that is stale or has ended fails the run, and says why', async () => {
    const baseline = write(
      'stale.yaml',
      `- { check: ${failing}, reason: r, until: 2020-01-01 }\n- { check: orders.query.unknown, reason: r }\n- { check: orders.nothing, reason: r }\n`,
    );
    const { code, stderr } = await run(baseline);
    expect(code).toBe(1);
    expect(stderr).toContain(`${failing} still fails, and its entry counted only until 2020-01-01`);
    expect(stderr).toContain('the baseline is stale: orders.query.unknown no longer fails');
    expect(stderr).toContain('the baseline is stale: there is no check orders.nothing');
  });
});

describe('wrong usage', () => {
  const here = 'http://127.0.0.1:9';
  const configs = {
    hosts: 'limits: { allowHosts: [sandbox.example.com] }\n',
    tls: 'tls: { ca: nowhere.pem }\n',
    pem: 'tls: { cert: pem.yaml, key: pem.yaml }\n',
    refunds: 'areas: [refunds]\n',
    repeated: '- { check: a, reason: r }\n- { check: a, reason: r }\n',
  };
  const config = (name: keyof typeof configs) => write(`${name}.yaml`, configs[name]);

  it.each<[string, () => string[], string]>([
    [
      'a driver beside a control API',
      () => ['--target', here, '--driver', 'a.mjs', '--control-token', 't'],
      'leave out --control',
    ],
    ['a driver for no target', () => ['--driver', 'a.mjs'], 'there is no target for --driver'],
    ['a control API for no target', () => ['--control', here], 'there is no target for --control'],
    ['a driver that is not there', () => ['--target', server.url, '--driver', 'a.mjs'], 'there is no driver a.mjs'],
    ['a place to listen without a port', () => ['--webhook-listen', '0.0.0.0'], 'It is HOST:PORT'],
    [
      'a target that is not to be contacted',
      () => ['--target', here, '--config', config('hosts')],
      'does not list 127.0.0.1',
    ],
    [
      'a certificate that is not there',
      () => ['--target', here, '--config', config('tls')],
      'nowhere.pem cannot be read',
    ],
    ['a certificate that is none', () => ['--target', here, '--config', config('pem')], 'must be PEM files'],
    ['a baseline that is not there', () => ['--baseline', 'nowhere.yaml'], 'the baseline nowhere.yaml cannot be read'],
    ['a baseline with an entry twice', () => ['--baseline', config('repeated')], 'there are two entries for a'],
    ['a pattern close to a check', () => ['--check', 'orders.query.unknwn'], 'did you mean orders.query.unknown?'],
    [
      'a pattern that is close to no check',
      () => ['--check', 'nothing.*'],
      'matches no check; assay list names them all',
    ],
    [
      'an area that is close to none',
      () => ['--area', 'foo'],
      'It is one of auth, orders, refunds, checkout, webhooks.',
    ],
    [
      'an area that the target does not have',
      () => ['--area', 'orders', '--config', config('refunds')],
      'the target has only refunds; ask for one of these',
    ],
    ['an area close to one', () => ['--area', 'order'], 'did you mean orders?'],
    [
      'a secret in a target',
      () => ['--target', 'https://me:canary@a.example'],
      '--target must be an http or https address',
    ],
  ])('is %s', async (_what, args, message) => {
    vi.stubEnv('ASSAY_CONTROL_TOKEN', 't');
    vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const error: unknown = await runCommand()
      .exitOverride()
      .parseAsync(args(), { from: 'user' })
      .catch((thrown: unknown) => thrown);
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    expect(error instanceof UsageError || error instanceof CommanderError).toBe(true);
    expect(String(error)).toContain(message);
    expect(String(error)).not.toContain('canary');
  });

  it('never shows a secret that stands behind a misspelt flag', async () => {
    const { code, stdout, stderr } = await assayHere(['run', '--api-secrt=canary']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain("unknown option '--api-secrt'");
    expect(stderr).not.toContain('canary');
  });
});
