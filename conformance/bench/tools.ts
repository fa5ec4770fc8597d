import { execFile } from 'node:child_process';
import { access, mkdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readHistory } from '../history/ndjson.ts';
import type { History } from '../history/records.ts';
import type { Report } from '../run/report.ts';
import type { SigningProxy } from './signing-proxy.ts';

const run = promisify(execFile);

/** The server that the tools judge, and the folder in which they write. */
export interface Bench {
  server: { url: string; controlToken: string };
  /** A proxy in front of the server, for tools that cannot sign. */
  signing: SigningProxy;
  folder: string;
}

/** One run of a tool: the time of its process, in milliseconds, and the number of its checks. */
export interface ToolRun {
  milliseconds: number;
  checks: number;
}

/** A tool that judges the server. */
export interface Tool {
  name: string;
  run(bench: Bench): Promise<ToolRun>;
}

/** Runs a Node program to its end. Rejects with its output when it fails. */
async function node(
  args: readonly string[],
  env: Record<string, string>,
): Promise<{ milliseconds: number; stdout: string }> {
  const began = performance.now();
  const options = { env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 };
  const { stdout } = await run(process.execPath, [...args], options).catch((error: Error & { stdout?: string }) => {
    throw new Error(`${error.message}\n${error.stdout ?? ''}`);
  });
  return { milliseconds: performance.now() - began, stdout };
}

/** Runs the whole suite once and returns its report. */
async function assayRun({ server, folder }: Bench, flags: readonly string[]): Promise<ToolRun & { report: Report }> {
  const file = join(folder, 'report.json');
  const args = ['dist/conformance/cli/main.js', 'run', '--report', `json=${file}`, ...flags];
  const { milliseconds } = await node(args, { ASSAY_CONTROL_TOKEN: server.controlToken });
  const report: Report = JSON.parse(await readFile(file, 'utf8'));
  return { milliseconds, checks: report.checks.length, report };
}

/** The whole suite against the reference server that the command itself starts. */
export const embedded: Tool = { name: 'assay run', run: (bench) => assayRun(bench, []) };

/** The whole suite against the server of the bench. */
export const targeted: Tool = {
  name: 'assay run --target',
  run: (bench) => assayRun(bench, ['--target', bench.server.url]),
};

/** Runs the whole suite against a target and returns its longest check, whose requests wait for each other. */
export async function againstTarget(
  bench: Bench,
  target: string,
): Promise<ToolRun & { longest: Report['checks'][number] }> {
  const { report, ...counts } = await assayRun(bench, ['--target', target]);
  const longest = report.checks.reduce((most, each) => (each.durationMs > most.durationMs ? each : most));
  return { ...counts, longest };
}

/** Runs the whole suite against the server of the bench and returns what was exchanged. */
export async function recordedRun(bench: Bench): Promise<History> {
  const file = join(bench.folder, 'history.ndjson');
  await assayRun(bench, ['--target', bench.server.url, '--report', `history=${file}`]);
  return readHistory(await readFile(file, 'utf8'), file);
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
    const { milliseconds } = await node(args, { REDOCLY_TELEMETRY: 'off' });
    return { milliseconds, checks: countChecks(JSON.parse(await readFile(file, 'utf8'))) };
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
    const { milliseconds, stdout } = await node(args, { STEPCI_DISABLE_ANALYTICS: '1' });
    return { milliseconds, checks: Number(/Steps: .* (\d+) total/.exec(stdout)?.[1]) };
  },
};
