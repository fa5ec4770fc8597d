import { accessSync, constants, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import picomatch from 'picomatch';
import { startServer } from '../../server/main.ts';
import type { Check } from '../check.ts';
import { allChecks } from '../checks/index.ts';
import { type Configuration, readConfiguration, UsageError } from '../configuration.ts';
import type { Credentials } from '../drivers/driver.ts';
import { jsonReport } from '../reporters/json.ts';
import type { Report } from '../reporters/report.ts';
import { textProgress, textSummary } from '../reporters/text.ts';
import { runConformance } from '../run-conformance.ts';
import { version } from '../version.ts';

const areas = ['auth', 'orders', 'refunds', 'checkout', 'webhooks'] as const;

/** Report formats, by the name that --report takes. */
const formats: Readonly<Record<string, (report: Report) => string>> = { json: jsonReport };

interface RunFlags {
  target?: string;
  config?: string;
  area?: string[];
  check?: string[];
  control?: string;
  controlToken?: string;
  merchantId?: string;
  apiKey?: string;
  apiSecret?: string;
  report?: ReportFlag[];
  concurrency: number;
  timeout: number;
  seed?: number;
  bail?: boolean;
  strictSkips?: boolean;
}

interface ReportFlag {
  format: string;
  path: string;
}

/** `assay run`: judges a target, or the reference server when no target is given. */
export function runCommand(): Command {
  return new Command('run')
    .description('Run the conformance checks against a target; without --target, against the reference server itself.')
    .option('--target <url>', 'address of the implementation')
    .option('--config <file>', 'configuration file (default: assay.yaml, where there is one)')
    .addOption(new Option('--area <area>', 'only this area; repeatable').choices(areas).argParser(oneOf(areas)))
    .option('--check <glob>', 'only checks whose id matches; repeatable', repeated)
    .option('--control <url>', "the target's sandbox control API (default: TARGET/sandbox/v1 where a token is given)")
    .option('--control-token <token>', 'its token (environment: ASSAY_CONTROL_TOKEN)')
    .option('--merchant-id <id>', 'where the target has no control API (environment: ASSAY_MERCHANT_ID)')
    .option('--api-key <key>', '(environment: ASSAY_API_KEY)')
    .option('--api-secret <secret>', '(environment: ASSAY_API_SECRET, which is better: flags show in process lists)')
    .option(
      '--report <format=path>',
      `write a report; repeatable; formats: ${Object.keys(formats).join(', ')}`,
      reports,
    )
    .option('--concurrency <n>', 'checks side by side', wholeNumber(1), 8)
    .option('--timeout <ms>', 'for one answer', wholeNumber(1), 10_000)
    .option('--seed <n>', 'repeats the order and the random choices of another run', wholeNumber(0))
    .option('--bail', 'stop at the first failure')
    .option('--strict-skips', 'a skipped check is not enough: exit with 3')
    .addHelpText('after', exitCodes)
    .action(run);
}

const exitCodes = `
Exit codes: 0 nothing failed, 1 a check failed, 2 wrong usage or configuration, 3 could not judge, 70 a fault of assay itself.`;

async function run(flags: RunFlags): Promise<void> {
  const configuration = readConfiguration(flags.config, process.env);
  const checks = selectChecks(flags);
  const written = flags.report ?? [];
  for (const { path } of written) expectWritable(path);
  const target = await targetOf(flags, configuration);
  try {
    const seed = flags.seed ?? Math.floor(Math.random() * 2 ** 31);
    const progress = textProgress(checks.length, process.stderr);
    process.stderr.write(`assay ${version}: ${checks.length} checks against ${target.url}\n`);
    const { report, exitCode } = await runConformance({
      target: target.url,
      control: target.control,
      merchants: target.merchants,
      checks,
      everyCheck: checks.length === allChecks.length,
      seed,
      concurrency: flags.concurrency,
      timeout: flags.timeout,
      settle: configuration.timing?.settleMs ?? 15_000,
      bail: flags.bail ?? false,
      strictSkips: flags.strictSkips ?? false,
      pins: configuration['open-points'] ?? {},
      ...(configuration.areas && { areas: configuration.areas }),
      configuration: { ...configuration, flags: { ...flags } },
      onResult: progress.show,
    });
    progress.end();
    process.stderr.write(textSummary(report, ({ id }) => againCommand(flags, id, seed)));
    for (const { format, path } of written) writeReport(path, formats[format]?.(report) ?? '');
    process.exitCode = exitCode;
  } finally {
    await target.close();
  }
}

/** The checks that the flags name; throws `UsageError` for a pattern that names none. */
function selectChecks({ area, check: patterns }: RunFlags): Check[] {
  const unmatched = patterns?.find((pattern) => !allChecks.some(({ id }) => picomatch.isMatch(id, pattern)));
  if (unmatched !== undefined) throw new UsageError(`--check ${unmatched} matches no check; see assay list`);
  return allChecks.filter(
    (check) =>
      (area?.includes(check.area) ?? true) &&
      (patterns?.some((pattern) => picomatch.isMatch(check.id, pattern)) ?? true),
  );
}

interface Target {
  url: string;
  control?: { url: string; token: string };
  merchants: Record<string, Credentials>;
  close(): Promise<void>;
}

/** What is judged: the target that was named, else the reference server, started for this run alone. */
async function targetOf(flags: RunFlags, configuration: Configuration): Promise<Target> {
  const url = flags.target ?? configuration.target;
  if (url === undefined) {
    const server = await startServer({
      host: '127.0.0.1',
      port: 0,
      database: ':memory:',
      mode: 'sandbox',
      implementation: `assay/${version}`,
    });
    const { control = '', controlToken = '' } = server;
    return { url: server.url, control: { url: control, token: controlToken }, merchants: {}, close: server.close };
  }
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new UsageError(`--target ${url}: must be an http or https address`);
  }
  const merchants = { ...configuration.merchants, ...merchantOf(flags) };
  const control = controlOf(flags, configuration, url);
  if (!control && !merchants.default) {
    throw new UsageError(
      'there is no merchant to act as: give --control and ASSAY_CONTROL_TOKEN, or ASSAY_MERCHANT_ID, ASSAY_API_KEY and ASSAY_API_SECRET',
    );
  }
  return { url, ...(control && { control }), merchants, close: async () => {} };
}

