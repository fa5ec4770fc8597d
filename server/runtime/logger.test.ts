import { describe, expect, it } from 'vitest';
import { createLogger, failureLog } from './logger.ts';

const canary = 'c4n4ry-c4n4ry';

/** A logger, and what it has written. */
function recording() {
  const lines: string[] = [];
  return { logger: createLogger({ write: (line) => lines.push(line) }), lines };
}

const wrongRow = Object.assign(new Error('duplicate key'), {
  code: '23505',
  detail: `Key (api_key)=(${canary}) exists.`,
});

describe('the log', () => {
  it('has time, level, message and fields in one line of JSON', () => {
    const { logger, lines } = recording();
    logger.info({ status: 200, path: '/a\nb' }, 'request');
    const [line = '', ...more] = lines;
    expect(more).toEqual([]);
    expect(line.indexOf('\n')).toBe(line.length - 1);
    const { time, ...rest } = JSON.parse(line);
    expect(rest).toEqual({ level: 'info', status: 200, path: '/a\nb', message: 'request' });
    expect(new Date(time).toISOString()).toBe(time);
  });

  it('shows a failure with its stack, its cause and its request', () => {
    const { logger, lines } = recording();
    const failure = new Error('the outer one', { cause: new TypeError('the inner one') });
    failureLog(logger)('a request failed', failure, { requestId: 'r-1' });
    expect(JSON.parse(lines.join(''))).toMatchObject({
      level: 'error',
      message: 'a request failed',
      requestId: 'r-1',
      error: {
        message: 'the outer one',
        stack: expect.stringContaining('logger.test.ts'),
        cause: { message: 'the inner one' },
      },
    });
  });

  it.each<[string, object]>([
    ['a header by its name', { headers: { 'x-api-key': canary, Authorization: `Bearer ${canary}` } }],
    ['a signature by its name', { 'X-Signature': canary }],
    ['a secret deep inside', { merchant: { keys: [{ apiSecret: canary, apiKey: canary }] } }],
    ['a control token', { controlToken: canary }],
    ['headers in a text', { text: `POST /x\nX-Api-Key: ${canary}\nAuthorization: Bearer ${canary}` }],
    ['headers in a JSON text', { text: JSON.stringify({ 'X-Signature': canary }) }],
    ['the password of an address', { text: `postgres://assay:${canary}@127.0.0.1/x` }],
    ['an address in an error', { error: new Error(`cannot reach postgres://${canary}:${canary}@db/x`) }],
    ['a header in a cause', { error: new Error('outer', { cause: new Error(`x-signature=${canary}`) }) }],
    ['the row that a database error is about', { error: wrongRow }],
    ['one of several errors', { error: new AggregateError([new Error(`Authorization: Bearer ${canary}`)]) }],
  ])('leaves out %s', (_what, fields) => {
    const { logger, lines } = recording();
    logger.error(fields, 'something');
    expect(lines.join('')).toContain('something');
    expect(lines.join('')).not.toContain(canary);
  });

  it('leaves credentials out of messages, and keeps the rest', () => {
    const { logger, lines } = recording();
    logger.info({ merchantId: 'M-1', secretary: 'kept' }, `sent X-Api-Key: ${canary} to https://shop.example/a@b`);
    expect(JSON.parse(lines.join(''))).toMatchObject({
      merchantId: 'M-1',
      secretary: 'kept',
      message: 'sent X-Api-Key: [redacted] to https://shop.example/a@b',
    });
  });

  it('ends with an error that is its own cause', () => {
    const { logger, lines } = recording();
    const error = new Error('round');
    error.cause = error;
    logger.error({ error }, 'something');
    expect(lines).toHaveLength(1);
  });
});
