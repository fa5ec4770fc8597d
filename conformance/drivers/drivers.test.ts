import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { assayHere } from '../cli/testing/assay-here.ts';
import { Inconclusive } from '../errors/outcomes.ts';
import { UsageError } from '../errors/usage-errors.ts';
import type { Report } from '../run/report.ts';
import { merchantEnvironment, startTarget, type Target } from '../tests/support/target.ts';
import { openConnections } from '../wire/connections.ts';
import { guardLimits } from '../wire/limits.ts';
import { createTransport } from '../wire/transport.ts';
import { namedDriver } from './named-driver.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-drivers-'));
afterAll(() => rmSync(folder, { recursive: true }));

const exampleOf = (name: string) => fileURLToPath(new URL(`./examples/${name}`, import.meta.url));

describe('a run', () => {
  let server: Target;
  beforeAll(async () => {
    server = await startTarget();
  });
  afterAll(() => server.close());

  /** The verdicts on some checks that need a driver, one that needs none, and one of refunds. */
  async function verdicts(flags: string[], environment: Record<string, string>): Promise<Record<string, string>> {
    const file = join(folder, 'report.json');
    const checks = ['orders.state.closed-is-final', 'orders.state.succeeded-is-final', 'orders.query.unknown'];
    const selected = checks.flatMap((id) => ['--check', id]);
    const args = ['run', '--target', server.url, ...flags, ...selected, '--report', `json=${file}`];
    const { stderr } = await assayHere(args, environment);
    const report: Report = JSON.parse(readFileSync(file, 'utf8'));
    expect(report.checks, stderr).toHaveLength(checks.length);
    return Object.fromEntries(report.checks.map(({ id, verdict }) => [id, verdict]));
  }
  const all = (verdict: string) => ({
    'orders.state.closed-is-final': verdict,
    'orders.state.succeeded-is-final': verdict,
    'orders.query.unknown': 'passed',
  });
  const example = () => ({ EXAMPLE_CONTROL: server.control, EXAMPLE_TOKEN: server.controlToken });

  it('is driven by the control API', async () => {
    expect(await verdicts([], { ASSAY_CONTROL_TOKEN: server.controlToken })).toEqual(all('passed'));
  });

  it('is driven by a module', async () => {
    expect(await verdicts(['--driver', exampleOf('module-driver.ts')], example())).toEqual(all('passed'));
  });

  it('is driven by a program', async () => {
    const command = `command:'${process.execPath}' '${exampleOf('command-driver.mjs')}'`;
    expect(await verdicts(['--driver', command], example())).toEqual(all('passed'));
  });

  it('is not judged on a merchant that the driver has given before', async () => {
    const given = JSON.stringify(await server.newMerchant());
    const file = join(folder, 'one-merchant.mjs');
    writeFileSync(file, `export default { provisionMerchant: async () => (${given}) };`);
    const args = ['run', '--target', server.url, '--driver', file, '--check', 'auth.orders.*.other-merchant'];
    const { stderr } = await assayHere(args);
    expect(stderr).toContain('2 inconclusive of 2 checks');
    expect(stderr).toMatch(/Fix first: the driver gave merchantId M-\w+ a second time/);
  });

  it('is driven by nothing, and does without', async () => {
    expect(await verdicts([], merchantEnvironment(await server.newMerchant()))).toEqual(all('skipped'));
  });
});

const connections = openConnections({ maximum: 1, timeout: 1000 });
const transport = createTransport({ connections, limits: guardLimits({}), runId: 'test', timeout: 1000 });

