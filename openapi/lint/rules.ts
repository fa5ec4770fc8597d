import { posix } from 'node:path';
import { methods } from '../generate/constraints.ts';
import { entriesOf, isObject, type Json, type JsonObject, objectsOf, pointerStep } from '../generate/json.ts';
import { requirementPlaces, resolvePlace, type SourceFile } from '../generate/sources.ts';

/** One fault in the contract's sources. */
export interface Finding {
  /** `file#/pointer`, or a file with the id of an entry: `catalogue/limits.yaml refunds.period`. */
  place: string;
  message: string;
}

/** A rule takes the contract's sources and returns every fault; an empty list if there is none. */
export type Rule = (sources: SourceFile[]) => Finding[];

interface Entry {
  place: string;
  id: string;
  value: JsonObject;
}

/** No id stands twice in a catalogue; the requirement files count as one catalogue. */
export const idsAreUnique: Rule = (sources) =>
  [requirements, openPoints, limits, traps].flatMap((catalogue) => {
    const seen = new Set<string>();
    return catalogue(sources).flatMap(({ place, id }) => {
      const again = seen.has(id);
      seen.add(id);
      return again ? [{ place, message: 'the id is taken' }] : [];
    });
  });

/** Every open point that anything names is in the register. */
export const openPointsExist: Rule = (sources) => {
  const known = new Set(openPoints(sources).map(({ id }) => id));
  return sources
    .filter(({ path }) => !path.startsWith('examples/'))
    .flatMap(({ path, content }) => namedOpenPoints(content, `${path}#`))
    .filter(({ id }) => !known.has(id))
    .map(({ place, id }) => ({ place, message: `there is no open point ${id}` }));
};

/** Every open point is named by a requirement, or says why it is not. */
export const openPointsAreNamed: Rule = (sources) => {
  const named = new Set(requirements(sources).map(({ value }) => value.openPoint));
  return openPoints(sources).flatMap(({ place, id, value }) => {
    const excused = value.requirementless !== undefined;
    if (named.has(id)) return excused ? [{ place, message: 'it has requirementless, but a requirement names it' }] : [];
    return excused ? [] : [{ place, message: 'no requirement names it, and it has no requirementless' }];
  });
};

/**
 * Each rule that the register calls judged is held by requirements of the same level that a check verifies. So a rule has one
 * level wherever it stands.
 */
export const judgedRulesAreRequirements: Rule = (sources) => {
  const known = new Map(requirements(sources).map(({ id, value }) => [id, value]));
  return openPoints(sources).flatMap(({ place, value }) =>
    objectsOf(value.judged).flatMap(({ level, requirements: named }) =>
      entriesOf(named).flatMap((id) => {
        const requirement = known.get(String(id));
        if (!requirement) return [{ place, message: `there is no requirement ${id}` }];
        if (requirement.level !== level) {
          return [{ place, message: `it judges ${id} as ${level}, but ${id} is ${requirement.level}` }];
        }
        return isChecked(requirement) ? [] : [{ place, message: `it judges ${id}, but no check verifies ${id}` }];
      }),
    ),
  );
};

/** An open point whose behaviour is observed has a requirement that a check verifies; one of which nothing is observed has no free one. */
export const observedPointsAreChecked: Rule = (sources) =>
  openPoints(sources).flatMap(({ place, id, value }) => {
    const own = requirements(sources).filter((each) => each.value.openPoint === id);
    const checked = own.filter((each) => isChecked(each.value));
    if (!observesNothing(value)) {
      const unseen = own.length > 0 && checked.length === 0;
      return unseen ? [{ place, message: 'it is observed, but no check verifies a requirement that names it' }] : [];
    }
    return checked
      .filter((each) => each.value.level === 'MAY')
      .map((each) => ({ place, message: `nothing of it is observed, but a check verifies ${each.id}` }));
  });

function isChecked({ verification }: JsonObject): boolean {
  return isObject(verification) && verification.by === 'check';
}

function observesNothing({ observed }: JsonObject): boolean {
  return String(observed).startsWith('Nothing.');
}

/** The answer of the reference server is one of the permitted answers. */
export const referencesArePermitted: Rule = (sources) =>
  openPoints(sources)
    .filter(({ value }) => !Object.hasOwn(isObject(value.values) ? value.values : {}, String(value.reference)))
    .map(({ place, value }) => ({ place, message: `the reference ${value.reference} is not one of its values` }));

