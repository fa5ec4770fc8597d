import { cpSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ruleset, Spectral } from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { contract } from '../../generated/contract.ts';
import { contract as sandboxControl } from '../../generated/sandbox-control-contract.ts';
import { type Problem, redoclyProblems } from './redocly.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const broken = 'openapi/lint/broken';

/** The documents in a folder of `broken/`, by the name of the rule that each breaks. */
function brokenDocuments(linter: string): [string, string][] {
  return readdirSync(join(root, broken, linter)).map((file) => [
    basename(file, '.yaml'),
    `${broken}/${linter}/${file}`,
  ]);
}

function read(file: string) {
  return parse(readFileSync(join(root, file), 'utf8'));
}

const documents = { 'the merchant contract': contract, 'the sandbox control API': sandboxControl };

describe('Redocly', () => {
  const settings: { apis: object; extends: string[]; rules: object } = read('redocly.yaml');
  const ignored: [string, Record<string, string[]>][] = Object.entries(read('.redocly.lint-ignore.yaml'));
  const ignoredPlaces = ignored.flatMap(([file, rules]) =>
    Object.entries(rules).flatMap(([rule, pointers]) => pointers.map((pointer) => ({ file, rule, pointer }))),
  );
  const openExample: [string, string] = ['open-example', `${broken}/redocly-accepts/open-example.yaml`];
  let plain = '';
  let ours: Problem[] = [];
  let withoutDeviations: Problem[] = [];

  beforeAll(async () => {
    // The same documents under recommended-strict alone, without our own rules and the ignore file.
    plain = realpathSync(mkdtempSync(join(tmpdir(), 'assay-lint-')));
    const { apis, extends: base } = settings;
    writeFileSync(join(plain, 'redocly.yaml'), stringify({ apis, extends: base }));
    cpSync(join(root, 'openapi'), join(plain, 'openapi'), { recursive: true });
    const small = [...brokenDocuments('redocly'), openExample].map(([, file]) => file);
    [ours, withoutDeviations] = await Promise.all([
      redoclyProblems(root, [...Object.keys(apis), ...small]),
      redoclyProblems(plain, [...Object.keys(apis), openExample[1]]),
    ]);
  });

  afterAll(() => rmSync(plain, { recursive: true }));

  test('stands on recommended-strict', () => {
    expect(settings.extends).toEqual(['recommended-strict']);
  });

  test('finds nothing in the contract', () => {
    expect(ours.filter(({ file }) => !file.startsWith(broken))).toEqual([]);
  });

  test('every ignored place breaks the rule that is ignored there', () => {
    const stale = ignoredPlaces.filter((place) => !isFound(place, withoutDeviations));
    expect(stale).toEqual([]);
  });

  test('a stale entry is noticed', () => {
    const [known] = ignoredPlaces;
    expect(known && isFound(known, withoutDeviations)).toBe(true);
    expect(known && isFound({ ...known, pointer: '#/gone' }, withoutDeviations)).toBe(false);
  });

  test('the contract breaks recommended-strict for each rule that we set', () => {
    const found = withoutDeviations.map(({ rule }) => rule);
    expect(found).toEqual(expect.arrayContaining(Object.keys(settings.rules)));
  });

  test('a field that the schema does not name is fine in an example, by our setting only', () => {
    const rules = (problems: Problem[]) =>
      problems.filter(({ file }) => file === openExample[1]).map(({ rule }) => rule);
    expect(rules(ours)).toEqual([]);
    expect(rules(withoutDeviations)).toEqual(['no-invalid-media-type-examples']);
  });

  test.each(brokenDocuments('redocly'))('%s bites', (rule, path) => {
    const found = ours.filter(({ file }) => file === path);
    expect(new Set(found.map((problem) => problem.rule))).toEqual(new Set([rule]));
    // Under recommended, some of them would be warnings.
    expect(new Set(found.map(({ severity }) => severity))).toEqual(new Set(['error']));
  });

  test('every rule that is set or ignored somewhere has a broken document', () => {
    const shown = brokenDocuments('redocly').map(([rule]) => rule);
    const named = [...Object.keys(settings.rules), ...ignoredPlaces.map(({ rule }) => rule)];
    expect(shown).toEqual(expect.arrayContaining(named));
  });
});

function isFound(place: { file: string; rule: string; pointer: string }, problems: Problem[]): boolean {
  return problems.some(
    ({ file, rule, pointer }) => file === place.file && rule === place.rule && pointer === place.pointer,
  );
}

describe('Spectral', () => {
  const switchedOff = {
    // The contract belongs to an interface, not to a provider, so there is no contact.
    'info-contact': 'off',
    // The license is given as an SPDX identifier, beside which OpenAPI 3.1 forbids a url.
    'license-url': 'off',
    // The tags stand in the order in which the areas are explained.
    'openapi-tags-alphabetical': 'off',
  } as const;
  const every = new Ruleset({ extends: [[oas, 'all']] });
  const ours = new Ruleset({ extends: [[oas, 'all']], rules: switchedOff });

  /** The codes of all results, whatever their severity, each once. */
  async function results(ruleset: Ruleset, document: Record<string, unknown>) {
    const spectral = new Spectral();
    spectral.setRuleset(ruleset);
    const found = await spectral.run(document);
    return found.map(({ code, path }) => `${code} at ${path.join('/')}`);
  }

  const codes = (found: string[]) => [...new Set(found.map((each) => each.split(' ')[0]))].sort();

  test.each(Object.entries(documents))('finds nothing in %s', async (_name, document) => {
    expect(await results(ours, document)).toEqual([]);
  });

  test.each(Object.entries(documents))(
    'every rule that is switched off finds something in %s',
    async (_name, document) => {
      expect(codes(await results(every, document))).toEqual(Object.keys(switchedOff).sort());
    },
  );

  test.each(brokenDocuments('spectral'))('%s bites', async (rule, path) => {
    expect(codes(await results(ours, read(path)))).toEqual([rule]);
  });
});

describe('the OpenAPI 3.1 schema', () => {
  test.each(Object.entries(documents))('accepts %s', async (_name, document) => {
    const validator = new Validator();
    expect(await validator.validate(structuredClone(document))).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  test('refuses a document that it does not allow', async () => {
    const { valid, errors } = await new Validator().validate(
      read(`${broken}/openapi-schema/response-without-description.yaml`),
    );
    expect(valid).toBe(false);
    expect(errors).toContainEqual(
      expect.objectContaining({ instancePath: '/paths/~1orders/get/responses/200', keyword: 'required' }),
    );
  });
});
