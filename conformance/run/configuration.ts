import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Area, OpenPointId } from '../../generated/catalogue.ts';
import type { Need } from '../check/needs.ts';
import type { MerchantsByRole } from '../check/roles.ts';
import { type SuiteVersion, suiteVersions } from '../checks/check-ids.ts';
import { messageOf } from '../errors/message-of.ts';
import { UsageError } from '../errors/usage-errors.ts';
import type { Limits } from '../wire/limits.ts';
import { configurationSchema } from './configuration-schema.ts';
import { yamlReader } from './yaml-reader.ts';

/** The content of a configuration file. Every part is optional. */
export interface Configuration {
  target?: string;
  /** The version of the suite that judges. Checks that came later do not count. Absent: the present one. */
  suite?: SuiteVersion;
  /** The areas that the target has. Checks of other areas are skipped. */
  areas?: Area[];
  /** Needs that the target cannot offer. Checks that have one of them are outside of the scope. */
  without?: Need[];
  /** Credentials by role, for targets without a control API. */
  merchants?: MerchantsByRole;
  /** Platform ids of paid orders of the default merchant that may be refunded. */
  fixtures?: { paidOrders?: string[] };
  control?: { url?: string; token?: string };
  /** The host and port of the receiver of webhooks, its address for the target, and the files of its certificate and key. */
  webhooks?: { listen?: string; url?: string; cert?: string; key?: string };
  /** The files of certificates for connections to the target. */
  tls?: { ca?: string; cert?: string; key?: string };
  /** The open points that are judged, each with the value that it must have. */
  'open-points'?: Partial<Record<OpenPointId, string>>;
  limits?: Limits;
  timing?: { settleMs?: number; webhookMs?: number };
  /** The file of known failures. */
  baseline?: string;
}

/** Reads the configuration from YAML text. The arguments are the text, its name for errors, and the environment. Throws `UsageError`. */
export const parseConfiguration = yamlReader<Configuration>(configurationSchema, {});

/** The configuration file that is read when none is named. */
export const defaultFile = 'assay.yaml';

/** The path of the configuration file: the named one, else `assay.yaml` if it exists. Throws `UsageError` when the named file does not exist. */
export function configurationFile(named: string | undefined): string | undefined {
  if (named !== undefined && !existsSync(named)) throw new UsageError(`there is no configuration file ${named}`);
  return named ?? (existsSync(defaultFile) ? defaultFile : undefined);
}

/**
 * Reads the configuration file. Without a file the configuration is empty. `${NAME}` in a value is replaced from the
 * environment, and paths are relative to the configuration file. Throws `UsageError`.
 */
export function readConfiguration(named: string | undefined, environment: NodeJS.ProcessEnv): Configuration {
  const path = configurationFile(named);
  if (path === undefined) return {};
  const configuration = parseConfiguration(configurationText(path), path, environment);
  const suite = suiteVersions.find((version) => version === String(configuration.suite));
  const at = <Files extends object>(files: Files, ...names: (keyof Files)[]): Files => ({
    ...files,
    ...Object.fromEntries(
      names.flatMap((name) => (typeof files[name] === 'string' ? [[name, resolve(dirname(path), files[name])]] : [])),
    ),
  });
  return {
    ...at(configuration, 'baseline'),
    ...(suite !== undefined && { suite }),
    ...(configuration.tls && { tls: at(configuration.tls, 'ca', 'cert', 'key') }),
    ...(configuration.webhooks && { webhooks: at(configuration.webhooks, 'cert', 'key') }),
  };
}

/** The text of a configuration file. Throws `UsageError` when it cannot be read. */
export function configurationText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`the configuration file ${path} cannot be read: ${messageOf(error)}`);
  }
}

/** Splits `HOST:PORT` into host and port. Throws `UsageError`. */
export function listenPlace(text: string): { host: string; port: number } {
  const [, host = '', port = ''] = /^(.+):([0-9]{1,5})$/.exec(text) ?? [];
  if (host === '' || Number(port) > 65_535)
    throw new UsageError(`${text} must be a host and a port to listen on, such as 0.0.0.0:8443`);
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}