/** Every place that a requirement or a limit points at exists. */
export const placesResolve: Rule = (sources) => [
  ...requirements(sources).flatMap(({ place, value }) => unresolved(sources, place, [value.contract])),
  ...limits(sources).flatMap(({ place, value: { from } }) =>
    unresolved(sources, place, isObject(from) ? Object.values(from) : [from]),
  ),
];

/** Every requirement that anything names is in a requirement file. */
export const requirementsExist: Rule = (sources) => {
  const known = new Set(requirements(sources).map(({ id }) => id));
  const named = [...requirementPlaces(sources)].flatMap(([id, places]) => places.map((place) => ({ place, id })));
  const inTraps = traps(sources).flatMap(({ place, value }) =>
    entriesOf(value.requirements).map((id) => ({ place, id })),
  );
  return [...named, ...inTraps]
    .filter(({ id }) => !known.has(String(id)))
    .map(({ place, id }) => ({ place, message: `there is no requirement ${id}` }));
};

/** Every requirement is named by a place of the contract. A limit does not count, because it only refers to one. */
export const requirementsAreCarried: Rule = (sources) => {
  const carried = requirementPlaces(sources.filter(({ path }) => path !== 'catalogue/limits.yaml'));
  return requirements(sources)
    .filter(({ id, value }) => value.contract === undefined && !carried.has(id))
    .map(({ place }) => ({ place, message: 'no place names it, and it has no contract' }));
};

/** Every error code that a requirement names is in the catalogue. */
export const errorsExist: Rule = (sources) => {
  const errors = valueAt(sources, 'catalogue/errors.yaml');
  const codes = Object.values(isObject(errors) ? errors : {}).flatMap((each) =>
    objectsOf(isObject(each) ? each.oneOf : []),
  );
  const known = new Set(codes.map((code) => code.const));
  return requirements(sources)
    .filter(({ value: { error } }) => error !== undefined && !known.has(error))
    .map(({ place, value }) => ({ place, message: `there is no error code ${value.error}` }));
};

/**
 * Every state of a machine can be reached or says why not, final states have no way out, the others have one, and each
 * transition uses states and events that exist.
 */
export const machinesAreSound: Rule = (sources) => {
  const states = valueAt(sources, 'catalogue/states.yaml');
  if (!isObject(states) || !isObject(states.machines)) return [];
  return Object.entries(states.machines).flatMap(([name, machine]) => {
    if (!isObject(machine)) return [];
    const place = `catalogue/states.yaml#/machines/${name}`;
    return machineFaults(states, machine).map((message) => ({ place, message }));
  });
};

function machineFaults(catalogue: JsonObject, machine: JsonObject): string[] {
  const status = catalogue[String(machine.status).slice('#/'.length)];
  const final = new Map(
    objectsOf(isObject(status) ? status.oneOf : []).map((each) => [each.const, each['x-final'] === true]),
  );
  const moves = objectsOf(machine.transitions);
  const events = new Set(entriesOf(machine.events));
  const unreachable = new Set<Json | undefined>(Object.keys(isObject(machine.unreachable) ? machine.unreachable : {}));
  const reached = reachable(machine.initial, moves);
  const faults: string[] = [];
  for (const state of [
    machine.initial,
    ...unreachable,
    ...moves.flatMap(({ from, to }) => (from === null ? [to] : [from, to])),
  ]) {
    if (!final.has(state)) faults.push(`there is no state ${state}`);
  }
  for (const { from, event, to } of moves) {
    if (from === null && to !== machine.initial) faults.push(`a new record is in ${to}, not in ${machine.initial}`);
    if (from !== null && !events.has(event ?? null)) faults.push(`there is no event ${event}`);
  }
  for (const [state, isFinal] of final) {
    const leaves = moves.some(({ from }) => from === state);
    if (reached.has(state) && unreachable.has(state))
      faults.push(`${state} is listed as unreachable, but it can be reached`);
    if (!reached.has(state) && !unreachable.has(state)) faults.push(`${state} cannot be reached`);
    if (isFinal && leaves) faults.push(`${state} is final, but a transition leaves it`);
    if (!isFinal && !leaves && reached.has(state)) faults.push(`${state} is not final, but no transition leaves it`);
  }
  return faults;
}

