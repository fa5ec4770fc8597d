import type { Json } from '../../../generated/contract.ts';
import { address } from './catalogue-links.ts';
import { follow, isObject, type JsonObject, members, nameOf, objects, textOf, texts } from './contract.ts';
import { code, link, table, text } from './markdown.ts';

/** One field of a body. The name of a nested field is its whole path: `items[].name`. */
interface Field {
  name: string;
  type: string;
  required: boolean;
  rules: string[];
  meaning: string;
}

/** The rules for one value from a schema and all schemas that it is composed of. */
interface Merged {
  types: Set<string>;
  meaning: string;
  required: Set<string>;
  properties: Map<string, JsonObject>;
  items: JsonObject | undefined;
  rules: string[];
}

/** A table of all fields of a schema, nested ones included. Rules are links to their requirements. */
export function fieldTable(schema: JsonObject): string {
  const rows = fieldsOf(schema, '').map(({ name, type, required, rules, meaning }) => [
    `${code(name)}<br>${type}${required ? ', required' : ''}`,
    [meaning, rules.length > 0 ? `Rules: ${rules.join('; ')}.` : ''].filter(Boolean).join('<br>'),
  ]);
  return rows.length === 0 ? '' : table(['Field', 'Meaning and rules'], rows);
}

function fieldsOf(schema: JsonObject, prefix: string): Field[] {
  const merged = merge(schema);
  return [...merged.properties].flatMap(([property, value]) => {
    const name = `${prefix}${property}`;
    const own = merge(value);
    const { rules, meaning } = own;
    const field = {
      name,
      type: typeOf(own),
      required: merged.required.has(property),
      rules: [...new Set(rules)],
      meaning,
    };
    const below = own.items ? fieldsOf(own.items, `${name}[].`) : fieldsOf(value, `${name}.`);
    return [field, ...below];
  });
}

function merge(given: JsonObject, requirement?: Json): Merged {
  const schema = follow(given);
  const merged: Merged = {
    types: new Set([schema.type ?? []].flat().filter((type) => typeof type === 'string')),
    meaning: text(textOf(given.description) || textOf(schema.description)),
    required: new Set(texts(schema.required)),
    properties: new Map(members(schema.properties)),
    items: isObject(schema.items) ? schema.items : undefined,
    rules: rulesOf(schema, given['x-requirement'] ?? requirement),
  };
  for (const part of [...objects(schema.allOf), ...alternatives(schema)]) {
    const other = merge(part, schema['x-requirement']);
    for (const type of other.types) merged.types.add(type);
    for (const name of other.required) merged.required.add(name);
    for (const [name, value] of other.properties) merged.properties.set(name, value);
    merged.items ??= other.items;
    merged.meaning ||= other.meaning;
    merged.rules.push(...other.rules);
  }
  if (merged.items) merged.rules.push(...merge(merged.items).rules.map((rule) => `each: ${rule}`));
  return merged;
}

/** Branches with fields of their own. Branches that only list permitted values become rules instead. */
function alternatives(schema: JsonObject): JsonObject[] {
  return [...objects(schema.oneOf), ...objects(schema.anyOf).filter(({ format }) => format === undefined)].filter(
    (branch) => branch.const === undefined && branch.required === undefined && !isErrorCode(branch),
  );
}

/** Error codes are left out, because they have their own page. */
function isErrorCode(branch: JsonObject): boolean {
  return /(Error|Failure)Code$/.test(nameOf(branch) ?? '');
}

function typeOf({ types, items, properties }: Merged): string {
  const names: Readonly<Record<string, string>> = {
    string: 'text',
    integer: 'whole number',
    number: 'number',
    boolean: 'true or false',
    null: '`null`',
    object: 'object',
    array: 'list',
  };
  const own = [...types].map((type) =>
    type === 'array' && items ? `list of ${typeOf(merge(items))}` : (names[type] ?? type),
  );
  if (own.length === 0 && properties.size > 0) return 'object';
  return own.join(' or ') || 'any';
}

function rulesOf(schema: JsonObject, outer: Json | undefined): string[] {
  const requirement = schema['x-requirement'] ?? outer;
  const said = (keyword: string, rule: string, value = '') => {
    const id = isObject(requirement) ? textOf(requirement[keyword]) : textOf(requirement);
    return `${id === '' ? rule : link(rule, address.requirement(id))} ${value}`.trim();
  };
  const bounds = isObject(schema['x-decimal']) ? schema['x-decimal'] : {};
  const rules: string[] = [
    ...range(schema, 'minLength', 'maxLength', 'characters').map(([keyword, rule]) => said(keyword, rule)),
    ...range(schema, 'minItems', 'maxItems', 'entries').map(([keyword, rule]) => said(keyword, rule)),
  ];
  if (schema.const !== undefined) rules.push(said('const', 'always', code(String(schema.const))));
  if (Array.isArray(schema.enum))
    rules.push(said('enum', 'one of', schema.enum.map((value) => code(String(value))).join(', ')));
  if (schema.pattern !== undefined) rules.push(said('pattern', 'matches', code(textOf(schema.pattern))));
  if (schema.format !== undefined) rules.push(said('format', formats[textOf(schema.format)] ?? textOf(schema.format)));
  if (schema.contentMediaType !== undefined) rules.push(said('contentMediaType', 'JSON text'));
  const comparisons: [keyword: string, words: string, value: Json | undefined][] = [
    ['minimum', 'at least', schema.minimum],
    ['maximum', 'at most', schema.maximum],
    ['exclusiveMinimum', 'above', schema.exclusiveMinimum],
    ['x-decimal.minimum', 'at least', bounds.minimum],
    ['x-decimal.maximum', 'at most', bounds.maximum],
    ['x-decimal.exclusiveMinimum', 'above', bounds.exclusiveMinimum],
  ];
  for (const [keyword, words, value] of comparisons) {
    if (value !== undefined) rules.push(said(keyword, `${words} ${value}`));
  }
  const values = objects(schema.oneOf)
    .map((branch) => textOf(branch.const))
    .filter(Boolean);
  if (values.length > 0) rules.push(said('oneOf', 'one of', values.map(code).join(', ')));
  if (objects(schema.anyOf).some(isErrorCode)) rules.push(`${link('known codes', '/errors')}, or another`);
  const forms = objects(schema.anyOf)
    .map((branch) => formats[textOf(branch.format)])
    .filter((form) => form !== undefined);
  if (forms.length > 0) rules.push(said('anyOf', forms.join(' or ')));
  return rules;
}

const formats: Readonly<Record<string, string>> = {
  'date-time': 'a time of RFC 3339',
  uri: 'an absolute address',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  int64: 'up to 64 bits',
};

function range(schema: JsonObject, low: string, high: string, unit: string): [keyword: string, rule: string][] {
  const [least, most] = [schema[low], schema[high]];
  if (least === undefined && most === undefined) return [];
  if (most === undefined) return [[low, least === 1 ? 'not empty' : `at least ${least} ${unit}`]];
  return [[high, least === undefined ? `at most ${most} ${unit}` : `${least} to ${most} ${unit}`]];
}

/** The field tables of a schema: one for each named branch of a choice, or one for the schema itself. */
export function tablesOf(schema: JsonObject): [name: string | undefined, table: string][] {
  const branches = objects(follow(schema).oneOf).filter((branch) => nameOf(branch) !== undefined);
  if (branches.length === 0) return [[nameOf(schema), fieldTable(schema)]];
  return branches.flatMap(tablesOf);
}
