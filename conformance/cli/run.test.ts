import { execFile } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startProxy } from '../proof/stand/proxy.ts';
import type { Report } from '../run/report.ts';
import { merchantEnvironment, reopening, startTarget, type Target } from '../tests/support/target.ts';
import { assay, assayProcess, builtCommand } from './testing/assay.ts';
import { assayHere } from './testing/assay-here.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-run-'));
const reportFile = join(folder, 'report.json');
const readReport = (): Report => JSON.parse(readFileSync(reportFile, 'utf8'));
const servers: { close(): Promise<unknown> }[] = [];

afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
  rmSync(folder, { recursive: true });
});

/** The reference server, and one whose closed orders can be paid. */
let conforming: Target;
let broken: Target;
beforeAll(async () => {
  [conforming, broken] = await Promise.all([startTarget(), startTarget(reopening)]);
  servers.push(conforming, broken);
});

/** A machine may be so busy with other tests that an answer takes long. */
const patient = ['--timeout', '60000'];

describe('assay run', () => {
  it('says what is broken, which exchange shows it, where the contract says so, and how to see it again', async () => {
    const { url, controlToken } = broken;
    const args = ['run', '--target', url, '--check', 'orders.state.closed-is-final', '--seed', '42'];
    const { code, stderr } = await assay(args, { ASSAY_CONTROL_TOKEN: controlToken, NO_COLOR: '1' });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /✗ orders\.state\.closed-is-final {2}MUST {2}An order that is CLOSED never moves again {2}\[orders\]/,
    );
    expect(stderr).toMatch(/ {4}GET \/api\/v1\/merchants\/M-\S+\/orders\/\S+ +exchange \d+ of \d+/);
    expect(stderr).toMatch(
      / {4}expected: after transaction_detected: data\.status = CLOSED.*\n {6}actual: data\.status = PROCESSING\n/,
    );
    expect(stderr).toContain('    contract: orders.states.final (openapi/catalogue/states.yaml)');
    const again = `run --target ${url} --check orders.state.closed-is-final --seed 42`;
    expect(stderr).toContain(`    again:    node ${relative('.', builtCommand)} ${again}\n`);
    expect(stderr).toContain('1 failed of 1 check');
    const [fixFirst = '', headline] = stderr.trimEnd().split('\n').slice(-2);
    expect(fixFirst).toContain('Fix first: orders.states.final: ');
    expect(headline).toBe('non-conformant in orders; 1 of 1 MUST check judged');

    // The command that is printed can be called where it is printed.
    const command = /\(1 check waits for it\)\. (.*)$/.exec(fixFirst)?.[1] ?? '';
    const env = { ...process.env, ASSAY_CONTROL_TOKEN: controlToken };
    const repeated = promisify(execFile)('sh', ['-c', command], { env });
    await expect(repeated).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining(fixFirst) });
  });

  it('fits on one screen however much is wrong, and shows everything when it is told to', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"Not Found"}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    servers.push({ close: () => new Promise((resolve) => server.close(resolve)) });
    const { port } = server.address() as AddressInfo;
    const args = ['run', '--target', `http://127.0.0.1:${port}`, '--area', 'orders', '--report', `json=${reportFile}`];
    const merchant = { ASSAY_MERCHANT_ID: 'M-1', ASSAY_API_KEY: 'k-canary', ASSAY_API_SECRET: 's-canary' };
    const { stderr } = await assayHere(args, merchant);
    const lines = stderr.trimEnd().split('\n');
    expect(lines.length, stderr).toBeLessThanOrEqual(42);
    expect(lines.at(-2)).toMatch(
      /^Fix first: every request is answered with HTTP 404 and no code of the contract.* doctor --target http:\S+$/,
    );

    const whole = await assayHere([...args, '--verbose'], merchant);
    const { checks, openPoints } = readReport();
    for (const { id } of checks.filter(({ verdict }) => verdict === 'failed' || verdict === 'inconclusive')) {
      expect(whole.stderr).toContain(` ${id}  `);
    }
    const observed = openPoints.filter((point) => point.observed.length > 0);
    expect(observed.length).toBeGreaterThan(0);
    for (const { id } of observed) expect(whole.stderr).toContain(`  ${id}: `);
    expect(stderr).not.toContain(`  ${observed[0]?.id}: `);
    expect(stderr).toContain(`${observed.length} open point`);
  });

  it('asks a target for nothing but the area that is named, if it needs no other', async () => {
    const hostedOnly = await startProxy(conforming.url, {
      merchantApi: async (request, server) =>
        /\/(refunds|checkout)/.test(request.target)
          ? { status: 404, headers: {}, body: Buffer.from('<h1>not built yet</h1>') }
          : server.forward(request),
    });
    servers.push(hostedOnly);
    const checks = ['orders.query.unknown', 'orders.query.ids-of-others'].flatMap((id) => ['--check', id]);
    const args = ['run', '--target', hostedOnly.url, ...checks, '--report', `json=${reportFile}`, ...patient];
    const token = { ASSAY_CONTROL_TOKEN: conforming.controlToken };
    const verdicts = () => readReport().checks.map(({ id, verdict }) => [id, verdict]);

    const alone = await assayHere([...args, '--area', 'orders'], token);
    expect(verdicts(), alone.stderr).toEqual([
      ['orders.query.unknown', 'passed'],
      ['orders.query.ids-of-others', 'skipped'],
    ]);
    expect(alone.code).toBe(0);

    const whole = await assayHere(args, token);
    expect(verdicts(), whole.stderr).toContainEqual(['orders.query.ids-of-others', 'inconclusive']);
  });

  it('stops at the first failure when it is told to', async () => {
    const { url, controlToken } = broken;
    const args = [
      'run',
      '--target',
      url,
      '--bail',
      '--concurrency',
      '1',
      '--check',
      'orders.state.*',
      '--report',
      `json=${reportFile}`,
    ];
    const { code } = await assayHere(args, { ASSAY_CONTROL_TOKEN: controlToken });
    expect(code).toBe(1);
    expect(readReport().summary.failed).toBe(1);
  });

  it('runs with configured credentials where there is no control API, and skips what needs more', async () => {
    const { url, newMerchant } = conforming;
    const credentials = merchantEnvironment(await newMerchant());
    // Refunds need paid orders, so almost everything is skipped in this area.
    const configuration = join(folder, 'without.yaml');
    writeFileSync(configuration, `target: ${url}\nareas: [refunds]\n`);
    const run = ['run', '--config', configuration, ...patient];
    const { code, stderr } = await assayHere([...run, '--report', `json=${reportFile}`], credentials);
    expect(code, stderr).toBe(3);
    const { summary, checks, outcome, scope } = readReport();
    expect(summary).toMatchObject({ failed: 0, inconclusive: 0 });
    expect(outcome).toBe('incomplete');
    expect(scope.undeclared).toContain('clock');
    expect(checks.find(({ id }) => id === 'refunds.create.minimal')).toMatchObject({
      verdict: 'skipped',
      reason: expect.stringContaining('there is no paid order: configure fixtures.paidOrders'),
    });
    const some = [...run, '--check', 'refunds.query.impossible-id', '--check', 'refunds.create.minimal'];
    expect((await assayHere(some, credentials)).code).toBe(3);

    const declared = /^ {2}(without: \[.*\])$/m.exec(stderr)?.[1] ?? '';
    appendFileSync(configuration, `${declared}\n`);
    expect((await assayHere(some, credentials)).code).toBe(0);
    expect((await assayHere([...some, '--strict-skips'], credentials)).code).toBe(3);
    const whole = await assayHere(run, credentials);
    expect(whole.code, whole.stderr).toBe(0);
    expect(whole.stderr).toMatch(
      /^conformant in refunds; \d+ of \d+ MUST checks judged \(\d+ found nothing to judge\); without: order-events/m,
    );
  });

  it('judges an open point that the configuration pins', async () => {
    const { url, controlToken } = conforming;
    const config = join(folder, 'pinned.yaml');
    writeFileSync(
      config,
      `target: ${url}\ncontrol: { token: "\${TOKEN}" }\nopen-points: { orders-duplicate-id: always-refused }\n`,
    );
    const args = ['run', '--config', config, '--check', 'orders.create.duplicate-id'];
    const { code, stderr } = await assayHere(args, { TOKEN: controlToken, NO_COLOR: '1' });
    expect(code).toBe(1);
    expect(stderr).toContain(
      'expected: orders-duplicate-id = always-refused\n      actual: orders-duplicate-id = same-terms',
    );
  });

  it('skips an area that the configuration says the target does not have', async () => {
    const { url, controlToken } = conforming;
    const config = join(folder, 'areas.yaml');
    writeFileSync(config, `target: ${url}\nareas: [orders]\n`);
    const selected = ['--check', 'refunds.query.*', '--check', 'auth.orders.create.unsigned'];
    const args = ['run', '--config', config, ...selected, '--report', `json=${reportFile}`];
    const { code } = await assayHere(args, { ASSAY_CONTROL_TOKEN: controlToken });
    expect(code).toBe(0);
    const { checks } = readReport();
    expect(checks.filter(({ verdict }) => verdict === 'passed').map(({ id }) => id)).toEqual([
      'auth.orders.create.unsigned',
    ]);
    const skipped = checks.filter(({ verdict }) => verdict === 'skipped');
    expect(skipped).toHaveLength(checks.length - 1);
    expect(new Set(skipped.map(({ reason }) => reason))).toEqual(
      new Set(['the run asks nothing of refunds (left out by --area, or by areas in the configuration)']),
    );
  });

  it('writes every report that is asked for, each as a whole, and one of them to stdout', async () => {
    const place = join(folder, 'new', 'folder');
    const [junit, html] = [join(place, 'a=b.xml'), join(place, 'report.html')];
    const link = join(folder, 'link.md');
    writeFileSync(join(folder, 'linked.md'), 'before');
    symlinkSync(join(folder, 'linked.md'), link);
    const reports = [`junit=${junit}`, `html=${html}`, `markdown=${link}`, 'json=-'].flatMap((each) => [
      '--report',
      each,
    ]);
    const some = ['--area', 'auth', '--check', 'auth.orders.create.signed', '--check', 'auth.orders.query.signed'];
    const { code, stdout, stderr } = await assay(['run', ...some, ...reports]);
    // A filtered run is incomplete, and exits with 0 all the same.
    expect(code).toBe(0);
    expect(stderr).toContain('2 passed of 2 checks');
    expect(stderr).toContain('incomplete; 2 of 2 MUST checks judged');
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'incomplete', summary: { passed: 2 } });
    expect(readFileSync(junit, 'utf8')).toContain('<testcase name="auth.orders.create.signed"');
    expect(readFileSync(html, 'utf8')).toContain('</html>');
    expect(readFileSync(join(folder, 'linked.md'), 'utf8')).toMatch(/^## /);
    expect(readdirSync(place).sort()).toEqual(['a=b.xml', 'report.html']);
  });

  it('keeps its verdict where the disk for a report is full, and the run for --last-failed', async () => {
    const place = join(folder, 'full');
    mkdirSync(place);
    const args = ['run', '--target', broken.url, '--check', 'orders.state.closed-is-final'];
    const control = { ASSAY_CONTROL_TOKEN: broken.controlToken };
    const lost = await assayHere([...args, '--report', 'json=/dev/full', '--report', 'badge=b.svg'], control, place);
    expect(lost.code).toBe(1);
    expect(lost.stderr.trimEnd().split('\n').at(-1)).toMatch(/^assay: --report: \/dev\/full cannot be written: ENOSPC/);
    expect(readdirSync(place).sort()).toEqual(['.assay', 'b.svg']);
    const again = await assayHere(['run', '--target', broken.url, '--last-failed'], control, place);
    expect(again.stderr).toContain('1 failed of 1 check');
    // All is well but for the report.
    const well = ['run', '--target', conforming.url, '--check', 'orders.query.unknown', '--report', 'json=/dev/full'];
    expect((await assayHere(well, { ASSAY_CONTROL_TOKEN: conforming.controlToken }, place)).code).toBe(2);
  });

  it('keeps its verdict where stdout is on a full disk', async () => {
    const args = ['run', '--target', broken.url, '--check', 'orders.state.closed-is-final', '--report', 'json=-'];
    const env = { ...process.env, ASSAY_CONTROL_TOKEN: broken.controlToken };
    const command = `"${process.execPath}" "${builtCommand}" ${args.join(' ')} > /dev/full`;
    await expect(promisify(execFile)('sh', ['-c', command], { env, cwd: folder })).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/\nassay: stdout cannot be written: .*ENOSPC.*\n$/),
    });
  });

  it('exits with 3 when the target cannot be reached', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => closed.once('listening', resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const junit = join(folder, 'unreached.xml');
    writeFileSync(junit, '<testsuites name="of an earlier run"/>');
    const reports = ['--report', `json=${reportFile}`, '--report', `junit=${junit}`];
    const { code, stderr } = await assayHere(['run', '--target', `http://127.0.0.1:${port}`, ...reports], {
      ASSAY_CONTROL_TOKEN: 'token-canary',
    });
    expect(code).toBe(3);
    expect(stderr).toContain('ECONNREFUSED');
    // No report of an earlier run is left to be taken for this one's.
    const { outcome, summary, checks } = readReport();
    expect({ outcome, inconclusive: summary.inconclusive }).toEqual({
      outcome: 'incomplete',
      inconclusive: checks.length,
    });
    expect(checks.every(({ reason }) => reason?.includes('ECONNREFUSED'))).toBe(true);
    expect(readFileSync(junit, 'utf8')).toContain(` errors="${checks.length}" `);
    expect(readFileSync(reportFile, 'utf8')).not.toContain('token-canary');
    expect(stderr.trimEnd().split('\n').at(-1)).toMatch(/ doctor --target http:\/\/127\.0\.0\.1:\d+$/);
  });

  it('exits with 3 when the control API refuses the token', async () => {
    const { url } = conforming;
    const { code, stderr } = await assayHere(['run', '--target', url], { ASSAY_CONTROL_TOKEN: 'wrong' });
    expect(code).toBe(3);
    expect(stderr).toContain('check the control token');
  });

  // Without a target the reference server would be started beside what is refused, and only the built command can do that.
  const target = ['--target', 'http://127.0.0.1:9', '--control-token', 't'];

  it.each([
    ['an unknown flag', ['--chek', 'x'], 'Did you mean --check?'],
    ['a pattern that matches nothing', [...target, '--check', 'orders.nothing'], 'matches no check'],
    ['an area that there is not', ['--area', 'order'], 'It is one of'],
    ['a target that is no address', ['--target', 'localhost'], 'must be an http or https address'],
    ['a target without a merchant', ['--target', 'http://127.0.0.1:9'], 'there is no merchant for the requests'],
    [
      'half of the credentials',
      ['--target', 'http://127.0.0.1:9', '--api-key', 'k'],
      'set ASSAY_MERCHANT_ID and ASSAY_API_SECRET too',
    ],
    [
      'a control API without its token',
      ['--target', 'http://127.0.0.1:9', '--control', 'http://127.0.0.1:9'],
      'needs its token',
    ],
    [
      'a merchant without a target',
      ['--merchant-id', 'M-1'],
      'there is no target for --merchant-id: give --target, or set ASSAY_TARGET',
    ],
    ['a driver without a target', ['--driver', 'driver.mjs'], 'there is no target for --driver'],
    ['a report without a path', ['--report', 'json'], 'It is FORMAT=PATH'],
    ['a report format that there is not', ['--report', 'jnuit=x'], 'did you mean junit?'],
    ['a report format like none', ['--report', 'xml=x'], 'badge.\n'],
    ['two reports in one place', ['--report', 'json=-', '--report', 'junit=-'], 'stdout is taken by another report'],
    ['a report where a folder is', [...target, '--report', 'json=/'], 'cannot be written'],
    [
      'a report where no folder can be made',
      [...target, '--report', 'json=/proc/none/report.json'],
      'cannot be written',
    ],
    ['a report that cannot be written', [...target, '--report', 'json=/dev/null/x/report.json'], 'cannot be written'],
    ['a configuration that is not there', ['--config', 'nowhere.yaml'], 'there is no configuration file'],
    ['a seed that is no number', ['--seed', 'x'], 'It is a whole number'],
  ])('exits with 2 for %s', async (_what, args, message) => {
    const { code, stdout, stderr } = await assayHere(['run', ...args]);
    expect(code, stderr).toBe(2);
    expect(stderr).toContain(message);
    expect(stdout).toBe('');
  });
});

