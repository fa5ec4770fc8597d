import type { Constraint } from '../../generated/catalogue.ts';

/** What the contract says of one value of a body. */
export interface BodyField {
  /** The JSON types that it names. */
  readonly types: Set<unknown>;
  required: boolean;
  /** The fields that it names below, by name; `*` stands for each entry of a list. */
  readonly fields: Map<string, BodyField>;
}

/** The bodies of all operations, by the contract's short names of these. */
export function bodyFields(constraints: readonly Constraint[]): ReadonlyMap<string, BodyField> {
  const bodies = new Map<string, BodyField>();
  for (const { operation, path, keyword, value } of constraints.filter((each) => each.in === 'body')) {
    let field = childOf(bodies, operation);
    for (const step of path) field = childOf(field.fields, step);
    if (keyword === 'type') for (const type of [value].flat()) field.types.add(type);
    if (keyword === 'required') field.required = true;
  }
  return bodies;
}

function childOf(fields: Map<string, BodyField>, name: string): BodyField {
  const child = fields.get(name) ?? { types: new Set(), required: false, fields: new Map() };
  fields.set(name, child);
  return child;
}
