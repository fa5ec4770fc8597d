import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Area, OpenPointId } from '../../generated/catalogue.ts';
import type { MerchantsByRole } from '../check/roles.ts';
import { UsageError } from '../errors/usage-errors.ts';
import type { Limits } from '../wire/limits.ts';
import { configurationSchema } from './configuration-schema.ts';
import { yamlReader } from './yaml-reader.ts';

/** The configuration file's content, each part optional. */
export interface Configuration {
  target?: string;
  /** What the implementation has; the checks of the others are skipped. */
  areas?: Area[];
  /** Credentials by role, where there is no control API. */
  merchants?: MerchantsByRole;
  /** Platform ids of paid orders of the default merchant that may be refunded. */
  fixtures?: { paidOrders?: string[] };
  control?: { url?: string; token?: string };
  /** Where the receiver of webhooks listens, how the target reaches it, and files of its certificate and key. */
  webhooks?: { listen?: string; url?: string; cert?: string; key?: string };
  /** Files, for connections to the target. */
  tls?: { ca?: string; cert?: string; key?: string };
  /** Open points that are judged, with the value each must have. */
  'open-points'?: Partial<Record<OpenPointId, string>>;
  limits?: Limits;
  timing?: { settleMs?: number; webhookMs?: number };
  /** A file of known failures. */
  baseline?: string;
}

/** The configuration that a YAML text holds; its arguments are the text, a name for it, and the environment. */
export const parseConfiguration = yamlReader<Configuration>(configurationSchema, {});

/** Where the configuration is looked for when no file is named. */
export const defaultFile = 'assay.yaml';

/** The file that a configuration is read from: the named one, else `assay.yaml` where there is one. Throws `UsageError`. */
export function configurationFile(named: string | undefined): string | undefined {
  if (named !== undefined && !existsSync(named)) throw new UsageError(`there is no configuration file ${named}`);
  return named ?? (existsSync(defaultFile) ? defaultFile : undefined);
}

/**
 * Reads the configuration from that file; without one it is empty. `${NAME}` in a value comes from the environment, and
 * paths of files are relative to the configuration file. Throws `UsageError`.
 */
export function readConfiguration(named: string | undefined, environment: NodeJS.ProcessEnv): Configuration {
  const path = configurationFile(named);
  if (path === undefined) return {};
  const configuration = parseConfiguration(readFileSync(path, 'utf8'), path, environment);
  const at = <Files extends object>(files: Files, ...names: (keyof Files)[]): Files => ({
    ...files,
    ...Object.fromEntries(
      names.flatMap((name) => (typeof files[name] === 'string' ? [[name, resolve(dirname(path), files[name])]] : [])),
    ),
  });
  return {
    ...at(configuration, 'baseline'),
    ...(configuration.tls && { tls: at(configuration.tls, 'ca', 'cert', 'key') }),
    ...(configuration.webhooks && { webhooks: at(configuration.webhooks, 'cert', 'key') }),
  };
}

/** Host and port of a `HOST:PORT` to listen on. Throws `UsageError`. */
export function listenPlace(text: string): { host: string; port: number } {
  const [, host = '', port = ''] = /^(.+):([0-9]{1,5})$/.exec(text) ?? [];
  if (host === '' || Number(port) > 65_535) throw new UsageError(`${text} is no host and port to listen on`);
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}
