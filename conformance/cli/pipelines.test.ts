import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Report } from '../run/report.ts';
import { startTarget, type Target } from '../tests/support/target.ts';
import { builtCommand } from './testing/assay.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'assay-pipelines-'));

const at = (name: string): string => join(folder, name);
function write(name: string, text: string): string {
  mkdirSync(dirname(at(name)), { recursive: true });
  writeFileSync(at(name), text);
  chmodSync(at(name), 0o755);
  return at(name);
}

/** The command, in the folder of the action. */
const actionMain = `const { status } = require('node:child_process').spawnSync(process.execPath, ['${builtCommand}', ...process.argv.slice(2)], { stdio: 'inherit' });
process.exitCode = status;
`;

let server: Target;
beforeAll(async () => {
  server = await startTarget();
  write('action/dist/conformance/cli/main.js', actionMain);
  // Stand-ins for what would reach the network.
  write('bin/npm', `#!/bin/sh\necho "npm $*" >> '${at('npm.log')}'\n`);
  // npx passes no SIGTERM on, so no pipeline may use it.
  write('bin/npx', '#!/bin/sh\nexit 99\n');
  mkdirSync(at('node_modules/.bin'), { recursive: true });
  symlinkSync(builtCommand, at('node_modules/.bin/assay'));
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  for (const name of ['output', 'summary', 'npm.log']) writeFileSync(at(name), '');
});

/** Runs a script as a pipeline does, and gives its code and what it printed. */
function bash(script: string, environment: Record<string, string>): Promise<{ status: number; printed: string }> {
  const env = {
    PATH: [at('bin'), process.env.PATH].join(delimiter),
    RUNNER_TEMP: folder,
    GITHUB_OUTPUT: at('output'),
    GITHUB_STEP_SUMMARY: at('summary'),
    GITHUB_ACTION_PATH: at('action'),
    CI: 'true',
    ...environment,
  };
  const flags = ['--noprofile', '--norc', '-e', '-o', 'pipefail', write('script.sh', script)];
  return new Promise((resolve) => {
    execFile('bash', flags, { cwd: folder, env }, (error, stdout, stderr) => {
      resolve({ status: error ? Number(error.code) : 0, printed: stdout + stderr });
    });
  });
}

