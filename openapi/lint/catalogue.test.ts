import { existsSync, readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readSources, type SourceFile } from '../generate/sources.ts';
import * as rules from './rules.ts';

const sources = readSources();

/** Sources from YAML text by path, for documents that are broken on purpose. */
function written(files: Record<string, string>): SourceFile[] {
  return Object.entries(files).map(([path, text]) => ({ path, content: parse(text) }));
}

function messages(rule: rules.Rule, files: Record<string, string>): string[] {
  return rule(written(files)).map(({ place, message }) => `${place}: ${message}`);
}

describe('every catalogue is valid against its schema', () => {
  const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
  const validators = new Map<string, ValidateFunction>();

  /** The faults of a document as `path keyword`, by the schema of the catalogue at that path. */
  function faults(path: string, content: unknown): string[] {
    const name = path.startsWith('catalogue/requirements/') ? 'requirements' : path.replace(/^.*\/|\.yaml$/g, '');
    const file = new URL(`../catalogue/schemas/${name}.schema.json`, import.meta.url);
    if (!existsSync(file)) return [`there is no ${name}.schema.json`];
    const validate = validators.get(name) ?? ajv.compile(JSON.parse(readFileSync(file, 'utf8')));
    validators.set(name, validate);
    validate(content);
    return (validate.errors ?? []).map(({ instancePath, keyword }) => `${instancePath} ${keyword}`);
  }

  const catalogues = sources.filter(({ path }) => path.startsWith('catalogue/'));

  test.each(catalogues)('$path', ({ path, content }) => {
    expect(faults(path, content)).toEqual([]);
  });

  test('a catalogue without a schema is noticed', () => {
    expect(faults('catalogue/colours.yaml', [])).toEqual(['there is no colours.schema.json']);
  });

  const requirement = `{ id: a.b, level: MUST, text: T, source: S, verification: { by: check } }`;
  const openPoint = `{ id: a, area: orders, question: 'Q?', values: { x: X, y: Y }, reference: x, exhaustive: true, judged: [], observed: O, source: S }`;
  const code = `{ const: "10001", description: D, x-remedy: R, x-provoke: P, x-requirement: a.b }`;
  const states = `
    AStatus: { type: string, description: D, x-requirement: a.b, oneOf: [{ const: INIT, description: D, x-final: false }] }
    machines:
      a:
        { title: T, status: '#/AStatus', initial: INIT, events: [e], final: a.b, transitions: [{ from: INIT, event: e, to: INIT, requirement: a.b }] }`;

  test.each([
    ['requirements/a', `[${requirement}]`],
    ['open-points', `[${openPoint}]`],
    ['errors', `ACode: { type: string, description: D, oneOf: [${code}] }`],
    ['states', states],
    ['limits', `[{ id: a.b, area: orders, subject: S, value: 1, unit: days }]`],
    ['traps', `[{ id: a, text: T }]`],
  ])('the smallest %s that can be is valid', (name, text) => {
    expect(faults(`catalogue/${name}.yaml`, parse(text))).toEqual([]);
  });

  test.each([
    ['requirements/a', `[${requirement.replace('a.b', 'A b')}]`, '/0/id pattern'],
    ['requirements/a', `[${requirement.replace('MUST', 'SHALL')}]`, '/0/level enum'],
    ['requirements/a', `[${requirement.replace('source: S, ', '')}]`, '/0 required'],
    ['requirements/a', `[${requirement.replace('text', 'colour: C, text')}]`, '/0 additionalProperties'],
    ['requirements/a', `[${requirement.replace('by: check', 'by: none')}]`, '/0/verification required'],
    ['requirements/a', `[${requirement.replace('check', 'check, reason: R')}]`, '/0/verification not'],
    ['open-points', `[${openPoint.replace('Q?', 'Q.')}]`, '/0/question pattern'],
    ['open-points', `[${openPoint.replace('x: X, y: Y', 'X: X, y: Y')}]`, '/0/values propertyNames'],
    ['open-points', `[${openPoint.replace(', y: Y', '')}]`, '/0 required'],
    ['open-points', `[${openPoint.replace('judged', 'selectable: false, judged')}]`, '/0 required'],
    [
      'open-points',
      `[${openPoint.replace('judged: []', 'judged: [{ level: MAY, requirements: [a.b], text: T }]')}]`,
      '/0/judged/0/level enum',
    ],
    [
      'open-points',
      `[${openPoint.replace('judged: []', 'judged: [{ level: MUST, text: T }]')}]`,
      '/0/judged/0 required',
    ],
    ['open-points', `[${openPoint.replace('exhaustive: true, ', '')}]`, '/0 required'],
    [
      'errors',
      `ACode: { type: string, description: D, oneOf: [${code.replace(', x-remedy: R', '')}] }`,
      '/ACode/oneOf/0 required',
    ],
    [
      'errors',
      `ACode: { type: string, description: D, oneOf: [${code.replace(', x-requirement: a.b', '')}] }`,
      '/ACode/oneOf/0 anyOf',
    ],
    ['states', states.replace('x-final: false', 'x-final: no'), '/AStatus/oneOf/0/x-final type'],
    ['states', states.replace(', requirement: a.b', ''), '/machines/a/transitions/0 anyOf'],
    ['limits', `[{ id: a.b, area: orders, subject: S }]`, '/0 oneOf'],
    ['limits', `[{ id: a.b, area: orders, subject: S, value: 1 }]`, '/0 oneOf'],
    ['limits', `[{ id: a.b, area: orders, subject: S, value: 1, unit: days, from: a.yaml#/a }]`, '/0 oneOf'],
    ['limits', `[{ id: a.b, area: garden, subject: S, value: 1, unit: days }]`, '/0/area enum'],
    ['traps', `[{ id: a, text: '' }]`, '/0/text minLength'],
  ])('in %s, %s is refused', (name, text, fault) => {
    expect(faults(`catalogue/${name}.yaml`, parse(text))).toContain(fault);
  });
});

