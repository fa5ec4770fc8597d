import type { Constraint } from '../../generated/catalogue.ts';

/** The contract's rules for one value of a body. */
export interface BodyField {
  /** The JSON types that the value may have. */
  readonly types: Set<unknown>;
  required: boolean;
  /** The fields of the value, by name; `*` stands for each entry of a list. */
  readonly fields: Map<string, BodyField>;
}

/** The body of an operation, from the operation's constraints; `undefined` where they say nothing of a body. */
export function bodyFieldsOf(constraints: readonly Constraint[]): BodyField | undefined {
  const inBody = constraints.filter((each) => each.in === 'body');
  if (inBody.length === 0) return undefined;
  const body = emptyField();
  for (const { path, keyword, value } of inBody) {
    let field = body;
    for (const name of path) field = childOf(field, name);
    if (keyword === 'type') for (const type of [value].flat()) field.types.add(type);
    if (keyword === 'required') field.required = true;
  }
  return body;
}

function childOf({ fields }: BodyField, name: string): BodyField {
  const child = fields.get(name) ?? emptyField();
  fields.set(name, child);
  return child;
}

function emptyField(): BodyField {
  return { types: new Set(), required: false, fields: new Map() };
}
