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