describe('the contract keeps every rule', () => {
  const every = Object.entries(rules).filter((each): each is [string, rules.Rule] => typeof each[1] === 'function');

  test.each(every)('%s', (_name, rule) => {
    expect(rule(sources)).toEqual([]);
  });
});

describe('each rule bites', () => {
  test('an id in two requirement files', () => {
    const files = {
      'catalogue/requirements/a.yaml': '[{ id: a.b }]',
      'catalogue/requirements/b.yaml': '[{ id: a.b }]',
    };
    expect(messages(rules.idsAreUnique, files)).toEqual(['catalogue/requirements/b.yaml a.b: the id is taken']);
  });

  test('the same id in two catalogues is fine', () => {
    const files = { 'catalogue/requirements/a.yaml': '[{ id: a.b }]', 'catalogue/limits.yaml': '[{ id: a.b }]' };
    expect(messages(rules.idsAreUnique, files)).toEqual([]);
  });

  test.each([
    [
      'a requirement',
      { 'catalogue/requirements/a.yaml': '[{ id: a.b, openPoint: lost }]' },
      'catalogue/requirements/a.yaml#/0',
    ],
    [
      'a transition',
      { 'catalogue/states.yaml': 'machines: { a: { openPoint: lost } }' },
      'catalogue/states.yaml#/machines/a',
    ],
    ['an error code', { 'catalogue/errors.yaml': 'ACode: { x-open-point: lost }' }, 'catalogue/errors.yaml#/ACode'],
  ])('an open point that only %s knows', (_what, files, place) => {
    const register = { 'catalogue/open-points.yaml': '[{ id: known }]' };
    expect(messages(rules.openPointsExist, { ...register, ...files })).toEqual([
      `${place}: there is no open point lost`,
    ]);
  });

  test('an open point without a requirement, and one that is excused without need', () => {
    const files = {
      'catalogue/open-points.yaml':
        '[{ id: lone }, { id: excused, requirementless: R }, { id: both, requirementless: R }]',
      'catalogue/requirements/a.yaml': '[{ id: a.b, openPoint: both }]',
    };
    expect(messages(rules.openPointsAreNamed, files)).toEqual([
      'catalogue/open-points.yaml lone: no requirement names it, and it has no requirementless',
      'catalogue/open-points.yaml both: it has requirementless, but a requirement names it',
    ]);
  });

  test('a judged rule whose requirement has another level, has no check, or is not there', () => {
    const files = {
      'catalogue/open-points.yaml':
        '[{ id: a, judged: [{ level: MUST, requirements: [a.must, a.should, a.schema, a.lost] }] }]',
      'catalogue/requirements/a.yaml': `[
        { id: a.must, level: MUST, verification: { by: check } }, { id: a.should, level: SHOULD, verification: { by: check } },
        { id: a.schema, level: MUST, verification: { by: schema } }]`,
    };
    expect(messages(rules.judgedRulesAreRequirements, files)).toEqual([
      'catalogue/open-points.yaml a: it judges a.should as MUST, but a.should is SHOULD',
      'catalogue/open-points.yaml a: it judges a.schema, but no check verifies a.schema',
      'catalogue/open-points.yaml a: there is no requirement a.lost',
    ]);
  });

  test('an observed point without a check, and a check of a point of which nothing is observed', () => {
    const files = {
      'catalogue/open-points.yaml': `[
        { id: seen, observed: The code. }, { id: blind, observed: The code. }, { id: lone, observed: The code. },
        { id: silent, observed: Nothing. A reason. }, { id: looked, observed: Nothing. A reason. }]`,
      'catalogue/requirements/a.yaml': `[
        { id: a.seen, level: MAY, openPoint: seen, verification: { by: check } },
        { id: a.blind, level: MAY, openPoint: blind, verification: { by: none } },
        { id: a.silent, level: MAY, openPoint: silent, verification: { by: none } },
        { id: a.looked, level: MAY, openPoint: looked, verification: { by: check } }]`,
    };
    expect(messages(rules.observedPointsAreChecked, files)).toEqual([
      'catalogue/open-points.yaml blind: it is observed, but no check verifies a requirement that names it',
      'catalogue/open-points.yaml looked: nothing of it is observed, but a check verifies a.looked',
    ]);
  });

  test('a reference that is none of the values', () => {
    const files = {
      'catalogue/open-points.yaml':
        '[{ id: a, values: { x: X }, reference: z }, { id: b, values: { x: X }, reference: x }]',
    };
    expect(messages(rules.referencesArePermitted, files)).toEqual([
      'catalogue/open-points.yaml a: the reference z is not one of its values',
    ]);
  });

  test('places that are not there', () => {
    const files = {
      'schemas/a.yaml': 'A: { maxLength: 0 }',
      'catalogue/requirements/a.yaml':
        '[{ id: a.file, contract: schemas/z.yaml }, { id: a.pointer, contract: schemas/a.yaml#/Z }]',
      'catalogue/limits.yaml':
        '[{ id: a.b, from: { min: schemas/a.yaml#/A/minLength, max: schemas/a.yaml#/A/maxLength } }]',
    };
    expect(messages(rules.placesResolve, files)).toEqual([
      'catalogue/requirements/a.yaml a.file: nothing stands at schemas/z.yaml',
      'catalogue/requirements/a.yaml a.pointer: nothing stands at schemas/a.yaml#/Z',
      'catalogue/limits.yaml a.b: nothing stands at schemas/a.yaml#/A/minLength',
    ]);
  });

  test.each([
    ['a schema', { 'schemas/a.yaml': 'A: { x-requirement: a.lost }' }, 'schemas/a.yaml#/A'],
    ['a keyword', { 'schemas/a.yaml': 'A: { x-requirement: { type: a.lost } }' }, 'schemas/a.yaml#/A'],
    [
      'a transition',
      { 'catalogue/states.yaml': 'machines: { a: { transitions: [{ requirement: a.lost }] } }' },
      'catalogue/states.yaml#/machines/a/transitions/0',
    ],
    [
      'a machine',
      { 'catalogue/states.yaml': 'machines: { a: { final: a.lost } }' },
      'catalogue/states.yaml#/machines/a',
    ],
    [
      'a closed machine',
      { 'catalogue/states.yaml': 'machines: { a: { noOtherMoves: a.lost } }' },
      'catalogue/states.yaml#/machines/a',
    ],
    ['a limit', { 'catalogue/limits.yaml': '[{ id: a.b, requirement: a.lost }]' }, 'catalogue/limits.yaml#/0'],
    ['a trap', { 'catalogue/traps.yaml': '[{ id: a, requirements: [a.lost] }]' }, 'catalogue/traps.yaml a'],
  ])('a requirement that only %s knows', (_what, files, place) => {
    const known = { 'catalogue/requirements/a.yaml': '[{ id: a.known }]' };
    expect(messages(rules.requirementsExist, { ...known, ...files })).toEqual([
      `${place}: there is no requirement a.lost`,
    ]);
  });

  test('a requirement that no place carries, though a limit refers to it', () => {
    const files = {
      'schemas/a.yaml': 'A: { x-requirement: a.used }',
      'catalogue/requirements/a.yaml': '[{ id: a.used }, { id: a.pointed, contract: schemas/a.yaml }, { id: a.lone }]',
      'catalogue/limits.yaml': '[{ id: a.b, requirement: a.lone }]',
    };
    expect(messages(rules.requirementsAreCarried, files)).toEqual([
      'catalogue/requirements/a.yaml a.lone: no place names it, and it has no contract',
    ]);
  });

  test('an error code that is not known', () => {
    const files = {
      'catalogue/errors.yaml': 'ACode: { oneOf: [{ const: "10001" }] }',
      'catalogue/requirements/a.yaml': '[{ id: a.b, error: "10001" }, { id: a.c, error: "10002" }]',
    };
    expect(messages(rules.errorsExist, files)).toEqual([
      'catalogue/requirements/a.yaml a.c: there is no error code 10002',
    ]);
  });
});

