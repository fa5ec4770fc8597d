import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { type Command, InvalidArgumentError } from 'commander';
import type { Credentials } from '../drivers/driver.ts';
import { messageOf } from '../errors/message-of.ts';
import { UsageError } from '../errors/usage-errors.ts';
import { type Configuration, listenPlace } from '../run/configuration.ts';
import { runDefaults } from '../run/run-defaults.ts';
import type { SessionOptions } from '../run/session.ts';
import { isLoopback, proxyFor, type TlsSettings } from '../wire/connections.ts';
import { hostOf } from '../wire/limits.ts';
import { addressOf, wholeNumber, withoutValue } from './arguments.ts';
import type { ReferenceServer } from './reference-process.ts';
import { referenceScript } from './reference-script.ts';

/** The flags of the target and its merchant. */
export interface TargetFlags {
  target?: string;
  config?: string;
  control?: string;
  controlToken?: string;
  driver?: string;
  merchantId?: string;
  apiKey?: string;
  apiSecret?: string;
  webhookListen?: { host: string; port: number };
  webhookUrl?: string;
  timeout: number;
}

/** The variables of the environment that name a merchant. */
const merchantVariables = {
  merchantId: 'ASSAY_MERCHANT_ID',
  apiKey: 'ASSAY_API_KEY',
  apiSecret: 'ASSAY_API_SECRET',
} as const;

/** The one with the token of the control API. */
const controlTokenVariable = 'ASSAY_CONTROL_TOKEN';

/** Adds the flags of the target to a command. */
export function withTarget(command: Command): Command {
  return command
    .optionsGroup('Target:')
    .option(
      '--target <url>',
      'address of the implementation, the part before /api/v1 (environment: ASSAY_TARGET)',
      addressOf('--target'),
    )
    .option('--config <file>', 'configuration file (default: assay.yaml, if it exists)')
    .option(
      '--control <url>',
      "the target's sandbox control API (default: TARGET/sandbox/v1 if a token is given)",
      addressOf('--control'),
    )
    .option('--control-token <token>', 'its token (environment: ASSAY_CONTROL_TOKEN)')
    .option('--driver <file|command:cmd>', 'instead of the control API: a module that exports a driver, or a program')
    .option('--merchant-id <id>', 'a merchant, if nothing makes merchants (environment: ASSAY_MERCHANT_ID)')
    .option('--api-key <key>', 'the key of that merchant (environment: ASSAY_API_KEY)')
    .option('--api-secret <secret>', 'its secret (environment: ASSAY_API_SECRET; flags show in process lists)')
    .option('--webhook-listen <host:port>', 'where to receive webhooks (default: 127.0.0.1:0, free ports)', listen)
    .option('--webhook-url <url>', 'the address at which the target reaches that', addressOf('--webhook-url'))
    .option(
      '--timeout <milliseconds>',
      'limit for one answer, and for one step of a driver',
      wholeNumber(1),
      runDefaults.timeout,
    )
    .configureOutput({ writeErr: (text) => process.stderr.write(withoutValue(text)) });
}

/** The address of the target from flags, environment or configuration. `undefined`: none is given. Throws `UsageError` when it is none. */
export function targetOf(flags: TargetFlags, configuration: Pick<Configuration, 'target'>): string | undefined {
  const fromEnvironment = given('ASSAY_TARGET');
  if (flags.target !== undefined || fromEnvironment === undefined) return flags.target ?? configuration.target;
  return addressOf('ASSAY_TARGET')(fromEnvironment);
}

/** An opened target. `close` ends the reference server if the run started it. */
export interface OpenTarget {
  options: Omit<SessionOptions, 'seed' | 'concurrency'>;
  /** Which target it is, in words. */
  title: string;
  close(): Promise<void>;
}

