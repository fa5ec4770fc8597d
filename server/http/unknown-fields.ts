import type { Choices } from '../../generated/catalogue.ts';
import { Refusal } from '../services/refusal.ts';
import type { BodyField } from './body-fields.ts';

/** How the server treats fields of a body that the contract does not name (open point `unknown-fields`). */
export const dealWithUnknown: Readonly<
  Record<Choices['unknown-fields'], (body: unknown, fields: BodyField) => unknown>
> = {
  ignored: onlyKnown,
  refused: (body, fields) => {
    const [unknown] = unknownPaths(body, fields, []);
    if (unknown === undefined) return body;
    throw new Refusal('invalid-parameter', `${unknown.slice(0, 80)}: is no field of this request; leave it out`);
  },
};

/** The body without the fields that the contract does not name. */
function onlyKnown(value: unknown, { fields }: BodyField): unknown {
  const entry = fields.get('*');
  if (Array.isArray(value)) return entry ? value.map((each) => onlyKnown(each, entry)) : value;
  if (typeof value !== 'object' || value === null) return value;
  const known: Record<string, unknown> = {};
  for (const [name, below] of fields) {
    if (Object.hasOwn(value, name)) known[name] = onlyKnown(Reflect.get(value, name), below);
  }
  return known;
}

/** The paths of the fields that the contract does not name. */
function* unknownPaths(value: unknown, { fields }: BodyField, at: string[]): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  const entry = fields.get('*');
  for (const [name, each] of Object.entries(value)) {
    const below = Array.isArray(value) ? entry : fields.get(name);
    if (below) yield* unknownPaths(each, below, [...at, name]);
    else if (!Array.isArray(value)) yield [...at, name].join('.');
  }
}