describe('a state machine', () => {
  const machine = (changes: Record<string, unknown>) => {
    const state = (name: string, final: boolean) => ({ const: name, 'x-final': final });
    const content = {
      AStatus: { oneOf: [state('OPEN', false), state('BUSY', false), state('DONE', true)] },
      machines: {
        a: {
          status: '#/AStatus',
          initial: 'OPEN',
          events: ['started', 'ended'],
          transitions: [
            { from: null, event: 'made', to: 'OPEN' },
            { from: 'OPEN', event: 'started', to: 'BUSY' },
            { from: 'BUSY', event: 'ended', to: 'DONE' },
          ],
          ...changes,
        },
      },
    };
    return rules.machinesAreSound([{ path: 'catalogue/states.yaml', content: JSON.parse(JSON.stringify(content)) }]);
  };
  const start = { from: 'OPEN', event: 'started', to: 'BUSY' };
  const end = { from: 'BUSY', event: 'ended', to: 'DONE' };

  test('that is whole has no findings', () => {
    expect(machine({})).toEqual([]);
  });

  test.each<[string, Record<string, unknown>, string[]]>([
    ['a state that cannot be reached', { transitions: [{ ...start, to: 'DONE' }] }, ['BUSY cannot be reached']],
    [
      'a state that only itself leads to',
      {
        transitions: [
          { ...start, to: 'DONE' },
          { ...end, to: 'BUSY' },
        ],
      },
      ['BUSY cannot be reached'],
    ],
    [
      'an excuse that is not needed',
      { unreachable: { BUSY: 'R' } },
      ['BUSY is listed as unreachable, but it can be reached'],
    ],
    [
      'a way out of a final state',
      { transitions: [start, end, { ...end, from: 'DONE' }] },
      ['DONE is final, but a transition leaves it'],
    ],
    [
      'no way out of another',
      { transitions: [start], unreachable: { DONE: 'R' } },
      ['BUSY is not final, but no transition leaves it'],
    ],
    ['a state that does not exist', { transitions: [start, end, { ...end, to: 'GONE' }] }, ['there is no state GONE']],
    ['an excuse for a state that does not exist', { unreachable: { GONE: 'R' } }, ['there is no state GONE']],
    ['an event that does not exist', { transitions: [start, { ...end, event: 'lost' }] }, ['there is no event lost']],
    [
      'a record that is made in another state',
      { transitions: [start, end, { from: null, event: 'made', to: 'BUSY' }] },
      ['a new record is in BUSY, not in OPEN'],
    ],
  ])('with %s is refused', (_what, changes, expected) => {
    expect(machine(changes).map(({ message }) => message)).toEqual(expected);
  });

  test('with an unreachable state that says why is fine', () => {
    expect(machine({ transitions: [{ ...start, to: 'DONE' }], unreachable: { BUSY: 'R' } })).toEqual([]);
  });
});

