import { parse, YAMLParseError } from 'yaml';
import { bodyReader, settingNames } from '../http/control-schemas.ts';
import type { SeedMerchant } from '../services/control/merchants.ts';
import { didYouMean } from '../services/did-you-mean.ts';

const credentialForms = {
  merchantId: { form: /^[A-Za-z0-9._-]{1,64}$/, must: '1 to 64 letters, digits, dots, underscores and hyphens' },
  apiKey: { form: /^[!-~]{1,256}$/, must: 'text of 1 to 256 visible ASCII characters' },
  apiSecret: { form: /^[!-~]{1,256}$/, must: 'text of 1 to 256 visible ASCII characters' },
};
const credentialNames = Object.keys(credentialForms);

const readSettings = bodyReader('MerchantSettings');

/**
 * Reads the merchants of a seed configuration. It has a list `merchants`; each entry has merchantId, apiKey, apiSecret and
 * settings as in the control API. `${NAME}` in a value is replaced by a variable of the environment.
 *
 * @param name the name of the configuration in errors
 * @throws Error that names the place and the rule, and never a value, which may be a secret
 */
export function readSeed(yaml: string, name: string, environment: NodeJS.ProcessEnv): SeedMerchant[] {
  try {
    const content = object(filledIn(parseYaml(yaml) ?? {}, environment), 'the file');
    expectKnown(content, ['merchants'], 'the file');
    const { merchants = [] } = content;
    if (!Array.isArray(merchants)) throw new Error('merchants must be a list');
    const read = merchants.map((each, index) => merchantOf(each, `merchants.${index}`));
    const ids = read.map(({ merchantId }) => merchantId);
    const repeated = ids.findIndex((id, index) => ids.indexOf(id) !== index);
    if (repeated !== -1) throw new Error(`merchants.${repeated}.merchantId is that of another merchant before it`);
    return read;
  } catch (error) {
    throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function merchantOf(value: unknown, place: string): SeedMerchant {
  const entry = object(value, place);
  expectKnown(entry, [...credentialNames, ...settingNames()], place);
  const text = (field: keyof typeof credentialForms): string => {
    const found = entry[field];
    const { form, must } = credentialForms[field];
    if (typeof found !== 'string' || !form.test(found)) throw new Error(`${place}.${field} must be ${must}`);
    return found;
  };
  const settings = Object.fromEntries(Object.entries(entry).filter(([field]) => !credentialNames.includes(field)));
  return {
    merchantId: text('merchantId'),
    apiKey: text('apiKey'),
    apiSecret: text('apiSecret'),
    settings: readSettings(settings, place),
  };
}

function object(value: unknown, place: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return Object.fromEntries(Object.entries(value));
  throw new Error(`${place} must be an object`);
}

function expectKnown(value: object, known: readonly string[], place: string): void {
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  throw new Error(`${place} has an unknown key ${unknown}${didYouMean(unknown, known)}`);
}

function parseYaml(yaml: string): unknown {
  try {
    return parse(yaml);
  } catch (error) {
    // Only the first line is kept: the others show the text around the mistake, which may hold a secret.
    if (error instanceof YAMLParseError) throw new Error(error.message.split('\n')[0]?.replace(/:$/, ''));
    throw error;
  }
}

/** Replaces `${NAME}` in every text; after parsing, so that a value cannot become structure. */
function filledIn(value: unknown, environment: NodeJS.ProcessEnv): unknown {
  if (Array.isArray(value)) return value.map((each) => filledIn(each, environment));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, filledIn(each, environment)]));
  }
  if (typeof value !== 'string') return value;
  return value.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_whole, variable: string) => {
    const found = environment[variable];
    if (found === undefined) throw new Error(`the environment has no ${variable}; set it, or write the value`);
    return found;
  });
}
