import { describe, expect, it } from 'vitest';
import { contraryChoices, openPoints, referenceChoices } from '../../generated/catalogue.ts';
import { otherChoices } from '../runtime/start-message.ts';
import { readChoices } from './choices.ts';

const read = (yaml: string) => readChoices(yaml, 'choices.yaml');

describe('a file of choices', () => {
  it('takes what it names, and the reference everywhere else', () => {
    const choices = read('orders-duplicate-id: always-refused\nrefund-period: shorter');
    expect(choices).toEqual({
      ...referenceChoices,
      'orders-duplicate-id': 'always-refused',
      'refund-period': 'shorter',
    });
    expect(otherChoices(choices)).toEqual({ 'orders-duplicate-id': 'always-refused', 'refund-period': 'shorter' });
  });

  it.each(['', '{}', '# nothing yet'])('may be empty: %j', (yaml) => {
    expect(read(yaml)).toEqual(referenceChoices);
    expect(otherChoices(read(yaml))).toEqual({});
  });

  it('may write a value that looks like a number as one', () => {
    expect(read('checkout-auth-failure: 200')).toMatchObject({ 'checkout-auth-failure': '200' });
  });

  it('may name what cannot be selected, as long as it is what the server does', () => {
    expect(read('rate-limit: set-per-merchant\nversioning: additive')).toMatchObject(referenceChoices);
  });

  it.each([
    [
      'an open point that there is none of',
      'refund-periods: shorter',
      'no open point refund-periods; did you mean refund-period?',
    ],
    [
      'a value that the point does not have',
      'refund-period: short',
      'refund-period cannot be short; did you mean shorter?',
    ],
    ['a value that is no text', 'refund-period: [shorter]', 'refund-period must be one of 30-days, shorter'],
    [
      'a value that the server cannot take',
      'rate-limit: built-in',
      'rate-limit stays set-per-merchant. The limit is a number',
    ],
    ['another value of a point that has one only', 'versioning: breaking', 'versioning cannot be breaking'],
    ['a list', '- refund-period', 'must be a map'],
    ['text that is no YAML', 'refund-period: [', 'choices.yaml: '],
  ])('is refused for %s', (_what, yaml, message) => {
    expect(() => read(yaml)).toThrow(message);
    expect(() => read(yaml)).toThrow(/^choices\.yaml: /);
  });
});

describe('the generated choices', () => {
  const values = new Map<string, readonly string[]>(openPoints.map((point) => [point.id, Object.keys(point.values)]));
  const selectable = openPoints
    .filter((point) => Object.keys(point.values).length > 1 && point.selectable !== false)
    .map(({ id }) => id);

  it('are made at each selectable point, the same ones everywhere', () => {
    expect(Object.keys(referenceChoices)).toEqual(selectable);
    expect(Object.keys(contraryChoices)).toEqual(selectable);
  });

  it('are those of the register, and contrary ones differ at each point', () => {
    for (const { id, reference } of openPoints.filter((point) => selectable.includes(point.id))) {
      const [ours, contrary] = [referenceChoices, contraryChoices].map(
        (choices) => Object.entries(choices).find(([at]) => at === id)?.[1],
      );
      expect(ours).toBe(reference);
      expect(contrary).not.toBe(reference);
      expect(values.get(id)).toContain(contrary);
    }
    expect(Object.keys(otherChoices(contraryChoices))).toEqual(selectable);
  });
});
