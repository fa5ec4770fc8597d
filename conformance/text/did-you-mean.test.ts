import { describe, expect, it } from 'vitest';
import { didYouMean, didYouMeanOneOf } from './did-you-mean.ts';

describe('a suggestion for an unknown word', () => {
  it.each([
    ['order', ['auth', 'orders'], 'orders'],
    ['jnuit', ['html', 'junit'], 'junit'],
    ['orders.query.unknwn', ['orders.query.unknown', 'orders.query.as-made'], 'orders.query.unknown'],
  ])('is a known word that is near to %s', (unknown, known, near) => {
    expect(didYouMean(unknown, known)).toBe(`; did you mean ${near}?`);
    expect(didYouMeanOneOf(unknown, known)).toBe(`; did you mean ${near}?`);
  });

  it.each([
    ['xml', ['html', 'junit']],
    ['foo', ['auth', 'orders']],
    ['M-DEMO', ['rate-limit', 'orders.create']],
    ['anything', []],
  ])('is missing where nothing is near to %s', (unknown, known) => {
    expect(didYouMean(unknown, known)).toBe('');
  });

  it('is the list of known words where none is near, if they are few', () => {
    expect(didYouMeanOneOf('foo', ['auth', 'orders'])).toBe('; it can be auth, orders');
    const many = Array.from({ length: 17 }, (_, index) => `word-${index}`);
    expect(didYouMeanOneOf('foo', many)).toBe('');
  });
});
