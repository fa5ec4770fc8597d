import { describe, expect, it } from 'vitest';
import { redact } from './redact.ts';

describe('redaction', () => {
  it('finds a secret wherever it stands', () => {
    const value = { a: ['x canary y', { canary: 1 }], b: 'canarycanary' };
    expect(JSON.stringify(redact(value, ['canary']))).not.toContain('canary');
  });

  it('finds a secret in the escaped forms that a target may echo it in', () => {
    const secret = 'can"ary+/=';
    const value = { json: JSON.stringify({ secret }), url: `http://a.example/?s=${encodeURIComponent(secret)}` };
    const shown = JSON.stringify(redact(value, [secret]));
    expect(shown).not.toContain('ary');
  });

  const secret = 'sk_canary/of+a=kind~?';
  const percent = encodeURIComponent(secret);
  it.each([
    ['in an address', percent],
    ['in an address with small letters', percent.replace(/%../g, (each) => each.toLowerCase())],
    ['in hexadecimal digits', Buffer.from(secret).toString('hex')],
    ['in large hexadecimal digits', Buffer.from(secret).toString('hex').toUpperCase()],
    ...['', 'a', 'ab', 'abc'].map((before): [string, string] => [
      `in Base64 behind ${before.length} bytes`,
      Buffer.from(`${before}${secret}:more`).toString('base64'),
    ]),
    ['in Base64 for addresses', Buffer.from(`a${secret}`).toString('base64url')],
  ])('finds a secret %s', (_how, form) => {
    const shown = redact(`before ${form} after`, [secret]);
    expect(shown).toMatch(/^before .{0,4}\[redacted\].{0,12} after$/);
  });

  it('finds the beginning of a secret where a text was cut', () => {
    expect(redact(`message = ${secret.slice(0, 11)}… (300 characters)`, [secret])).toBe(
      'message = [redacted]… (300 characters)',
    );
    expect(redact('message = sk_can, and more', [secret])).toBe('message = sk_can, and more');
  });

  it('hides the longer one of two secrets that begin alike, and what follows', () => {
    expect(redact('canary-two canary canary-2', ['canary', 'canary-two'])).toBe('[redacted] [redacted] [redacted]-2');
  });

  it('hides what authenticates, by name, though nobody knows its value', () => {
    const headers = { 'X-Signature': 'abc', authorization: 'Bearer abc', 'X-Timestamp': '123' };
    expect(redact(headers, [])).toEqual({
      'X-Signature': '[redacted]',
      authorization: '[redacted]',
      'X-Timestamp': '123',
    });
  });

  it('leaves everything else as it is', () => {
    const value = { a: 1, b: null, c: [true, 'text'] };
    expect(redact(value, ['', 'absent'])).toEqual(value);
  });
});
