import { describe, expect, it } from 'vitest';
import { redact } from './redact.ts';

describe('redaction', () => {
  it('finds a secret wherever it stands', () => {
    const value = { a: ['x canary1 y', { canary1: 1 }], b: 'canary1canary1' };
    expect(JSON.stringify(redact(value, ['canary1']))).not.toContain('canary');
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
    expect(redact('canary1-two canary1 canary1-2', ['canary1', 'canary1-two'])).toBe(
      '[redacted] [redacted] [redacted]-2',
    );
  });

  it('hides what authenticates, by name, though nobody knows its value', () => {
    const headers = { 'X-Signature': 'abc', authorization: 'Bearer abc', 'X-Timestamp': '123' };
    expect(redact(headers, [])).toEqual({
      'X-Signature': '[redacted]',
      authorization: '[redacted]',
      'X-Timestamp': '123',
    });
  });

  const json = JSON.stringify(secret).slice(1, -1);
  const unicode = [...secret].map((each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
  it.each([
    ['with its slashes escaped', json.replaceAll('/', '\\/')],
    ['with every character as \\u', unicode],
    ['with large digits behind \\u', unicode.replace(/\\u..../g, (each) => `\\u${each.slice(2).toUpperCase()}`)],
    ['with some characters as \\u', secret.replace('+', '\\u002B').replace('/', '\\u002f')],
    ['as JSON in JSON', JSON.stringify(JSON.stringify(unicode)).slice(1, -1)],
    ['as an address in an address', encodeURIComponent(percent)],
    ['with every byte of an address escaped', [...Buffer.from(secret)].map((byte) => `%${byte.toString(16)}`).join('')],
    ['as an address in JSON', percent.replaceAll('%', '\\u0025')],
    ['for a page', secret.replace('+', '&#43;').replace('/', '&#x2F;')],
    ['in Base64 with its slashes escaped', Buffer.from(`???${secret}`).toString('base64').replaceAll('/', '\\/')],
    ['escaped in Base64', Buffer.from(`{"secret":"${unicode}"}`).toString('base64')],
    ['in Base64 in Base64', Buffer.from(Buffer.from(`a ${secret}`).toString('base64')).toString('base64')],
  ])('finds a secret %s, and leaves JSON to be JSON', (_how, form) => {
    const body = `{"message":"before ${form} after","n":1}`;
    expect(() => JSON.parse(body)).not.toThrow();
    expect(JSON.parse(redact(body, [secret]))).toEqual({
      message: expect.stringMatching(/^before .{0,4}\[redacted\].{0,16} after$/),
      n: 1,
    });
  });

  it('hides the fields of a body that authenticate, whoever has given out their values', () => {
    const body = '{"data":{"api\\u0053ecret":"un\\"known","apiKey" : "unknown"},"token":"un';
    const shown = redact({ body, echo: JSON.stringify({ body: '{"api_secret":"unknown"}' }) }, []);
    expect(JSON.stringify(shown)).not.toMatch(/known|un"|"un/);
    expect(redact('{"tokens":["unknown"],"currency":"USDT"}', [])).toBe('{"tokens":["unknown"],"currency":"USDT"}');
  });

  it('leaves a word of addresses and of our own texts, though a token is the same word', () => {
    const token = 'sandbox';
    const url = 'https://sandbox.example.com/sandbox/v1/sandbox-7?at=/sandbox';
    const own = new Set(['kind']);
    const record = { kind: token, sandbox: url, headers: { kind: token, authorization: `Bearer ${token}` } };
    expect(redact(record, [token], own)).toEqual({
      kind: token,
      sandbox: url,
      headers: { kind: '[redacted]', authorization: '[redacted]' },
    });
    expect(redact(`wrong token "${token}", ${token}.`, [token])).toBe('wrong token "[redacted]", [redacted].');
  });

  it('takes time in proportion to the text, whatever the text repeats', () => {
    const secrets = Array.from({ length: 500 }, (_each, index) => `ak_test_${index}_${'x'.repeat(40)}`);
    const repeated = [
      'ak_tes',
      'ak_test_7_xxxxxx',
      '\\u0061k_tes',
      '\\'.repeat(7),
      '"\\"',
      '%25',
      '&amp;#',
      '{"apiKey":',
      'QUFB',
    ];
    for (const part of repeated) {
      const timeOf = (length: number) => {
        const text = part.repeat(length / part.length);
        const started = process.cpuUsage();
        redact(text, secrets);
        return process.cpuUsage(started).user / 1000;
      };
      timeOf(50_000);
      // Quadratic time would be sixteen times as long for a text four times as long. The limit only catches that, in milliseconds of
      // the processor, of which a busy machine takes no more.
      expect({ part, slow: timeOf(1_000_000) > 9 * timeOf(250_000) + 500 }).toEqual({ part, slow: false });
    }
  });

  it('leaves everything else as it is', () => {
    const value = { a: 1, b: null, c: [true, 'text'] };
    expect(redact(value, ['', 'absent'])).toEqual(value);
  });
});
