import { contract, type Json } from '../../../generated/contract.ts';

export type JsonObject = { [key: string]: Json };

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The members of an object that are objects themselves, by name. Any other value has none. */
export function members(value: Json | undefined): [name: string, value: JsonObject][] {
  return isObject(value)
    ? Object.entries(value).flatMap(([name, each]) => (isObject(each) ? [[name, each] as [string, JsonObject]] : []))
    : [];
}

export function objects(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function texts(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value.trim() : '';
}

/** Follows `$ref`. Returns the object itself when it is not a reference, and throws when the target does not exist. */
export function follow(value: JsonObject): JsonObject {
  if (typeof value.$ref !== 'string') return value;
  let found: Json | undefined = contract;
  for (const step of value.$ref.slice(2).split('/')) {
    found = isObject(found) ? found[step.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined;
  }
  if (!isObject(found)) throw new Error(`${value.$ref} leads nowhere`);
  return follow(found);
}

/** The name of the schema that a reference leads to: the last step of the reference. */
export function nameOf(value: JsonObject): string | undefined {
  return typeof value.$ref === 'string' ? value.$ref.split('/').at(-1) : undefined;
}

/** The areas that have operations. */
export const operationAreas = ['orders', 'checkout', 'refunds'] as const;
export type OperationArea = (typeof operationAreas)[number];

/** One operation of the merchant contract. */
export interface Operation {
  id: string;
  /** `area.operation`, as the catalogue names it. */
  name: string;
  area: OperationArea;
  method: string;
  path: string;
  summary: string;
  value: JsonObject;
  /** The parameters of the path and of the operation, with references followed. */
  parameters: JsonObject[];
}

/** The schemas of the contract by name. */
export const schemas: ReadonlyMap<string, JsonObject> = new Map(
  members(isObject(contract.components) ? contract.components.schemas : {}),
);

export const operations: readonly Operation[] = members(contract.paths).flatMap(([path, item]) =>
  members(item).flatMap(([method, value]) => {
    const name = textOf(value['x-name']);
    const area = operationAreas.find((each) => name.startsWith(`${each}.`));
    if (area === undefined) return [];
    const parameters = [...objects(item.parameters), ...objects(value.parameters)].map(follow);
    const { operationId, summary } = value;
    return [
      {
        id: textOf(operationId),
        name,
        area,
        method: method.toUpperCase(),
        path,
        summary: textOf(summary),
        value,
        parameters,
      },
    ];
  }),
);

/** The webhooks by name. */
export const webhooks: readonly (readonly [name: string, value: JsonObject])[] = members(contract.webhooks).flatMap(
  ([name, { post }]) => (isObject(post) ? [[name, post] as const] : []),
);

/** The examples of a JSON body: name, summary and value. */
export function examplesOf(body: JsonObject): [name: string, summary: string, value: Json][] {
  return members(jsonOf(body).examples).map(([name, given]) => {
    const example = follow(given);
    return [name, textOf(example.summary), example.value ?? null];
  });
}

/** The schema of a JSON body. */
export function schemaOf(body: JsonObject): JsonObject | undefined {
  const { schema } = jsonOf(body);
  return isObject(schema) ? schema : undefined;
}

function jsonOf({ content }: JsonObject): JsonObject {
  const media = isObject(content) ? content['application/json'] : undefined;
  return isObject(media) ? media : {};
}