/** Opens the named target, or starts the reference server when no target is named. Throws `UsageError`. */
export async function openTarget(flags: TargetFlags, configuration: Configuration): Promise<OpenTarget> {
  const target = targetOf(flags, configuration);
  const common = {
    timeout: flags.timeout,
    settle: configuration.timing?.settleMs ?? runDefaults.settle,
    webhookWait: configuration.timing?.webhookMs ?? runDefaults.webhookWait,
    webhooks: webhooksOf(flags, configuration),
    areas: configuration.areas,
    without: configuration.without,
  };
  if (target === undefined) return openReference(flags, configuration, common);
  const options = {
    ...common,
    target,
    ...drivenBy(flags, configuration, target),
    merchants: { ...configuration.merchants, ...merchantOf(flags) },
    paidOrders: configuration.fixtures?.paidOrders,
    tls: tlsOf(configuration),
    limits: configuration.limits,
  };
  if (!options.control && !options.driver && !options.merchants.default) {
    throw new UsageError(
      'there is no merchant for the requests: give --control and ASSAY_CONTROL_TOKEN, or --driver, or ASSAY_MERCHANT_ID, ASSAY_API_KEY and ASSAY_API_SECRET',
    );
  }
  const addresses = [target, ...(options.control ? [options.control.url] : [])];
  for (const each of addresses) expectReachable(each, configuration);
  warnOfPlainText(addresses);
  return { options, title: target, close: async () => {} };
}

/** What flags, environment and configuration give that belongs to a target, by its names there. */
function givenOfTarget(flags: TargetFlags, { control, merchants, fixtures, tls }: Configuration): string[] {
  const { driver, controlToken, merchantId, apiKey, apiSecret } = flags;
  const asFlags = {
    '--control': flags.control,
    '--control-token': controlToken,
    '--driver': driver,
    '--merchant-id': merchantId,
    '--api-key': apiKey,
    '--api-secret': apiSecret,
  };
  const named = (settings: object) =>
    Object.entries(settings).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  return [
    ...named(asFlags),
    ...[controlTokenVariable, ...Object.values(merchantVariables)].filter((name) => given(name) !== undefined),
    ...named({ control, merchants, fixtures, tls }).map((name) => `${name} of the configuration`),
  ];
}

/**
 * Starts the reference server. Throws `UsageError` where something is given that belongs to another target: whoever gives it has forgotten the target,
 * and would take the verdict on the reference server for the one on their own.
 */
async function openReference(
  flags: TargetFlags,
  configuration: Configuration,
  common: Omit<OpenTarget['options'], 'target' | 'merchants'>,
): Promise<OpenTarget> {
  const belongings = givenOfTarget(flags, configuration);
  if (belongings.length > 0) {
    throw new UsageError(
      `there is no target for ${belongings.join(' and ')}: give --target, or set ASSAY_TARGET, or target in the configuration file. Without one the reference server would be judged, which brings its own control API`,
    );
  }
  const { allowHosts: _notItsHost, ...limits } = configuration.limits ?? {};
  // The server has a process of its own, so that server and runner use two cores.
  const server = fork(referenceScript);
  const ended = once(server, 'exit');
  const [message] = await Promise.race([
    once(server, 'message'),
    ended.then(() => Promise.reject(new Error('the reference server did not start'))),
  ]);
  const { url, control: itsControl }: ReferenceServer = message;
  return {
    options: { ...common, target: url, control: itsControl, merchants: {}, limits },
    title: `the reference server, since no target is given, at ${url}`,
    // The server may have ended by itself.
    close: async () => {
      server.kill();
      await ended;
    },
  };
}

/** The driver or the control API that flags and configuration name. */
function drivenBy(
  flags: TargetFlags,
  { control }: Configuration,
  target: string,
): Pick<SessionOptions, 'control' | 'driver'> {
  const { driver } = flags;
  if (driver !== undefined) {
    if (flags.control === undefined && flags.controlToken === undefined) return { driver };
    throw new UsageError('--driver replaces the control API: leave out --control and --control-token');
  }
  const token = flags.controlToken ?? given(controlTokenVariable) ?? control?.token;
  const url = flags.control ?? control?.url;
  if (url !== undefined && token === undefined) {
    throw new UsageError('the control API needs its token: set ASSAY_CONTROL_TOKEN, or give --control-token');
  }
  return token === undefined ? {} : { control: { url: url ?? `${target.replace(/\/$/, '')}/sandbox/v1`, token } };
}

