import { execFile } from 'node:child_process';
import { access, mkdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Report } from '../run/report.ts';
import type { BenchServer } from './server.ts';
import type { SigningProxy } from './signing-proxy.ts';
import { cpuTime } from './usage.ts';

const run = promisify(execFile);

/** The server that the tools judge, and the folder in which they write. */
export interface Bench {
  server: Pick<BenchServer, 'url' | 'controlToken' | 'cpuTime'>;
  /** A proxy in front of the server, for tools that cannot sign. */
  signing: SigningProxy;
  folder: string;
}

/**
 * One run of a tool: the time of its process, its CPU time with that of the processes that it has started and that have ended, both in
 * milliseconds, and the number of its checks.
 */
export interface ToolRun {
  milliseconds: number;
  cpu: number;
  checks: number;
}

/** A tool that judges the server. */
export interface Tool {
  name: string;
  run(bench: Bench): Promise<ToolRun>;
}

/**
 * Runs a Node program to its end.
 *
 * @throws Error with its output when it ends with another exit code than one of `exits`
 */
async function node(
  args: readonly string[],
  { env = {}, exits = [0] }: { env?: Record<string, string>; exits?: readonly number[] } = {},
): Promise<Omit<ToolRun, 'checks'> & { stdout: string }> {
  const [began, before] = [performance.now(), cpuTime('children')];
  const options = { env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 };
  const { stdout } = await run(process.execPath, [...args], options).catch(
    (error: Error & { stdout: string; code: number }) => {
      if (exits.includes(error.code)) return error;
      throw new Error(`${error.message}\n${error.stdout}`);
    },
  );
  return { milliseconds: performance.now() - began, cpu: cpuTime('children') - before, stdout };
}

/** A run of the whole suite with its report. */
type AssayRun = ToolRun & { report: Report };

/** Runs the whole suite once and returns its report. `exits`: the exit codes that it may have. */
async function assayRun(
  folder: string,
  { flags = [], token = '', exits }: { flags?: readonly string[]; token?: string; exits?: readonly number[] },
): Promise<AssayRun> {
  const file = join(folder, 'report.json');
  const args = ['dist/conformance/cli/main.js', 'run', '--report', `json=${file}`, ...flags];
  const { milliseconds, cpu } = await node(args, { env: { ASSAY_CONTROL_TOKEN: token }, ...(exits && { exits }) });
  const report: Report = JSON.parse(await readFile(file, 'utf8'));
  return { milliseconds, cpu, checks: report.checks.length, report };
}

/** The whole suite against the reference server that the command itself starts. */
export const embedded: Tool = { name: 'assay run', run: ({ folder }) => assayRun(folder, {}) };

/** The whole suite against the server of the bench, with the CPU time of both. */
export const targeted: Tool = {
  name: 'assay run --target',
  run: async ({ server, folder }) => {
    const before = server.cpuTime();
    const { cpu, ...counts } = await assayRun(folder, {
      flags: ['--target', server.url],
      token: server.controlToken,
    });
    return { ...counts, cpu: cpu + server.cpuTime() - before };
  },
};

/** Runs the whole suite against a target that may be wrong, with the default settings. The exit codes are those of a run with a verdict. */
export const judgeTarget = (folder: string, target: string, token: string): Promise<AssayRun> =>
  assayRun(folder, { flags: ['--target', target], token, exits: [0, 1, 3] });

/** Runs the whole suite against the server of the bench, and returns the file with what was exchanged. */
export async function recordedRun({ server, folder }: Bench): Promise<string> {
  const file = join(folder, 'history.ndjson');
  const flags = ['--target', server.url, '--report', `history=${file}`];
  await assayRun(folder, { flags, token: server.controlToken });
  return file;
}

/** The inputs of the happy paths: a merchant, a new id, and the time at which the orders expire. */
const values = (merchantId: string): string[] => [
  `merchantId=${merchantId}`,
  `id=${Date.now()}-${Math.floor(Math.random() * 1e6)}`,
  `expiresAt=${new Date(Date.now() + 1_800_000).toISOString()}`,
];

/** Redocly Respect with an Arazzo description of the happy paths. */
export const respect: Tool = {
  name: 'Redocly Respect',
  run: async ({ signing, folder }) => {
    const file = join(folder, 'respect.json');
    const args = [
      'node_modules/@redocly/cli/bin/cli.js',
      'respect',
      'conformance/bench/happy-paths.arazzo.yaml',
      ...['--input', values(signing.merchantId).join(',')],
      ...['--server', `api=${signing.url}`, '--server', `control=${signing.url}/sandbox/v1`],
      // Its schema check wrongly refuses every field of a schema that also has an allOf.
      ...['--severity', 'SCHEMA_CHECK=warn'],
      ...['--json-output', file],
    ];
    const { milliseconds, cpu } = await node(args, { env: { REDOCLY_TELEMETRY: 'off' } });
    return { milliseconds, cpu, checks: countChecks(JSON.parse(await readFile(file, 'utf8'))) };
  },
};

/** The number of checks in Respect's JSON, at every depth. */
function countChecks(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = 'checks' in value && Array.isArray(value.checks) ? value.checks.length : 0;
  return Object.values(value).reduce((sum: number, each) => sum + countChecks(each), own);
}

const stepCiVersion = '2.8.2';

/** Step CI with the same happy paths. It needs 95 MB, so it is installed only once, in the system's temporary folder. */
export const stepCi: Tool = {
  name: 'Step CI',
  run: async ({ signing }) => {
    const folder = join(tmpdir(), `assay-bench-stepci-${stepCiVersion}`);
    const main = join(folder, 'node_modules/stepci/dist/index.js');
    await access(main).catch(async () => {
      await mkdir(folder, { recursive: true });
      const flags = ['--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts', '--no-save'];
      await run('npm', ['install', ...flags, `stepci@${stepCiVersion}`]);
    });
    const filledIn = [`target=${signing.url}`, ...values(signing.merchantId)].map((each) => `--env=${each}`);
    const args = [main, 'run', 'conformance/bench/happy-paths.stepci.yaml', ...filledIn];
    const { milliseconds, cpu, stdout } = await node(args, { env: { STEPCI_DISABLE_ANALYTICS: '1' } });
    return { milliseconds, cpu, checks: Number(/Steps: .* (\d+) total/.exec(stdout)?.[1]) };
  },
};
