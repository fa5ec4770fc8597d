import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readSeed } from './seed.ts';

const credentials = 'merchantId: M-1, apiKey: ak_1, apiSecret: c4n4ry';
const read = (yaml: string, environment: NodeJS.ProcessEnv = {}) => readSeed(yaml, 'seed.yaml', environment);

describe('a seed configuration', () => {
  it('names merchants with their credentials and settings', () => {
    expect(read(`merchants: [{ ${credentials}, automatic: true, balances: { USDT: '5' } }]`)).toEqual([
      {
        merchantId: 'M-1',
        apiKey: 'ak_1',
        apiSecret: 'c4n4ry',
        settings: { automatic: true, balances: { USDT: '5' } },
      },
    ]);
  });

  it.each(['', '{}', 'merchants: []'])('may be empty: %j', (yaml) => {
    expect(read(yaml)).toEqual([]);
  });

  it('takes values from the environment, which cannot become structure', () => {
    const yaml = 'merchants: [{ merchantId: M-1, apiKey: "ak_${NAME}", apiSecret: "${SECRET}" }]';
    const environment = { NAME: 'x', SECRET: '{automatic:true}' };
    expect(read(yaml, environment)).toMatchObject([{ apiKey: 'ak_x', apiSecret: '{automatic:true}', settings: {} }]);
  });

  it.each([
    ['a variable that is not there', 'merchants: [{ merchantId: "${NOWHERE}" }]', 'no NOWHERE'],
    ['a key of the file that is like none', 'x: []', 'unknown key x; it can be merchants'],
    ['an unknown key of the file', 'merchant: []', 'unknown key merchant; did you mean merchants?'],
    [
      'an unknown credential',
      'merchants: [{ merchantid: M-1 }]',
      'merchants.0 has an unknown key merchantid; did you mean merchantId?',
    ],
    ['an unknown setting', `merchants: [{ ${credentials}, automatik: true }]`, 'did you mean automatic?'],
    [
      'an unknown field of a setting',
      `merchants: [{ ${credentials}, rateLimit: { requests: 1, perSecond: 1 } }]`,
      'merchants.0.rateLimit',
    ],
    ['a setting that does not fit', `merchants: [{ ${credentials}, automatic: 1 }]`, 'merchants.0.automatic'],
    ['a merchant without its key', 'merchants: [{ merchantId: M-1, apiSecret: c4n4ry }]', 'merchants.0.apiKey must be'],
    [
      'a key that is a number',
      'merchants: [{ merchantId: M-1, apiKey: 5, apiSecret: c4n4ry }]',
      'merchants.0.apiKey must be',
    ],
    [
      'an id that is no path segment',
      'merchants: [{ merchantId: M/1, apiKey: a, apiSecret: c4n4ry }]',
      'merchants.0.merchantId must be',
    ],
    [
      'a secret that no header could hold',
      'merchants: [{ merchantId: M-1, apiKey: a, apiSecret: "c4n4ry c4n4ry" }]',
      'merchants.0.apiSecret must be',
    ],
    ['one merchant twice', `merchants: [{ ${credentials} }, { ${credentials} }]`, 'merchants.1.merchantId'],
    ['merchants that are no list', 'merchants: { }', 'must be a list'],
    ['text that is no YAML', 'merchants: [{ apiSecret: c4n4ry', 'seed.yaml: '],
    ['a list', '- merchants', 'the file must be an object'],
  ])('is refused for %s, without its secrets', (_what, yaml, message) => {
    expect(() => read(yaml)).toThrow(message);
    expect(() => read(yaml)).toThrow('seed.yaml: ');
    expect(() => read(yaml)).not.toThrow('c4n4ry');
  });

  it('comes with an example that works by itself', () => {
    const example = readFileSync(new URL('./demo.yaml', import.meta.url), 'utf8');
    expect(read(example)).toMatchObject([{ settings: { automatic: true } }]);
  });
});
