import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { isObject } from '../contract/json.ts';
import { UsageError } from '../errors/usage-errors.ts';
import { didYouMean, didYouMeanOneOf } from '../text/did-you-mean.ts';
import { parseYaml } from './plain-yaml.ts';

const ajv = new Ajv2020({ strict: false, verbose: true });
formats.default(ajv);
ajv.addFormat('address', (text: string) => URL.canParse(text));

/**
 * Makes a function that reads YAML of a JSON Schema. Errors take their words from `description` in the schema.
 *
 * The function takes the text, its name for errors, and the environment. A key without a value counts as absent, an empty text
 * becomes `empty`, and `${NAME}` in a value is replaced from the environment. The function throws `UsageError`; its message
 * never repeats a value, because a value may be a secret.
 */
export function yamlReader<Content>(schema: object, empty: Content) {
  let validate: ValidateFunction<Content> | undefined;
  return (yaml: string, name: string, environment: NodeJS.ProcessEnv = {}): Content => {
    // Compiled only when there is a text to read, because most runs have no such file.
    validate ??= ajv.compile<Content>(schema);
    try {
      const content = filledIn(parseYaml(yaml) ?? empty, environment);
      if (validate(content)) return content;
      const [error] = validate.errors ?? [];
      throw new UsageError(error ? describe(error) : 'does not fit');
    } catch (error) {
      if (error instanceof UsageError) throw new UsageError(`${name}: ${error.message}`);
      // The message of another error could repeat a value.
      throw new UsageError(`${name}: it cannot be read as a configuration; write it as plain YAML`);
    }
  };
}

/** Replaces `${NAME}` in every text of a parsed document, so that a value cannot change its structure. */
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

/** A place in the file in words, such as `limits.maxAmount` or `areas entry 2`. Entries are counted from 1. */
function placeOf(instancePath: string): string {
  const inWords = (part: string) => (/^[0-9]+$/.test(part) ? ` entry ${Number(part) + 1} ` : part);
  const path = instancePath.slice(1).split('/').map(inWords).join('.');
  return (
    path
      .replaceAll(/\.? | \.?/g, ' ')
      .replaceAll(/ +/g, ' ')
      .trim() || 'the file'
  );
}

/** An error of the schema in words, without the value. */
function describe({ keyword, instancePath, params, parentSchema, data }: ErrorObject): string {
  const place = placeOf(instancePath);
  if (keyword === 'additionalProperties') {
    const unknown = String(params.additionalProperty);
    const known = Object.keys(parentSchema?.properties ?? {});
    // A key that is no word may be a value that stands in a wrong place.
    const named = /^[A-Za-z-]{1,30}$/.test(unknown) ? `an unknown key ${unknown}` : 'an unknown key';
    return `${place} has ${named}${didYouMeanOneOf(unknown, known)}`;
  }
  if (keyword === 'enum') {
    const known = [...new Set((params.allowedValues as unknown[]).map(String))];
    const cure = typeof data === 'string' ? didYouMean(data, known) : '; write it as text, in quotes';
    return `${place} must be one of ${known.join(', ')}${cure}`;
  }
  if (keyword === 'minItems') return `${place} is an empty list; name at least one entry, or leave the key out`;
  if (keyword === 'required') return `${place} lacks ${params.missingProperty}`;
  if (keyword === 'dependentRequired') return `${place} has ${params.property} and lacks ${params.missingProperty}`;
  return `${place} must be ${parentSchema?.description ?? 'something else'}`;
}
