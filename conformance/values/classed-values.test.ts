import { describe, expect, it } from 'vitest';
import { setAt } from '../contract/json.ts';
import { contractOperation, contractOperations } from '../contract/operations.ts';
import { schemaFaults } from '../contract/schema.ts';
import { allValues, classedValues, type ProbedConstraint, probedConstraints } from './classed-values.ts';
import { valueClasses } from './classes/index.ts';
import { printed } from './printed.ts';

const probed = contractOperations.flatMap(({ name }) => probedConstraints(name));

function constraintOf(id: string): ProbedConstraint {
  const found = probed.find(({ constraint }) => constraint.id === id);
  if (!found) throw new Error(`no constraint ${id} has values`);
  return found;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** The values of a constraint that are expected to be answered in this way. */
function valuesOf(id: string, expected: string): unknown[] {
  const each = constraintOf(id);
  return classedValues(each, each.example)
    .filter((value) => value.expected === expected)
    .map(({ value }) => value);
}

describe('the classes', () => {
  it('have ids that are used once', () => {
    const ids = valueClasses.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  it('all have values for some constraint of the contract', () => {
    const used = new Set(
      probed.flatMap((each) => classedValues(each, each.example).map((value) => value.valueClass.id)),
    );
    const idle = valueClasses.filter(({ id }) => !used.has(id)).map(({ id }) => id);
    expect(idle).toEqual([]);
  });

  it('let every constraint that is a MUST have a value that must be refused', () => {
    const judged = probed.flatMap((each) => classedValues(each, each.example));
    expect(judged.filter(({ expected }) => expected === 'refused').length).toBeGreaterThan(probed.length);
  });

  it('accept and refuse as the schemas of the contract do', () => {
    const wrong = probed.flatMap(({ constraint, schema, example }) =>
      classedValues({ constraint, schema }, example)
        .filter(({ expected }) => expected !== 'free')
        .filter(({ value, expected }) => {
          const fits = schemaFaults(setAt(example, constraint.path, value), schema).length === 0;
          return fits !== (expected === 'accepted');
        })
        .map(({ value }) => `${constraint.id} = ${printed(value)}`),
    );
    expect(wrong).toEqual([]);
  });

  it.each([
    ['orders.create.subMerchants.amount.exclusiveMinimum', 'accepted', '0.010000000000000001'],
    ['orders.create.subMerchants.amount.exclusiveMinimum', 'refused', '0.01'],
    ['orders.create.orderAmount.value.number', 'refused', 'NaN'],
    ['orders.create.orderAmount.value.number', 'refused', '1,000.00'],
    ['orders.create.orderAmount.value.pattern.amount-text', 'free', '1,5'],
    ['orders.create.items.type', 'free', 17],
    ['refunds.create.extraData.contentMediaType', 'free', '[1,2]'],
    ['orders.create.items.quantity.type', 'refused', 2.5],
    ['orders.create.items.quantity.type', 'free', '2'],
    ['orders.create.subMerchants.mcc.pattern', 'refused', '5943\n'],
    ['orders.create.subMerchants.mcc.pattern', 'refused', '59433'],
    ['checkout.create.orderAmount.currency.enum', 'refused', 'USD'],
    ['checkout.create.orderAmount.currency.enum', 'refused', 'TUSD'],
    ['checkout.create.merchantOrderId.minLength', 'refused', 'a_b'],
    ['checkout.create.expiresAt.format', 'refused', '2026-01-15T10:60:00Z'],
    ['orders.create.subMerchants.settlementRatio.maximum', 'refused', '1.00000000000000000001'],
    ['orders.create.merchantOrderId.required', 'refused', null],
    ['orders.create.description.type', 'free', null],
  ])('take %s for %s: %j', (id, expected, value) => {
    expect(valuesOf(id, expected)).toContainEqual(value);
  });

  it.each(
    probed.filter(({ constraint }) => constraint.keyword === 'type').map((each) => [each.constraint.id, each] as const),
  )('try every other JSON type at the place of %s', (_id, { constraint }) => {
    const { operation, path, value } = constraint;
    const place = path.join('.');
    const sent = probed
      .filter((each) => each.constraint.operation === operation && each.constraint.path.join('.') === place)
      .flatMap((each) => classedValues(each, each.example).map((classed) => typeOf(classed.value)));
    const own = [value].flat().map((type) => (type === 'integer' ? 'number' : String(type)));
    const others = ['string', 'number', 'boolean', 'object', 'array', 'null'].filter((type) => !own.includes(type));
    expect(others.filter((type) => !sent.includes(type))).toEqual([]);
  });

  it('judge no length at the bound in characters beyond the basic plane', () => {
    expect(valuesOf('orders.create.description.maxLength', 'free')).toEqual(['🧾'.repeat(512)]);
  });
});

describe('all values of an operation', () => {
  it('are those of the fields that the body has, the same for the same random numbers', () => {
    const [body] = contractOperation('orders.create').examples.filter((each) => each.subMerchants === undefined);
    if (!body) throw new Error('the contract has no example of a create without sub-merchants');
    const values = allValues('orders.create', body, () => 0.25);
    expect(values.some(({ constraint }) => constraint.path[0] === 'subMerchants')).toBe(false);
    expect(values.some(({ constraint }) => constraint.path[0] === 'merchantOrderId')).toBe(true);
    expect(allValues('orders.create', body, () => 0.25)).toEqual(values);
  });
});

describe('a value in a finding', () => {
  it.each([
    ['order-1\n', '"order-1\\n"'],
    [' 9.50', '" 9.50"'],
    ['９', '"\\u{ff19}"'],
    ['9.50 USDT', '9.50 USDT'],
    [undefined, 'absent'],
    [{ text: 'text' }, '{"text":"text"}'],
  ])('%j is shown as %s', (value, shown) => {
    expect(printed(value)).toBe(shown);
  });
});