function controlOf(flags: RunFlags, { control }: Configuration, target: string) {
  const token = flags.controlToken ?? process.env.ASSAY_CONTROL_TOKEN ?? control?.token;
  const url = flags.control ?? control?.url;
  if (url !== undefined && !URL.canParse(url))
    throw new UsageError(`--control ${url}: must be an http or https address`);
  if (url !== undefined && token === undefined) {
    throw new UsageError('the control API needs its token: set ASSAY_CONTROL_TOKEN, or give --control-token');
  }
  return token === undefined ? undefined : { url: url ?? `${target.replace(/\/$/, '')}/sandbox/v1`, token };
}

/** The one merchant that flags or environment give; a part of it alone is an error. */
function merchantOf(flags: RunFlags): { default?: Credentials } {
  const { env } = process;
  const given = {
    merchantId: flags.merchantId ?? env.ASSAY_MERCHANT_ID,
    apiKey: flags.apiKey ?? env.ASSAY_API_KEY,
    apiSecret: flags.apiSecret ?? env.ASSAY_API_SECRET,
  };
  const { merchantId, apiKey, apiSecret } = given;
  if (merchantId !== undefined && apiKey !== undefined && apiSecret !== undefined) {
    return { default: { merchantId, apiKey, apiSecret } };
  }
  const missing = Object.entries(given).filter(([, value]) => value === undefined);
  if (missing.length === Object.keys(given).length) return {};
  throw new UsageError(`the merchant's credentials lack ${missing.map(([name]) => name).join(' and ')}`);
}

/** How to see one check again. Secrets are left to the environment. */
function againCommand({ target, config, control }: RunFlags, id: string, seed: number): string {
  const flags = [
    ['--target', target],
    ['--control', control],
    ['--config', config],
    ['--check', id],
    ['--seed', String(seed)],
  ].flatMap(([flag, value]) => (value === undefined ? [] : [flag, value]));
  return ['assay run', ...flags].join(' ');
}

function expectWritable(path: string): void {
  if (path === '-') return;
  try {
    mkdirSync(dirname(path), { recursive: true });
    accessSync(dirname(path), constants.W_OK);
  } catch (error) {
    throw new UsageError(`--report: ${path} cannot be written: ${error instanceof Error ? error.message : error}`);
  }
}

function writeReport(path: string, text: string): void {
  if (path === '-') process.stdout.write(text);
  else writeFileSync(path, text);
}

function repeated(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value];
}

function oneOf(choices: readonly string[]) {
  return (value: string, before: string[] | undefined): string[] => {
    if (!choices.includes(value)) throw new InvalidArgumentError(`It is one of ${choices.join(', ')}.`);
    return repeated(value, before);
  };
}

function reports(value: string, before: ReportFlag[] | undefined): ReportFlag[] {
  const [format = '', ...path] = value.split('=');
  if (!(format in formats) || path.length === 0) {
    throw new InvalidArgumentError(`It is FORMAT=PATH, with a format of ${Object.keys(formats).join(', ')}.`);
  }
  return [...(before ?? []), { format, path: path.join('=') }];
}

function wholeNumber(least: number) {
  return (value: string): number => {
    const number = Number(value);
    if (!/^[0-9]+$/.test(value) || number < least)
      throw new InvalidArgumentError(`It is a whole number from ${least} up.`);
    return number;
  };
}
