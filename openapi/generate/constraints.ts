import { entriesOf, followPlace, isObject, type Json, type JsonObject, pointerStep } from './json.ts';

/** One constraint of a request, as the catalogue lists it. */
export interface ConstraintEntry {
  id: string;
  operation: string;
  in: 'body' | 'path' | 'query' | 'header';
  /** Keys from the body to the value; `*` stands for each entry of an array. For a parameter or header: its name. */
  path: string[];
  keyword: string;
  value: Json;
  requirement: string;
  /** JSON pointer of the keyword in the bundled contract. */
  pointer: string;
}

/** The HTTP methods under which a path may have an operation. */
export const methods = ['get', 'put', 'post', 'delete', 'patch'];

/**
 * Lists every constraint on requests of a bundled contract: bodies, parameters and the three authentication headers.
 * A keyword counts when the schema's `x-requirement` map names it.
 */
export function listConstraints(contract: JsonObject): ConstraintEntry[] {
  const found: ConstraintEntry[] = [];
  for (const [path, item] of Object.entries(object(contract.paths))) {
    const shared = { pointer: `/paths/${pointerStep(path)}`, value: object(item) };
    for (const method of methods) {
      const operation = shared.value[method];
      if (!isObject(operation)) continue;
      const name = text(operation['x-name']);
      const parameters = [...entriesOf(shared.value.parameters), ...entriesOf(operation.parameters)];
      for (const reference of parameters) {
        const parameter = followPlace(contract, { value: object(reference), pointer: '' });
        const place = text(parameter.value.in);
        if (place !== 'path' && place !== 'query') continue;
        const target: Target = { operation: name, in: place, path: [text(parameter.value.name)] };
        if (parameter.value.schema)
          walk(contract, object(parameter.value.schema), `${parameter.pointer}/schema`, target, found);
      }
      const content = isObject(operation.requestBody) ? object(operation.requestBody).content : undefined;
      const schema = isObject(content) ? object(content['application/json']).schema : undefined;
      if (isObject(schema)) {
        const pointer = `${shared.pointer}/${method}/requestBody/content/application~1json/schema`;
        walk(contract, schema, pointer, { operation: name, in: 'body', path: [] }, found);
      }
    }
  }
  const schemes = object(object(contract.components).securitySchemes);
  for (const [scheme, definition] of Object.entries(schemes)) {
    const { name, 'x-schema': schema } = object(definition);
    const pointer = `/components/securitySchemes/${scheme}/x-schema`;
    const target: Target = { operation: 'auth.header', in: 'header', path: [text(name)] };
    walk(contract, object(schema), pointer, target, found);
    const required = object(object(schema)['x-requirement']).required;
    found.push(entry({ ...target, keyword: 'required', value: true, requirement: text(required), pointer }));
  }
  return distinctIds(found);
}

type Target = Pick<ConstraintEntry, 'operation' | 'in' | 'path'>;

/** Collects the constraints of one schema and of the schemas below it. */
function walk(contract: JsonObject, given: JsonObject, at: string, target: Target, found: ConstraintEntry[]): void {
  const { value: schema, pointer } = followPlace(contract, { value: given, pointer: at });
  const named = schema['x-requirement'];
  for (const [keyword, requirement] of isObject(named) ? Object.entries(named) : []) {
    const common = { requirement: text(requirement), pointer: `${pointer}/${keyword.replace('.', '/')}` };
    if (keyword === 'required') {
      for (const property of entriesOf(schema.required)) {
        const path = [...target.path, text(property)];
        found.push(entry({ ...target, ...common, path, keyword, value: true }));
      }
    } else {
      const [outer = '', inner] = keyword.split('.');
      const value = inner === undefined ? schema[outer] : object(schema[outer])[inner];
      if (value !== undefined) found.push(entry({ ...target, ...common, keyword, value }));
    }
  }
  for (const [property, child] of Object.entries(isObject(schema.properties) ? schema.properties : {})) {
    const below = { ...target, path: [...target.path, property] };
    walk(contract, object(child), `${pointer}/properties/${pointerStep(property)}`, below, found);
  }
  if (isObject(schema.items)) {
    walk(contract, schema.items, `${pointer}/items`, { ...target, path: [...target.path, '*'] }, found);
  }
  for (const composite of ['allOf', 'oneOf', 'anyOf']) {
    for (const [index, child] of entriesOf(schema[composite]).entries()) {
      walk(contract, object(child), `${pointer}/${composite}/${index}`, target, found);
    }
  }
}

function entry(constraint: Omit<ConstraintEntry, 'id'>): ConstraintEntry {
  const keyword = constraint.keyword.replace(/^x-decimal\./, '');
  const last = constraint.path.length - 1;
  const steps = constraint.path.filter((step, index) => step !== '*' || index === last);
  const id = [constraint.operation, ...steps.map((step) => (step === '*' ? 'each' : step)), keyword].join('.');
  return { id, ...constraint };
}

/** Two constraints of one kind at one place are told apart by the last word of their requirements. */
function distinctIds(entries: ConstraintEntry[]): ConstraintEntry[] {
  const distinct = new Map<string, ConstraintEntry>();
  for (const each of entries) distinct.set(JSON.stringify([each.id, each.requirement, each.value]), each);
  const kept = [...distinct.values()];
  return kept.map((each) => {
    const clashes = kept.some((other) => other !== each && other.id === each.id);
    return clashes ? { ...each, id: `${each.id}.${each.requirement.split('.').at(-1)}` } : each;
  });
}

function object(value: Json | undefined): JsonObject {
  if (!isObject(value)) throw new Error(`expected an object, found ${JSON.stringify(value)}`);
  return value;
}

function text(value: Json | undefined): string {
  if (typeof value !== 'string') throw new Error(`expected text, found ${JSON.stringify(value)}`);
  return value;
}
