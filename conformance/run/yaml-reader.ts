import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { closest } from 'fastest-levenshtein';
import { parse, YAMLParseError } from 'yaml';
import { isObject } from '../contract/json.ts';
import { UsageError } from '../errors/usage-errors.ts';

const ajv = new Ajv2020({ strict: false, verbose: true });
formats.default(ajv);

/**
 * Reads YAML that must fit a JSON Schema, in which `description` says what a value must be. A key without a value counts as
 * left out, an empty text holds `empty`, and `${NAME}` in a value comes from the environment. `name` stands for the text in errors; values never do, since
 * one of them may be a secret.
 *
 * @throws UsageError
 */
export function yamlReader<Content>(schema: object, empty: Content) {
  let validate: ValidateFunction<Content> | undefined;
  return (yaml: string, name: string, environment: NodeJS.ProcessEnv = {}): Content => {
    // Compiled only when there is something to read: most runs have no such file.
    validate ??= ajv.compile<Content>(schema);
    try {
      const content = filledIn(parseYaml(yaml) ?? empty, environment);
      if (validate(content)) return content;
      const [error] = validate.errors ?? [];
      throw new UsageError(error ? describe(error) : 'does not fit');
    } catch (error) {
      throw error instanceof UsageError ? new UsageError(`${name}: ${error.message}`) : error;
    }
  };
}

function parseYaml(yaml: string): unknown {
  try {
    return parse(yaml);
  } catch (error) {
    // The lines below the first one show the text around the mistake, where a secret may stand.
    if (error instanceof YAMLParseError) throw new UsageError(error.message.split('\n')[0]?.replace(/:$/, ''));
    throw error;
  }
}

/** Replaces `${NAME}` in every text; after parsing, so that a value cannot become structure. */
function filledIn(value: unknown, environment: NodeJS.ProcessEnv): unknown {
  if (Array.isArray(value)) return value.map((each) => filledIn(each, environment));
  if (isObject(value)) {
    const entries = Object.entries(value).filter(([, each]) => each !== null);
    return Object.fromEntries(entries.map(([key, each]) => [key, filledIn(each, environment)]));
  }
  if (typeof value !== 'string') return value;
  return value.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_whole, variable: string) => {
    const found = environment[variable];
    if (found === undefined) throw new UsageError(`the environment has no ${variable}; set it, or write the value`);
    return found;
  });
}

/** An error of the schema in words. */
function describe({ keyword, instancePath, params, parentSchema, data }: ErrorObject): string {
  const place = instancePath.slice(1).replaceAll('/', '.') || 'the file';
  if (keyword === 'additionalProperties') {
    const unknown = String(params.additionalProperty);
    const known = Object.keys(parentSchema?.properties ?? {});
    return `${place} has an unknown key ${unknown}; did you mean ${closest(unknown, known)}?`;
  }
  if (keyword === 'enum') {
    const known: string[] = params.allowedValues;
    const cure = typeof data === 'string' ? `did you mean ${closest(data, known)}?` : 'write it as text, in quotes';
    return `${place} must be one of ${known.join(', ')}; ${cure}`;
  }
  if (keyword === 'required') return `${place} lacks ${params.missingProperty}`;
  if (keyword === 'dependentRequired') return `${place} has ${params.property} and lacks ${params.missingProperty}`;
  return `${place} must be ${parentSchema?.description ?? 'something else'}`;
}