describe('a constraint on a request', () => {
  /** The findings for a request body of that schema, beside a file of schemas to refer to. */
  function body(schema: string, others = 'Other: {}'): string[] {
    const files = {
      'openapi.yaml': 'paths: { /a: { $ref: paths/a.yaml } }',
      'paths/a.yaml': `post: { requestBody: { content: { application/json: { schema: { $ref: ../schemas/a.yaml#/A } } } } }`,
      'schemas/a.yaml': `A: ${schema}`,
      'schemas/others.yaml': others,
    };
    return messages(rules.constraintsAreNamed, files);
  }
  const unnamed = (pointer: string, keyword: string) => [`schemas/${pointer}: ${keyword} names no requirement`];

  test.each([
    ['{ type: string, x-requirement: { type: a.b } }'],
    ['{ description: D, example: x, contentSchema: {} }'],
    ['{ properties: { type: { description: D } } }'],
    ['{ additionalProperties: {} }'],
    ['{ allOf: [{ description: D }] }'],
    ['{ anyOf: [{ format: ipv4 }, { format: ipv6 }], x-requirement: { anyOf: a.b } }'],
    ['{ if: { required: [a] }, then: { required: [b] }, x-requirement: { if: a.b } }'],
    ['{ x-decimal: { minimum: "0" }, x-requirement: { x-decimal.minimum: a.b } }'],
    ['{ properties: { again: { $ref: "#/A" } } }'],
  ])('%s is fine', (schema) => {
    expect(body(schema)).toEqual([]);
  });

  test.each([
    ['of the body itself', '{ type: object }', 'a.yaml#/A', 'type'],
    ['one of two', '{ minLength: 1, maxLength: 2, x-requirement: { minLength: a.b } }', 'a.yaml#/A', 'maxLength'],
    ['named for the schema as a whole', '{ minLength: 1, x-requirement: a.b }', 'a.yaml#/A', 'minLength'],
    ['of a property', '{ properties: { a/b: { pattern: x } } }', 'a.yaml#/A/properties/a~1b', 'pattern'],
    ['of an entry', '{ items: { enum: [x] } }', 'a.yaml#/A/items', 'enum'],
    ['of a part', '{ allOf: [{ required: [x] }] }', 'a.yaml#/A/allOf/0', 'required'],
    ['of further properties', '{ additionalProperties: { const: x } }', 'a.yaml#/A/additionalProperties', 'const'],
    ['that closes an object', '{ additionalProperties: false }', 'a.yaml#/A', 'additionalProperties'],
    ['of a decimal', '{ x-decimal: { minimum: "0" } }', 'a.yaml#/A', 'x-decimal.minimum'],
    [
      'of a property in a named alternative',
      '{ oneOf: [{ properties: { a: { maximum: 1 } } }], x-requirement: { oneOf: a.b } }',
      'a.yaml#/A/oneOf/0/properties/a',
      'maximum',
    ],
  ])('%s is missed', (_what, schema, pointer, keyword) => {
    expect(body(schema)).toEqual(unnamed(pointer, keyword));
  });

  test('in another file is missed there', () => {
    expect(body('{ properties: { a: { $ref: others.yaml#/Other } } }', 'Other: { maxItems: 1 }')).toEqual(
      unnamed('others.yaml#/Other', 'maxItems'),
    );
  });

  test('beside a reference is not read', () => {
    expect(body('{ properties: { a: { $ref: others.yaml#/Other, maxItems: 1 } } }')).toEqual([
      'schemas/a.yaml#/A/properties/a: maxItems stands beside $ref, where the generator does not read it; use allOf',
    ]);
  });

  test('that a map names but nobody wrote is noticed', () => {
    expect(body('{ x-requirement: { maxLength: a.b } }')).toEqual([
      'schemas/a.yaml#/A: x-requirement names maxLength, which is not there',
    ]);
  });

  test('behind a reference that leads nowhere is noticed', () => {
    expect(body('{ properties: { a: { $ref: others.yaml#/Lost } } }')).toEqual([
      'schemas/a.yaml#/A/properties/a: others.yaml#/Lost leads nowhere',
    ]);
  });

  test('of a parameter or header is missed, save that it is text', () => {
    const files = {
      'openapi.yaml': `
        paths:
          /a:
            parameters: [{ in: path, schema: { type: string, minLength: 1 } }]
            get: { parameters: [{ in: query, schema: { type: integer } }] }
        components:
          securitySchemes:
            Key: { x-schema: { type: string, pattern: x, x-requirement: { required: a.b } } }`,
    };
    expect(messages(rules.constraintsAreNamed, files)).toEqual([
      'openapi.yaml#/paths/~1a/parameters/0/schema: minLength names no requirement',
      'openapi.yaml#/paths/~1a/get/parameters/0/schema: type names no requirement',
      'openapi.yaml#/components/securitySchemes/Key/x-schema: pattern names no requirement',
    ]);
  });
});
