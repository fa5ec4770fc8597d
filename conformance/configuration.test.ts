import { describe, expect, it } from 'vitest';
import { parseConfiguration, UsageError } from './configuration.ts';

const parse = (yaml: string, environment = {}) => parseConfiguration(yaml, 'assay.yaml', environment);

describe('a configuration', () => {
  it('may be empty', () => {
    expect(parse('')).toEqual({});
  });

  it('holds what the runner needs to know', () => {
    const yaml = `
target: https://sandbox.example.com/payments
areas: [orders, webhooks]
merchants: { default: { merchantId: M-1, apiKey: k, apiSecret: s } }
open-points: { orders-query-id: both }
timing: { settleMs: 500 }
`;
    expect(parse(yaml)).toEqual({
      target: 'https://sandbox.example.com/payments',
      areas: ['orders', 'webhooks'],
      merchants: { default: { merchantId: 'M-1', apiKey: 'k', apiSecret: 's' } },
      'open-points': { 'orders-query-id': 'both' },
      timing: { settleMs: 500 },
    });
  });

  it('takes values from the environment after parsing, so that they cannot become structure', () => {
    const hostile = 'x, url: http://elsewhere.example';
    expect(parse('control: { token: "${TOKEN}" }', { TOKEN: hostile })).toEqual({ control: { token: hostile } });
  });

  it.each([
    ['a misspelt key', 'tarket: http://a.example', 'did you mean target?'],
    ['a misspelt key inside', 'control: { tokn: x }', 'did you mean token?'],
    ['a misspelt open point', 'open-points: { checkout-repat: same-terms }', 'did you mean checkout-repeat?'],
    ['a value that an open point does not have', 'open-points: { orders-query-id: maybe }', 'must be one of both,'],
    ['an area that there is not', 'areas: [order]', 'must be one of orders,'],
    ['a merchant without its secret', 'merchants: { default: { merchantId: M, apiKey: k } }', 'apiSecret'],
    ['a target that is no address', 'target: sandbox', 'must be an http or https address'],
    ['an environment variable that is not set', 'target: "${NOWHERE}"', 'the environment has no NOWHERE'],
    ['what is no YAML', 'target: [', 'assay.yaml'],
    ['a list', '- target', 'must be object'],
  ])('refuses %s and says how to mend it', (_what, yaml, message) => {
    expect(() => parse(yaml)).toThrow(UsageError);
    expect(() => parse(yaml)).toThrow(message);
  });

  it('never repeats a value, which may be a secret', () => {
    const yaml = 'merchants: { default: { merchantId: M, apiKey: k, apiSecret: [canary-secret] } }';
    expect(() => parse(yaml)).toThrow(/^(?!.*canary-secret)/s);
  });
});
