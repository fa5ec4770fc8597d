import { contract, type Json } from '../../../generated/contract.ts';

export type JsonObject = { [key: string]: Json };

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The members of an object by name; none of anything else. */
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

/** What a reference leads to, or the object itself. Throws where it leads nowhere. */
export function follow(value: JsonObject): JsonObject {
  if (typeof value.$ref !== 'string') return value;
  let found: Json | undefined = contract;
  for (const step of value.$ref.slice(2).split('/')) {
    found = isObject(found) ? found[step.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined;
  }
  if (!isObject(found)) throw new Error(`${value.$ref} leads nowhere`);
  return follow(found);
}

/** The last step of a reference: the name of the schema. */
export function nameOf(value: JsonObject): string | undefined {
  return typeof value.$ref === 'string' ? value.$ref.split('/').at(-1) : undefined;
}

/** One operation of the merchant contract. */
export interface Operation {
  id: string;
  /** `area.operation`, as the catalogue names it. */
  name: string;
  area: 'orders' | 'refunds' | 'checkout';
  method: string;
  path: string;
  summary: string;
  value: JsonObject;
  /** Those of the path and its own, followed. */
  parameters: JsonObject[];
}

/** The schemas of the contract by name. */
export const schemas: ReadonlyMap<string, JsonObject> = new Map(
  members(isObject(contract.components) ? contract.components.schemas : {}),
);

export const operations: readonly Operation[] = members(contract.paths).flatMap(([path, item]) =>
  members(item).flatMap(([method, value]) => {
    const name = textOf(value['x-name']);
    const area = (['orders', 'refunds', 'checkout'] as const).find((each) => name.startsWith(`${each}.`));
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

/** The examples of a body with JSON, by name. */
export function examplesOf(body: JsonObject): [name: string, summary: string, value: Json][] {
  const media = isObject(body.content) ? body.content['application/json'] : undefined;
  return members(isObject(media) ? media.examples : {}).map(([name, given]) => {
    const example = follow(given);
    return [name, textOf(example.summary), example.value ?? null];
  });
}

/** The schema of a body with JSON. */
export function schemaOf(body: JsonObject): JsonObject | undefined {
  const media = isObject(body.content) ? body.content['application/json'] : undefined;
  return isObject(media) && isObject(media.schema) ? media.schema : undefined;
}
