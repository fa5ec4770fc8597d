import { describe, expect, it } from 'vitest';
import { showApart } from './show.ts';

describe('two values that differ', () => {
  it('are told apart by their types where one is a text and the other is none', () => {
    expect(showApart('0', 0)).toEqual(['"0"', '0']);
    expect(showApart('746702158979179781', 746702158979179800)).toEqual(['"746702158979179781"', '746702158979179800']);
    expect(showApart('asy-1', undefined)).toEqual(['asy-1', 'absent']);
  });

  it('are written as JSON where one of them begins or ends with a blank', () => {
    expect(showApart('asy-1 ', 'asy-1')).toEqual(['"asy-1 "', '"asy-1"']);
    expect(showApart('asy-1', '\tasy-1')).toEqual(['"asy-1"', '"\\tasy-1"']);
  });

  it('are written with code points where they are the same to the eye', () => {
    expect(showApart('Caf\u0065\u0301', 'Caf\u00e9')).toEqual(['Cafe\\u{301}', 'Caf\\u{e9}']);
    expect(showApart('two\u200bwords', 'twowords')).toEqual(['two\\u{200b}words', 'twowords']);
    expect(showApart('\u202edrow', 'drow')).toEqual(['\\u{202e}drow', 'drow']);
    expect(showApart('two\r\nlines', 'two\nlines')).toEqual(['two\r\nlines', 'two\nlines']);
  });

  it('are shown from a little before their first difference where they are long', () => {
    const [first, second] = showApart(`${'a'.repeat(1000)}b!`, `${'a'.repeat(1000)}c!`);
    expect([first, second]).toEqual([`…${'a'.repeat(40)}b!`, `…${'a'.repeat(40)}c!`]);
    expect(showApart(`x${'a'.repeat(400)}`, `y${'a'.repeat(400)}`)[0]).toBe(`x${'a'.repeat(299)}… (401 characters)`);
  });
});
