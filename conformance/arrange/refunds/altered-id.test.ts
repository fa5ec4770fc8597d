import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alteredId } from './altered-id.ts';

/** Forms that platforms give their ids. */
const forms: Readonly<Record<string, RegExp>> = {
  'base 32 after a prefix': /^ref\.[a-z2-7]{26}$/,
  'a UUID of version 4': /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  'a UUID of version 7, in capitals': /^01[0-9A-F]{6}-[0-9A-F]{4}-7[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}$/,
  'a ULID': /^0[0-7][0-9A-HJKMNP-TV-Z]{24}$/,
  'base 58': /^[1-9A-HJ-NP-Za-km-z]{22}$/,
  'a long number': /^[1-8][0-9]{17}$/,
  'a number': /^R-[1-9][0-9]*$/,
};

describe('an altered id', () => {
  it.for(Object.entries(forms))('is another one of the same form: %s', ([, form]) => {
    fc.assert(
      fc.property(fc.stringMatching(form), (id) => {
        expect(alteredId(id)).not.toBe(id);
        expect(alteredId(id)).toMatch(form);
      }),
    );
  });

  it('is far from the next ones of a series', () => {
    expect(['17', 'ord_000123', '7311', 'R-2026-0042'].map(alteredId)).toEqual([
      '9717',
      'ord_005123',
      '7811',
      'R-2026-0542',
    ]);
  });

  it('is another one, whatever the id is', () => {
    fc.assert(fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (id) => alteredId(id) !== id));
  });
});