function reachable(initial: Json | undefined, moves: JsonObject[]): Set<Json | undefined> {
  const reached = new Set([initial]);
  // The loop also visits the states that it adds to the set.
  for (const state of reached) for (const { from, to } of moves) if (from === state) reached.add(to);
  return reached;
}

/**
 * Every keyword that constrains a request names its requirement in its schema's `x-requirement` map, where the generated
 * list of constraints looks for it, and no map names a keyword that is not there.
 */
export const constraintsAreNamed: Rule = (sources) => {
  const walk = new RequestWalk(sources);
  walk.contract();
  return walk.findings;
};

const constraining = new Set([
  ...['type', 'enum', 'const', 'format', 'pattern', 'minLength', 'maxLength', 'contentMediaType', 'contentEncoding'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minItems', 'maxItems', 'uniqueItems', 'contains', 'minContains', 'maxContains'],
  ...['required', 'minProperties', 'maxProperties', 'dependentRequired', 'dependentSchemas', 'propertyNames'],
  ...['oneOf', 'anyOf', 'not', 'if'],
]);

/** Facts about a schema that follow from its place. */
interface Standing {
  /** The value is always text on the wire, so that `type: string` constrains nothing. */
  text?: boolean;
  /** It is a branch of an alternative whose map names a requirement for all branches. */
  covered?: boolean;
  /** The presence of the value is required outside the schema, and its map may still name `required`. */
  requiredOutside?: boolean;
}

interface Node {
  path: string;
  pointer: string;
  value: JsonObject;
}

class RequestWalk {
  readonly findings: Finding[] = [];
  private readonly seen = new Set<string>();
  private readonly sources: SourceFile[];

  constructor(sources: SourceFile[]) {
    this.sources = sources;
  }

  contract(): void {
    const root: Node = { path: 'openapi.yaml', pointer: '', value: {} };
    const document = valueAt(this.sources, root.path);
    if (!isObject(document)) return;
    for (const item of this.children({ ...root, value: document }, 'paths')) {
      this.parameters(item);
      for (const method of methods) {
        const operation = this.child(item, method);
        if (!operation) continue;
        this.parameters(operation);
        const body = this.child(operation, 'requestBody');
        if (body) for (const media of this.children(body, 'content')) this.schemaOf(media, 'schema', {});
      }
    }
    const components = this.child({ ...root, value: document }, 'components');
    if (!components) return;
    for (const scheme of this.children(components, 'securitySchemes')) {
      this.schemaOf(scheme, 'x-schema', { text: true, requiredOutside: true });
    }
  }

  private parameters(owner: Node): void {
    for (const parameter of this.children(owner, 'parameters')) this.schemaOf(parameter, 'schema', { text: true });
  }

  private schemaOf(owner: Node, key: string, standing: Standing): void {
    const schema = owner.value[key];
    if (isObject(schema))
      this.schema({ path: owner.path, pointer: `${owner.pointer}/${key}`, value: schema }, standing);
  }

  private schema(given: Node, standing: Standing): void {
    const { $ref, ...beside } = given.value;
    if ($ref !== undefined) {
      for (const keyword of constraintKeywords(beside)) {
        this.report(given, `${keyword} stands beside $ref, where the generator does not read it; use allOf`);
      }
    }
    const node = this.follow(given);
    if (!node) return;
    const once = JSON.stringify([node.path, node.pointer, standing]);
    if (this.seen.has(once)) return;
    this.seen.add(once);
    const map = node.value['x-requirement'];
    const named = new Set(Object.keys(isObject(map) ? map : {}));
    const present = constraintKeywords(node.value);
    for (const keyword of present) {
      const saysNothing = keyword === 'type' && standing.text && node.value.type === 'string';
      if (!named.has(keyword) && !standing.covered && !saysNothing)
        this.report(node, `${keyword} names no requirement`);
    }
    for (const keyword of named) {
      const outside = keyword === 'required' && standing.requiredOutside;
      if (!present.includes(keyword) && !outside)
        this.report(node, `x-requirement names ${keyword}, which is not there`);
    }
    this.below(node, named, standing);
  }

  private below(node: Node, named: Set<string>, { text = false, covered = false }: Standing): void {
    for (const key of ['properties', 'patternProperties']) {
      for (const property of this.children(node, key, false)) this.schema(property, {});
    }
    for (const key of ['items', 'additionalProperties']) this.schemaOf(node, key, {});
    for (const part of this.children(node, 'allOf', false)) this.schema(part, { text, covered });
    for (const key of ['oneOf', 'anyOf']) {
      const standing = { text, covered: covered || named.has(key) };
      for (const branch of this.children(node, key, false)) this.schema(branch, standing);
    }
    this.schemaOf(node, 'not', { text, covered: covered || named.has('not') });
    for (const key of ['if', 'then', 'else']) this.schemaOf(node, key, { text, covered: covered || named.has('if') });
  }

  /** The member of that name, with its reference followed. */
  private child(owner: Node, key: string): Node | undefined {
    const value = owner.value[key];
    return isObject(value) ? this.follow({ path: owner.path, pointer: `${owner.pointer}/${key}`, value }) : undefined;
  }

  /** The objects in the list or mapping of that name, with their references followed unless told otherwise. */
  private children(owner: Node, key: string, follow = true): Node[] {
    const value = owner.value[key];
    const entries = Array.isArray(value) || isObject(value) ? Object.entries(value) : [];
    return entries.flatMap(([step, each]) => {
      const pointer = `${owner.pointer}/${key}/${pointerStep(step)}`;
      const node = isObject(each) ? { path: owner.path, pointer, value: each } : undefined;
      return (follow && node ? this.follow(node) : node) ?? [];
    });
  }

  private follow(node: Node): Node | undefined {
    const { $ref } = node.value;
    if (typeof $ref !== 'string') return node;
    const [file = '', pointer = ''] = $ref.split('#');
    const path = file === '' ? node.path : posix.join(posix.dirname(node.path), file);
    const value = valueAt(this.sources, `${path}#${pointer}`);
    if (isObject(value)) return this.follow({ path, pointer, value });
    this.report(node, `${$ref} leads nowhere`);
    return undefined;
  }

  private report({ path, pointer }: Node, message: string): void {
    this.findings.push({ place: `${path}#${pointer}`, message });
  }
}

/** The constraining keywords of one schema object, those of `x-decimal` as `x-decimal.minimum` and so on. */
function constraintKeywords(schema: JsonObject): string[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    if (keyword === 'x-decimal') return Object.keys(isObject(value) ? value : {}).map((inner) => `x-decimal.${inner}`);
    const closed = ['additionalProperties', 'unevaluatedProperties'].includes(keyword) && value === false;
    return constraining.has(keyword) || closed ? [keyword] : [];
  });
}