describe('assay list', () => {
  it('lists every check for machines', async () => {
    const { code, stdout } = await assayHere(['list', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toContainEqual({
      id: 'orders.state.closed-is-final',
      title: 'An order that is CLOSED never moves again',
      area: 'orders',
      level: 'MUST',
      since: '0.1',
      requirements: ['orders.states.final', 'orders.states.no-other-moves'],
      openPoint: null,
      invariant: null,
      needs: ['order-events', 'clock'],
    });
  });

  it('ends in order when whoever reads has enough', async () => {
    const child = assayProcess(['list', '--json']);
    child.stdout.destroy();
    let stderr = '';
    child.stderr.on('data', (text) => {
      stderr += text;
    });
    const [code] = await once(child, 'close');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });
});

describe('assay explain', () => {
  it.each([
    ['a requirement', 'orders.states.final', 'openapi/catalogue/states.yaml'],
    ['a check', 'orders.state.closed-is-final', 'run --check orders.state.closed-is-final'],
    ['an error code', '40001', 'ORDER_NOT_FOUND'],
    ['an open point', 'orders-query-id', '(reference server)'],
    ['an operation', 'createOrder', 'POST /api/v1/merchants/{merchantId}/orders'],
    ['an operation by its short name', 'orders.create', 'operationId createOrder'],
    ['the invariant of a rule', 'orders.query.times.created-at', 'invariant     times: judges everything'],
    ['what feeds a rule', 'orders.query.times.created-at', 'fed by        orders.situations.created'],
  ])('explains %s', async (_what, id, text) => {
    const { code, stdout } = await assayHere(['explain', id]);
    expect(code).toBe(0);
    expect(stdout).toContain(text);
  });

  it.each([
    ['checkout-repat', 'there is nothing called checkout-repat; did you mean checkout-repeat?'],
    ['20001x', 'did you mean 20001?'],
    ['creatOrder', 'did you mean createOrder?'],
    ['M-DEMO', 'there is nothing called M-DEMO; give the id of a requirement'],
    ['GET', 'assay list names all checks'],
  ])('names what is near to %s, and what there is if nothing is', async (id, message) => {
    const { code, stderr } = await assayHere(['explain', id]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});