describe('a program as a driver', () => {
  afterEach(() => vi.unstubAllEnvs());

  /** A program of the shell that has these steps and answers every one of them with `answer`. */
  const shell = (answer: string, capabilities = '"provisionMerchant","orderEvent","advanceClock"') =>
    `command:read line; case "$line" in *'"step":"capabilities"'*) echo '{"ok":true,"capabilities":[${capabilities}]}';; *) ${answer};; esac`;

  it('has the steps that it says it has', async () => {
    const driver = await namedDriver(shell('false', '"orderEvent"'), 5000);
    expect(Object.keys(driver)).toEqual(['orderEvent']);
  });

  it('gets what a step is about, and what it answers counts', async () => {
    const file = join(folder, 'line');
    const answered = { due: { value: '9.50', currency: 'USDT' }, payment: { amount: '9.60', network: 'TRON' } };
    const answer = `echo "$line" > '${file}'; echo '${JSON.stringify({ ok: true, ...answered })}'`;
    const driver = await namedDriver(shell(answer), 5000);
    const step = { type: 'transaction_detected', amount: '9.50' } as const;
    const outcome = await driver.orderEvent?.("M-1 it's", 'ord-1', step, transport);
    expect(outcome).toEqual({ done: true, ...answered });
    const line = { step: 'orderEvent', merchantId: "M-1 it's", orderId: 'ord-1', event: step };
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(line);
  });

  it('may restart the target, for which it gets nothing but the step', async () => {
    const file = join(folder, 'restart');
    const driver = await namedDriver(shell(`echo "$line" > '${file}'; echo '{"ok":true}'`, '"restart"'), 5000);
    await driver.restart?.(transport);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ step: 'restart' });
    const failing = await namedDriver(shell(`echo '{"ok":false,"message":"no such container"}'`, '"restart"'), 5000);
    await expect(failing.restart?.(transport)).rejects.toThrow("the driver's restart failed: no such container");
    const refusing = await namedDriver(shell(`echo '{"ok":false,"refused":true,"message":"no"}'`, '"restart"'), 5000);
    await expect(refusing.restart?.(transport)).rejects.toThrow('refuses to restart the target: no');
  });

  it('refuses a step, or fails at it', async () => {
    const refusing = await namedDriver(shell(`echo '{"ok":false,"refused":true,"message":"no such move"}'`), 5000);
    const outcome = await refusing.orderEvent?.('M-1', 'ord-1', { type: 'cancelled' }, transport);
    expect(outcome).toEqual({ done: false, message: 'no such move' });
    const failing = await namedDriver(shell(`echo '{"ok":false,"refused":false,"message":"database gone"}'`), 5000);
    const failed = failing.orderEvent?.('M-1', 'ord-1', { type: 'cancelled' }, transport);
    await expect(failed).rejects.toThrow(new Inconclusive("the driver's orderEvent failed: database gone"));
  });

  it.each([
    ['nothing', 'command:true', 'at the step capabilities, printed nothing instead of one line of JSON'],
    ['rubbish', 'command:echo hello', 'printed a line that is not a JSON object with ok'],
    ['more than a line', 'command:echo hello; echo \'{"ok":true}\'', 'printed 2 lines instead of one'],
    ['no steps', 'command:echo \'{"ok":true}\'', 'does not name its steps'],
    ['a step that there is not', shell('true', '"orderEvents"'), 'unknown step orderEvents; did you mean orderEvent?'],
    ['a failure to start', 'command:/nowhere/driver', 'ended with code 127; its stderr: '],
    ['that it dies', 'command:echo "no config" >&2; exit 3', 'ended with code 3; its stderr: no config'],
    ['that it is ended', 'command:kill -9 $$', 'was ended by SIGKILL'],
  ])('that prints or shows %s leaves a check open', async (_what, command, message) => {
    await expect(namedDriver(command, 5000)).rejects.toThrow(Inconclusive);
    await expect(namedDriver(command, 5000)).rejects.toThrow(message);
  });

  it('that gives no credentials leaves a check open', async () => {
    const driver = await namedDriver(shell(`echo '{"ok":true,"merchantId":"M-1"}'`), 5000);
    await expect(driver.provisionMerchant?.({}, transport)).rejects.toThrow(
      'must return merchantId, apiKey and apiSecret',
    );
  });

  it('that hangs is ended, with all that it has started', async () => {
    const file = join(folder, 'pid');
    const driver = namedDriver(`command:sleep 60 & echo $! > '${file}'; wait`, 1500);
    await expect(driver).rejects.toThrow('did not end in 1500 ms');
    const pid = Number(readFileSync(file, 'utf8'));
    // A process that has ended may stay in the list, as one that nobody asks about.
    const state = () => spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim();
    await vi.waitFor(() => expect(state()).toMatch(/^(Z.*)?$/));
  });

  it('has its secrets kept, when it prints them', async () => {
    vi.stubEnv('BACK_OFFICE_PASSWORD', 'canary-of-the-environment');
    const answer = `echo "$BACK_OFFICE_PASSWORD canary-of-the-driver" >&2; echo '{"ok":true,"merchantId":"M","apiKey":"canary-of-the-driver","apiSecret":"canary-of-the-driver"}'`;
    const driver = await namedDriver(
      shell(`case "$line" in *provision*) ${answer};; *) ${answer}; exit 1;; esac`),
      5000,
    );
    await driver.provisionMerchant?.({}, transport);
    const failed = driver.advanceClock?.('M', 60, transport);
    await expect(failed).rejects.toThrow('its stderr: [redacted] [redacted]');
  });
});

