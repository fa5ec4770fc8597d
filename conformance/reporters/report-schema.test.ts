import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { suiteVersions } from '../checks/check-ids.ts';
import { allChecks } from '../checks/index.ts';
import { buildReport, type Report } from '../run/report.ts';
import type { CheckResult } from '../run/verdict.ts';

const schema = JSON.parse(readFileSync(new URL('./report.schema.json', import.meta.url), 'utf8'));
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
formats.default(ajv);
const validate = ajv.compile(schema);

type Transition = Report['transitions'][number];

/** Every property that there can be: one that the type gets or loses does not compile here. */
const whole: Required<Transition> = {
  check: 'checkout.state.init.expired',
  machine: 'checkout',
  from: 'INIT',
  event: 'expired',
  expected: 'CLOSED',
  seen: 'CLOSED',
  free: true,
};
type Optional<Type> = { [Key in keyof Type]-?: undefined extends Type[Key] ? Key : never }[keyof Type];
const optional: Record<Optional<Transition>, true> = { free: true };

/** A report of one check, with everything in it that there can be. */
function reportWith(result: Partial<CheckResult>): Report {
  const [check] = allChecks;
  if (!check) throw new Error('there is no check');
  const whatever = { verdict: 'passed', durationMs: 1, exchanges: [], observations: [], transitions: [] } as const;
  return buildReport([{ check, ...whatever, ...result }], {
    target: 'https://sandbox.example.com',
    seed: 1,
    startedAt: new Date(0),
    durationMs: 1,
    complete: false,
    pins: {},
    configuration: {},
    secrets: [],
  });
}

/** The places of fields without a description, in a schema and all its definitions. */
function undescribed(value: unknown, place = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own =
    'properties' in value && typeof value.properties === 'object' ? Object.entries(value.properties ?? {}) : [];
  return [
    ...own.filter(([, field]) => !field.description).map(([name]) => `${place}/${name}`),
    ...Object.entries(value).flatMap(([key, each]) => undescribed(each, `${place}/${key}`)),
  ];
}

describe('the schema of the JSON report', () => {
  it('describes every field', () => {
    expect(undescribed(schema)).toEqual([]);
  });

  it('has the transitions of the type, no property more and none less', () => {
    const { properties, required } = schema.properties.transitions.items;
    expect(Object.keys(properties).sort()).toEqual(Object.keys(whole).sort());
    expect(required.toSorted()).toEqual(
      Object.keys(whole)
        .filter((name) => !Object.hasOwn(optional, name))
        .sort(),
    );
  });

  it('accepts moves that the contract binds, and such as it leaves free', () => {
    const { check: _check, free, ...bound } = whole;
    const report = reportWith({ transitions: [bound, { ...bound, free }] });
    expect(report.transitions).toMatchObject([{ check: allChecks[0]?.id }, { free: true }]);
    expect(validate(report), JSON.stringify(validate.errors)).toBe(true);
    expect(validate({ ...report, transitions: [{ ...whole, free: false }] })).toBe(false);
    expect(validate({ ...report, transitions: [{ ...whole, check: undefined }] })).toBe(false);
  });

  it('accepts everything that a check can have', () => {
    const exchange = { request: { method: 'GET', url: 'https://a.example/', headers: {}, body: '' }, durationMs: 0 };
    const report = reportWith({
      verdict: 'failed',
      message: 'm',
      expected: 'e',
      actual: 'a',
      requirement: 'auth.required',
      exchange: 1,
      baseline: { reason: 'r', until: '2026-12-31' },
      exchanges: [
        { ...exchange, error: 'ECONNRESET' },
        { ...exchange, response: { status: 200, headers: { date: 'd' }, body: 'x'.repeat(9999) } },
      ],
      observations: [{ openPoint: 'checkout-repeat', seen: 's' }],
    });
    expect(validate(report), JSON.stringify(validate.errors)).toBe(true);
    expect(report.checks[0]?.exchanges[1]?.response?.body).toMatch(/^x{4096}… \(9999 characters\)$/);
  });
});

describe('the schemas of earlier releases', () => {
  const formats = ['report', 'history'];
  const released = suiteVersions.slice(0, -1).flatMap((release) => formats.map((format) => ({ release, format })));

  it.each(released)('are kept: $format of $release', ({ release, format }) => {
    const file = new URL(`../released-schemas/${release}/${format}.schema.json`, import.meta.url);
    expect(ajv.validateSchema(JSON.parse(readFileSync(file, 'utf8')))).toBe(true);
  });
});
