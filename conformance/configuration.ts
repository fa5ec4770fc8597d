import { existsSync, readFileSync } from 'node:fs';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { closest } from 'fastest-levenshtein';
import { parse, YAMLParseError } from 'yaml';
import { type Area, type OpenPointId, openPoints } from '../generated/catalogue.ts';
import type { Credentials } from './drivers/driver.ts';

/** The configuration file's content, each part optional. */
export interface Configuration {
  target?: string;
  /** What the implementation has; the checks of the others are skipped. */
  areas?: Area[];
  /** Credentials by role, where there is no control API. */
  merchants?: Record<string, Credentials>;
  control?: { url?: string; token?: string };
  /** Open points that are judged, with the value each must have. */
  'open-points'?: Partial<Record<OpenPointId, string>>;
  timing?: { settleMs?: number };
}

/** Wrong usage or configuration; the message names the place, the rule and the cure. */
export class UsageError extends Error {}

const text = { type: 'string', minLength: 1 };
const address = { type: 'string', pattern: '^https?://[^/?#]+[^?#]*$' };
const credentials = {
  type: 'object',
  additionalProperties: false,
  required: ['merchantId', 'apiKey', 'apiSecret'],
  properties: { merchantId: text, apiKey: text, apiSecret: text },
};

const schema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    target: address,
    areas: { type: 'array', items: { enum: ['orders', 'refunds', 'checkout', 'webhooks'] } },
    merchants: {
      type: 'object',
      additionalProperties: false,
      properties: Object.fromEntries(
        ['default', 'other', 'checkoutDisabled', 'lowBalance'].map((role) => [role, credentials]),
      ),
    },
    control: { type: 'object', additionalProperties: false, properties: { url: address, token: text } },
    'open-points': {
      type: 'object',
      additionalProperties: false,
      properties: Object.fromEntries(openPoints.map(({ id, values }) => [id, { enum: Object.keys(values) }])),
    },
    timing: {
      type: 'object',
      additionalProperties: false,
      properties: { settleMs: { type: 'integer', minimum: 0 } },
    },
  },
};

const validate = new Ajv2020({ strict: false, verbose: true }).compile<Configuration>(schema);

/** Where the configuration is looked for when no file is named. */
export const defaultFile = 'assay.yaml';

/**
 * Reads the configuration: the named file, else `assay.yaml` where there is one, else nothing. `${NAME}` in a value comes
 * from the environment. Throws `UsageError`.
 */
export function readConfiguration(file: string | undefined, environment: NodeJS.ProcessEnv): Configuration {
  const path = file ?? (existsSync(defaultFile) ? defaultFile : undefined);
  if (path === undefined) return {};
  if (!existsSync(path)) throw new UsageError(`there is no configuration file ${path}`);
  return parseConfiguration(readFileSync(path, 'utf8'), path, environment);
}

/** The configuration that a YAML text holds; `name` stands for it in errors. Throws `UsageError`. */
export function parseConfiguration(yaml: string, name: string, environment: NodeJS.ProcessEnv): Configuration {
  const configuration: unknown = filledIn(parseYaml(yaml, name) ?? {}, name, environment);
  if (validate(configuration)) return configuration;
  const [error] = validate.errors ?? [];
  throw new UsageError(`${name}: ${error ? describe(error) : 'does not fit'}`);
}

function parseYaml(yaml: string, name: string): unknown {
  try {
    return parse(yaml);
  } catch (error) {
    if (error instanceof YAMLParseError) throw new UsageError(`${name}: ${error.message}`);
    throw error;
  }
}

/** Replaces `${NAME}` in every text; after parsing, so that a value cannot become structure. */
function filledIn(value: unknown, name: string, environment: NodeJS.ProcessEnv): unknown {
  if (Array.isArray(value)) return value.map((each) => filledIn(each, name, environment));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, filledIn(each, name, environment)]));
  }
  if (typeof value !== 'string') return value;
  return value.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_whole, variable: string) => {
    const found = environment[variable];
    if (found === undefined)
      throw new UsageError(`${name}: the environment has no ${variable}; set it, or write the value`);
    return found;
  });
}

/** An error of the schema in words. Values are not repeated: one of them may be a secret. */
function describe({ keyword, instancePath, params, parentSchema, message }: ErrorObject): string {
  const place = instancePath.slice(1).replaceAll('/', '.') || 'the file';
  if (keyword === 'additionalProperties') {
    const unknown = String(params.additionalProperty);
    const known = Object.keys(parentSchema?.properties ?? {});
    return `${place} has an unknown key ${unknown}; did you mean ${closest(unknown, known)}?`;
  }
  if (keyword === 'enum') return `${place} must be one of ${params.allowedValues.join(', ')}`;
  if (keyword === 'pattern') return `${place} must be an http or https address without a query`;
  return `${place} ${message ?? 'does not fit'}`;
}