describe('a module as a driver', () => {
  let written = 0;
  function moduleOf(source: string): string {
    written += 1;
    const file = join(folder, `driver-${written}.mjs`);
    writeFileSync(file, source);
    return file;
  }

  it.each([
    ['by default', 'export default { advanceClock: async () => {} };'],
    ['under the name driver', 'export const driver = { advanceClock: async () => {} };'],
    ['as an object of a class', 'class Mine { async advanceClock() {} }\nexport default new Mine();'],
  ])('is exported %s', async (_what, source) => {
    expect(Object.keys(await namedDriver(moduleOf(source), 1000))).toEqual(['advanceClock']);
  });

  it.each([
    ['is not there', () => join(folder, 'nowhere.mjs'), 'there is no driver'],
    ['exports something else', () => moduleOf('export const run = 1;'), 'exports run; it must export the driver'],
    ['has no step', () => moduleOf('export default { orderEvents() {} };'), 'did you mean orderEvent?'],
    ['has a step that is no function', () => moduleOf('export default { orderEvent: 1 };'), 'must be a function'],
    ['throws when it is loaded', () => moduleOf('throw new Error("no config");'), 'cannot be loaded: Error: no config'],
  ])('that %s is an error that says so', async (_what, file, message) => {
    const driver = namedDriver(file(), 1000);
    await expect(driver).rejects.toThrow(UsageError);
    await expect(driver).rejects.toThrow(message);
  });

  it.each([
    ['throws', 'throw new Error("database gone");', "the driver's orderEvent failed: database gone"],
    ['never ends', 'return new Promise(() => {});', 'did not end in 200 ms'],
    ['says nothing', '', 'must return done, true or false'],
    ['gives due as a number', 'return { done: true, due: { value: 9.5, currency: "USDT" } };', 'due with value'],
    [
      'gives an amount as a number',
      'return { done: true, payment: { amount: 9.5 } };',
      'payment.amount as decimal text',
    ],
    ['gives no hash', 'return { done: true, payment: { transactionHash: "" } };', 'payment.transactionHash as text'],
  ])('whose step %s leaves a check open', async (_what, body, message) => {
    const driver = await namedDriver(moduleOf(`export default { async orderEvent() { ${body} } };`), 200);
    const step = driver.orderEvent?.('M-1', 'ord-1', { type: 'cancelled' }, transport);
    await expect(step).rejects.toThrow(Inconclusive);
    await expect(step).rejects.toThrow(message);
  });

  it('may vouch for a payment, with the fields that a payment has', async () => {
    const payment = { amount: '9.50', paymentMethod: 'ON_CHAIN_TRANSFER', network: 'TRON', fromAddress: 'T1' };
    const answer = { done: true, payment: { ...payment, transactionHash: null, block: 7 } };
    const source = `export default { async orderEvent() { return ${JSON.stringify(answer)}; } };`;
    const driver = await namedDriver(moduleOf(source), 1000);
    const outcome = await driver.orderEvent?.('M-1', 'ord-1', { type: 'transaction_detected' }, transport);
    expect(outcome).toEqual({ done: true, payment });
  });

  it('may send through the run, which keeps its limits', async () => {
    const source = `export default { async advanceClock(merchantId, seconds, transport) {
      await transport.send({ method: 'POST', origin: 'http://elsewhere.invalid', target: '/', headers: {} });
    } };`;
    const driver = await namedDriver(moduleOf(source), 1000);
    const limited = createTransport({
      connections,
      limits: guardLimits({ allowHosts: ['127.0.0.1'] }),
      runId: 'test',
      timeout: 1000,
    });
    await expect(driver.advanceClock?.('M-1', 60, limited)).rejects.toThrow('limits.allowHosts does not list');
  });
});