describe('the GitHub action', () => {
  interface Step {
    id: string;
    shell: string;
    env: Record<string, string>;
    run: string;
  }
  const text = readFileSync(join(root, 'action.yml'), 'utf8');
  const action: {
    inputs: Record<string, { description: string; default: string }>;
    outputs: Record<string, { description: string; value: string }>;
    runs: { using: string; steps: Step[] };
  } = parse(text);

  /** The outputs that a step has written. */
  const outputs = (): Record<string, string> =>
    Object.fromEntries(
      readFileSync(at('output'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => line.split(/=(.*)/s).slice(0, 2)),
    );

  /** Does what the runner does: fills in the expressions of a step's environment, and runs it. */
  function take(id: string, inputs: Record<string, string>, before: Record<string, string> = {}) {
    const step = action.runs.steps.find((each) => each.id === id);
    const filled = Object.entries(step?.env ?? {}).map(([name, value]) => {
      const known = value.replace(
        /\$\{\{ (inputs\.([\w-]+)|steps\.install\.outputs\.(\w+)) \}\}/g,
        (_all, _one, input, output) =>
          input === undefined ? (before[output] ?? '') : (inputs[input] ?? action.inputs[input]?.default ?? 'UNKNOWN'),
      );
      return [name, known];
    });
    return bash(step?.run ?? 'exit 99', Object.fromEntries(filled));
  }

  it('describes its inputs and outputs, and uses each of them', () => {
    for (const [name, { description, default: value }] of Object.entries(action.inputs)) {
      expect([name, description.length > 10, value]).toEqual([name, true, '']);
      expect(text).toContain(`\${{ inputs.${name} }}`);
    }
    expect(Object.keys(action.outputs)).toEqual(['outcome', 'exit-code', 'report', 'html', 'junit', 'worse']);
    expect(action.runs.using).toBe('composite');
    for (const { shell, run } of action.runs.steps) {
      expect(shell).toBe('bash');
      // What a caller passes in never becomes part of a script.
      expect(run).not.toContain('${{');
    }
  });

  it('builds its own code once, and fetches no other', async () => {
    const main = `main=${at('action')}/dist/conformance/cli/main.js\n`;
    expect(await take('install', {})).toMatchObject({ status: 0 });
    expect(readFileSync(at('output'), 'utf8')).toBe(main);
    expect(readFileSync(at('npm.log'), 'utf8')).toBe('');
    rmSync(at('action/dist/conformance/cli/main.js'));
    expect(await take('install', {})).toMatchObject({ status: 0 });
    expect(readFileSync(at('npm.log'), 'utf8')).toBe(`npm ci --prefix ${at('action')}\n`);
    write('action/dist/conformance/cli/main.js', actionMain);
  });

  it('runs, and gives outcome, exit code and report', async () => {
    const inputs = {
      target: server.url,
      'control-token': server.controlToken,
      reports: 'json=own.json',
      arguments: '--check orders.query.* --concurrency 2',
    };
    const { status, printed } = await take('run', inputs, { main: at('action/dist/conformance/cli/main.js') });
    expect({ status, printed }).toMatchObject({ status: 0 });
    const report = at('assay-report.json');
    const [html, junit] = [at('assay-report.html'), at('assay-report.xml')];
    expect(outputs()).toEqual({ outcome: 'incomplete', 'exit-code': '0', report, html, junit, worse: '' });
    expect(readFileSync(at('summary'), 'utf8')).toMatch(/^## \S+ Assay: incomplete\n/);
    expect(readFileSync(html, 'utf8')).toMatch(/^<!doctype html>/);
    expect(readFileSync(junit, 'utf8')).toContain('<testcase name="orders.query.unknown"');
    const { summary, checks }: Report = JSON.parse(readFileSync(report, 'utf8'));
    expect(summary).toMatchObject({ failed: 0, inconclusive: 0 });
    expect(checks.filter(({ id }) => !id.startsWith('orders.query.'))).toEqual([]);
    expect(readFileSync(at('own.json'), 'utf8')).toBe(readFileSync(report, 'utf8'));
  });

  it('says what changed since the report of the base branch, where there is one', async () => {
    const inputs = {
      target: server.url,
      'control-token': server.controlToken,
      arguments: '--check orders.query.unknown',
      'base-report': 'base.json',
    };
    const main = at('action/dist/conformance/cli/main.js');
    expect(await take('run', inputs, { main })).toMatchObject({ status: 0 });
    expect(outputs()).toMatchObject({ worse: '' });
    const report: Report = JSON.parse(readFileSync(at('assay-report.json'), 'utf8'));

    const failing = report.checks.map((check) => ({ ...check, verdict: 'failed' }));
    write('base.json', JSON.stringify({ ...report, checks: failing }));
    expect(await take('run', inputs, { main })).toMatchObject({ status: 0 });
    expect(outputs()).toMatchObject({ worse: 'false' });
    expect(readFileSync(at('summary'), 'utf8')).toContain('1 better');

    const broken = createServer((_request, response) => response.writeHead(404).end()).listen(0, '127.0.0.1');
    await once(broken, 'listening');
    const address = broken.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const merchant = { 'merchant-id': 'M-1', 'api-key': 'k', 'api-secret': 's' };
    write('base.json', JSON.stringify(report));
    await take('run', { ...inputs, ...merchant, target: `http://127.0.0.1:${port}`, 'control-token': '' }, { main });
    expect(outputs()).toMatchObject({ worse: 'true' });
    broken.close();
  });

  it('runs the single executable where there is no Node', async () => {
    write('tool/assay', `#!/bin/sh\nexec '${process.execPath}' '${builtCommand}' "$@"\n`);
    write('bin/node', '#!/bin/sh\nexit 99\n');
    try {
      const inputs = {
        executable: 'tool/assay',
        target: server.url,
        'control-token': server.controlToken,
        arguments: '--check orders.query.unknown',
      };
      expect(await take('install', inputs)).toEqual({ status: 0, printed: '' });
      expect(await take('run', inputs)).toMatchObject({ status: 0 });
      expect(outputs()).toMatchObject({ outcome: 'incomplete', 'exit-code': '0' });
    } finally {
      rmSync(at('bin/node'));
    }
  });

  it('fails as the run does, and says with what', async () => {
    const inputs = { target: server.url, control: `${server.url}/nowhere`, 'control-token': 'canary-token' };
    const { status, printed } = await take('run', inputs, { main: at('action/dist/conformance/cli/main.js') });
    expect(status).toBe(3);
    expect(outputs()).toMatchObject({ outcome: 'incomplete', 'exit-code': '3' });
    expect(printed).not.toContain('canary');
  });
});

describe('a GitLab recipe', () => {
  it.each([
    ['gitlab-ci.yml', 'npm ci\n'],
    ['gitlab-ci-image.yml', ''],
  ])('runs, and keeps the report that it names: %s', async (recipe, installed) => {
    const { conformance } = parse(readFileSync(new URL(`./examples/${recipe}`, import.meta.url), 'utf8'));
    // In the place of the executable that the image holds.
    write('bin/assay', `#!/bin/sh\nexec '${process.execPath}' '${builtCommand}' "$@"\n`);
    write('assay.yaml', 'areas: [orders]\n');
    const { status, printed } = await bash(`${conformance.script.join('\n')} --check orders.query.unknown`, {
      SANDBOX_URL: server.url,
      ASSAY_CONTROL_TOKEN: server.controlToken,
    });
    expect({ status, printed }).toMatchObject({ status: 0 });
    expect(readFileSync(at('npm.log'), 'utf8')).toBe(installed);
    const [report, page] = conformance.artifacts.paths;
    expect(JSON.parse(readFileSync(at(report), 'utf8')).summary).toMatchObject({ passed: 1 });
    expect(readFileSync(at(page), 'utf8')).toMatch(/^<!doctype html>/);
    expect(readFileSync(at(conformance.artifacts.reports.junit), 'utf8')).toContain(
      '<testsuites name="assay" tests="1"',
    );
  });
});