function namedOpenPoints(value: Json, place: string): { place: string; id: string }[] {
  if (Array.isArray(value)) return value.flatMap((each, index) => namedOpenPoints(each, `${place}/${index}`));
  if (!isObject(value)) return [];
  const here = [value.openPoint, value['x-open-point']].flatMap((id) =>
    typeof id === 'string' ? [{ place, id }] : [],
  );
  return [...here, ...Object.entries(value).flatMap(([key, each]) => namedOpenPoints(each, `${place}/${key}`))];
}

function unresolved(sources: SourceFile[], place: string, targets: (Json | undefined)[]): Finding[] {
  return targets
    .filter((target) => typeof target === 'string')
    .filter((target) => valueAt(sources, target) === undefined)
    .map((target) => ({ place, message: `nothing stands at ${target}` }));
}

/** The value at `file#/pointer`; `undefined` if there is none. */
function valueAt(sources: SourceFile[], place: string): Json | undefined {
  try {
    return resolvePlace(sources, place);
  } catch {
    return undefined;
  }
}

function requirements(sources: SourceFile[]): Entry[] {
  return sources.filter(({ path }) => path.startsWith('catalogue/requirements/')).flatMap(listed);
}

function openPoints(sources: SourceFile[]): Entry[] {
  return sources.filter(({ path }) => path === 'catalogue/open-points.yaml').flatMap(listed);
}

function limits(sources: SourceFile[]): Entry[] {
  return sources.filter(({ path }) => path === 'catalogue/limits.yaml').flatMap(listed);
}

function traps(sources: SourceFile[]): Entry[] {
  return sources.filter(({ path }) => path === 'catalogue/traps.yaml').flatMap(listed);
}

function listed({ path, content }: SourceFile): Entry[] {
  return objectsOf(content).map((value) => ({ place: `${path} ${value.id}`, id: String(value.id), value }));
}
