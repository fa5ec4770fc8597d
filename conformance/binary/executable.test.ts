import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { transformSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startServer } from '../../server/main.ts';
import { assayHere } from '../cli/testing/assay-here.ts';
import { makeExecutable } from './make.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-executable-'));
const programs = join(folder, 'bin');
const project = join(folder, 'project');
const at = (name: string): string => join(project, name);

let server: RunningServer;
beforeAll(async () => {
  mkdirSync(project);
  await makeExecutable(join(programs, 'assay'));
  server = await startServer({
    host: '127.0.0.1',
    port: 0,
    database: ':memory:',
    mode: 'sandbox',
    implementation: 'other/1',
  });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

/** Starts the executable in a folder far from any package, where no Node is found. */
function start(args: readonly string[], environment: Record<string, string> = {}) {
  return spawn(join(programs, 'assay'), args, {
    cwd: project,
    env: { PATH: programs, TMPDIR: folder, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Runs the executable to its end. */
async function executable(args: readonly string[], environment: Record<string, string> = {}) {
  const child = start(args, environment);
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [code] = await once(child, 'close');
  return { code, stdout, stderr };
}

const targeted = () => ['--target', server.url, '--control-token', server.controlToken ?? ''];

describe('the single executable', () => {
  it.each([
    [['--version']],
    [['--help']],
    [['list']],
    [['explain', 'orders.states.final']],
    [['sign', 'GET', '/api/v1/x', '--timestamp', '1700000000000', '--api-key', 'key-1', '--api-secret', 'secret-1']],
    [['serve', '--help']],
    [['merchant', '--help']],
    [['nothing']],
  ])('prints for %j what the command prints', async (args) => {
    expect(await executable(args)).toEqual(await assayHere(args));
  });

  it('runs against a target, and judges and compares what it has written', async () => {
    const reports = ['json=run.json', 'html=run.html', 'history=run.history.json'].flatMap((each) => [
      '--report',
      each,
    ]);
    const run = await executable(['run', ...targeted(), '--check', 'orders.query.unknown', ...reports]);
    expect(run).toMatchObject({ code: 0, stdout: '' });
    expect(run.stderr).toContain('1 passed of 1 check');
    expect(JSON.parse(readFileSync(at('run.json'), 'utf8')).configuration.command).toBe('assay');
    expect(readFileSync(at('run.html'), 'utf8')).toContain('<style>');
    expect(await executable(['judge', 'run.history.json'])).toMatchObject({ code: 0 });
    expect(await executable(['compare', 'run.json', 'run.json'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('none worse'),
    });
  });

  it('judges the reference server, which it starts by itself', async () => {
    const { code, stderr } = await executable(['run', '--check', 'orders.query.unknown']);
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('1 passed of 1 check') });
  });

  it('takes a module as driver, with what the module imports, and a program', async () => {
    const example = readFileSync(new URL('../drivers/examples/module-driver.ts', import.meta.url), 'utf8');
    const module = transformSync(example, { loader: 'ts' }).code;
    writeFileSync(at('example.mjs'), module);
    writeFileSync(at('driver.mjs'), "import driver from './example.mjs';\nexport default await driver;\n");
    const environment = { EXAMPLE_CONTROL: server.control ?? '', EXAMPLE_TOKEN: server.controlToken ?? '' };
    const driven = (driver: string) =>
      executable(
        ['run', '--target', server.url, '--driver', driver, '--check', 'orders.state.closed-is-final'],
        environment,
      );
    const byModule = await driven('driver.mjs');
    expect(byModule).toMatchObject({ code: 0, stderr: expect.stringContaining('1 passed of 1 check') });
    expect(byModule.stderr).not.toContain('Warning');
    const byProgram = await driven('command:exit 7');
    expect(byProgram).toMatchObject({ code: 3, stderr: expect.stringContaining('ended with code 7') });
  });

  it('says what to do where its native part cannot be unpacked', async () => {
    const { code, stderr } = await executable(['run', '--check', 'orders.query.unknown'], { TMPDIR: '/nowhere' });
    expect(code).not.toBe(0);
    expect(stderr).toContain('cannot be loaded from /nowhere');
    expect(stderr).toContain('another TMPDIR');
  });

  it('writes a configuration, examines the target, and pins what a run has observed', async () => {
    expect(await executable(['init', ...targeted()])).toMatchObject({ code: 0 });
    const doctor = await executable(['doctor'], { ASSAY_CONTROL_TOKEN: server.controlToken ?? '' });
    expect(doctor).toMatchObject({ code: 0 });
    const observing = ['run', ...targeted(), '--check', 'orders.query.by-order-id'];
    expect(await executable(observing)).toMatchObject({ code: 0 });
    expect(await executable(['pin'])).toMatchObject({ code: 0 });
    expect(readFileSync(at('assay.yaml'), 'utf8')).toMatch(/^open-points:$/m);
  });

  it('serves, and leaves nothing but its data beside its data', async () => {
    const serving = start(['serve', '--port', '0', '--data', 'data', '--metrics-port', '0'], { TMPDIR: '/nowhere' });
    const ended = once(serving, 'close');
    const [line] = await once(createInterface(serving.stdout), 'line');
    const { url, control, controlToken } = JSON.parse(line);
    const style = await fetch(`${url}/checkout/assets/checkout.css`);
    expect([style.status, style.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8']);
    const made = await fetch(`${control}/merchants`, {
      method: 'POST',
      headers: { authorization: `Bearer ${controlToken}`, 'content-type': 'application/json' },
      body: '{}',
    });
    expect(made.status).toBe(201);
    serving.kill();
    expect(await ended).toEqual([0, null]);
    expect(readdirSync(at('data')).filter((name) => !name.startsWith('assay.sqlite'))).toEqual([]);
    const { merchantId } = (await made.json()) as { merchantId: string };
    expect((await executable(['merchant', 'list', '--data', 'data'])).stdout).toContain(merchantId);
  });
});