/** The merchant from flags or environment. Throws `UsageError` when only a part of its credentials is given. */
function merchantOf(flags: TargetFlags): { default?: Credentials } {
  const parts = {
    merchantId: flags.merchantId ?? given(merchantVariables.merchantId),
    apiKey: flags.apiKey ?? given(merchantVariables.apiKey),
    apiSecret: flags.apiSecret ?? given(merchantVariables.apiSecret),
  };
  const { merchantId, apiKey, apiSecret } = parts;
  if (merchantId !== undefined && apiKey !== undefined && apiSecret !== undefined) {
    return { default: { merchantId, apiKey, apiSecret } };
  }
  if (merchantId === undefined && apiKey === undefined && apiSecret === undefined) return {};
  const lacking = [
    ...(merchantId === undefined ? [merchantVariables.merchantId] : []),
    ...(apiKey === undefined ? [merchantVariables.apiKey] : []),
    ...(apiSecret === undefined ? [merchantVariables.apiSecret] : []),
  ].join(' and ');
  throw new UsageError(`the merchant's credentials are given in part: set ${lacking} too, or none of them`);
}

/** A variable of the environment. An empty one counts as absent, because CI systems set missing variables to empty text. */
function given(name: string): string | undefined {
  return process.env[name] || undefined;
}

function webhooksOf(flags: TargetFlags, { webhooks = {} }: Configuration): NonNullable<SessionOptions['webhooks']> {
  const { listen: configured = '127.0.0.1:0', url: configuredUrl, ...files } = webhooks;
  const url = flags.webhookUrl ?? configuredUrl;
  return {
    ...(flags.webhookListen ?? listenPlace(configured)),
    ...(url !== undefined && { url }),
    ...pem('webhooks', files),
  };
}

function tlsOf({ tls }: Configuration): TlsSettings | undefined {
  return tls && pem('tls', tls);
}

/** Reads PEM files. Throws `UsageError` when a file cannot be read or is no PEM file. */
function pem(place: string, files: { ca?: string; cert?: string; key?: string }): TlsSettings {
  const read = ([name, path]: [string, string]): [string, string] => {
    try {
      return [name, readFileSync(path, 'utf8')];
    } catch {
      throw new UsageError(`${place}.${name}: the file ${path} cannot be read`);
    }
  };
  const texts: TlsSettings = Object.fromEntries(Object.entries(files).map(read));
  try {
    createSecureContext(texts);
  } catch (error) {
    const why = messageOf(error);
    throw new UsageError(`${place}: ${Object.keys(files).join(', ')} must be PEM files that belong together: ${why}`);
  }
  return texts;
}

/** Warns when credentials go unencrypted to another machine, once for each host. */
function warnOfPlainText(addresses: readonly string[]): void {
  const open = addresses.filter((each) => new URL(each).protocol !== 'https:' && !isLoopback(hostOf(each)));
  for (const host of new Set(open.map((each) => new URL(each).host))) {
    process.stderr.write(
      `assay: warning: keys, signatures and tokens go to ${host} unencrypted, and others on the way can read them; give an https address\n`,
    );
  }
}

/** Throws `UsageError` when the limits forbid the host of this address, or when the address of its proxy is wrong. */
function expectReachable(target: string, { limits }: Configuration): void {
  const host = hostOf(target);
  if (limits?.allowHosts && !limits.allowHosts.some((each) => each.toLowerCase() === host)) {
    throw new UsageError(`limits.allowHosts does not list ${host}, which the run must contact; add it there`);
  }
  const proxy = proxyFor(target);
  if (proxy !== undefined && !(URL.canParse(proxy) && /^https?:$/.test(new URL(proxy).protocol))) {
    throw new UsageError(
      `the proxy for ${host} in the environment must be an http or https address: correct HTTPS_PROXY or HTTP_PROXY, or list the host in NO_PROXY`,
    );
  }
}

function listen(value: string): { host: string; port: number } {
  try {
    return listenPlace(value);
  } catch {
    throw new InvalidArgumentError('It is HOST:PORT, such as 0.0.0.0:8443.');
  }
}
