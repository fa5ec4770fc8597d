import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { UsageError } from '../errors/usage-errors.ts';
import { listenPlace, parseConfiguration, readConfiguration } from './configuration.ts';

const parse = (yaml: string, environment = {}) => parseConfiguration(yaml, 'assay.yaml', environment);

describe('a configuration', () => {
  it('may be empty', () => {
    expect(parse('')).toEqual({});
  });

  it('holds what the runner needs to know', () => {
    const yaml = `
target: https://sandbox.example.com/payments
areas: [orders, webhooks]
merchants:
  default: { merchantId: M-1, apiKey: k, apiSecret: s }
  lowBalance: { merchantId: M-2, apiKey: k2, apiSecret: s2 }
fixtures: { paidOrders: [ord-1] }
control: { url: https://sandbox.example.com/sandbox/v1, token: t }
webhooks: { listen: "[::]:8443", url: https://hooks.example.com/a }
open-points: { orders-query-id: both }
limits: { allowHosts: [sandbox.example.com, 10.0.0.1, "::1"], maxOrders: 0, maxAmount: "10.00", requestsPerSecond: 0.5 }
timing: { settleMs: 500, webhookMs: 20000 }
`;
    expect(parse(yaml)).toEqual({
      target: 'https://sandbox.example.com/payments',
      areas: ['orders', 'webhooks'],
      merchants: {
        default: { merchantId: 'M-1', apiKey: 'k', apiSecret: 's' },
        lowBalance: { merchantId: 'M-2', apiKey: 'k2', apiSecret: 's2' },
      },
      fixtures: { paidOrders: ['ord-1'] },
      control: { url: 'https://sandbox.example.com/sandbox/v1', token: 't' },
      webhooks: { listen: '[::]:8443', url: 'https://hooks.example.com/a' },
      'open-points': { 'orders-query-id': 'both' },
      limits: {
        allowHosts: ['sandbox.example.com', '10.0.0.1', '::1'],
        maxOrders: 0,
        maxAmount: '10.00',
        requestsPerSecond: 0.5,
      },
      timing: { settleMs: 500, webhookMs: 20_000 },
    });
  });

  it('may have keys without a value, which count as left out', () => {
    expect(parse('limits:\ntiming: { settleMs: }\n')).toEqual({ timing: {} });
  });

  it('names files from where it stands itself', () => {
    const folder = mkdtempSync(join(tmpdir(), 'assay-configuration-'));
    afterAll(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'assay.yaml');
    writeFileSync(
      file,
      'baseline: known.yaml\ntls: { ca: tls/ca.pem }\nwebhooks: { cert: /etc/a.pem, key: a.key, listen: "a:1" }\n',
    );
    expect(readConfiguration(file, {})).toEqual({
      baseline: join(folder, 'known.yaml'),
      tls: { ca: join(folder, 'tls/ca.pem') },
      webhooks: { cert: '/etc/a.pem', key: join(folder, 'a.key'), listen: 'a:1' },
    });
  });

  it('takes values from the environment after parsing, so that they cannot become structure', () => {
    const hostile = 'x, url: http://elsewhere.example';
    expect(parse('control: { token: "${TOKEN}" }', { TOKEN: hostile })).toEqual({ control: { token: hostile } });
  });

  it.each([
    ['a misspelt key', 'tarket: http://a.example', 'did you mean target?'],
    ['a key that is like none', 'zzzzz: 1', 'it can be target, suite, areas'],
    ['a misspelt key inside', 'control: { tokn: x }', 'did you mean token?'],
    ['a misspelt open point', 'open-points: { checkout-repat: same-terms }', 'did you mean checkout-repeat?'],
    ['a value that an open point does not have', 'open-points: { orders-query-id: maybe }', 'must be one of both,'],
    ['a value without its quotes', 'open-points: { checkout-http-status: 200 }', 'write it as text, in quotes'],
    ['an area that there is not', 'areas: [order]', 'did you mean orders?'],
    ['a list of no areas', 'areas: []', 'areas is an empty list; name at least one entry, or leave the key out'],
    ['an area that is no list', 'areas: orders', 'areas must be a list, such as [orders, refunds]'],
    ['a role that there is not', 'merchants: { defalt: {} }', 'did you mean default?'],
    ['a merchant without its secret', 'merchants: { default: { merchantId: M, apiKey: k } }', 'apiSecret'],
    ['a target that is no address', 'target: sandbox', 'must be an http or https address'],
    ['a target with a password', 'target: https://me:canary@a.example', 'without user, query or fragment'],
    ['an amount that is a number', 'limits: { maxAmount: 10.00 }', 'limits.maxAmount must be decimal text in quotes'],
    ['an amount with a sign', 'limits: { maxAmount: "-1" }', 'limits.maxAmount must be decimal text'],
    ['a count that is none', 'limits: { maxOrders: -1 }', 'limits.maxOrders must be a whole number from 0 up'],
    ['a rate of nothing', 'limits: { requestsPerSecond: 0 }', 'must be a number above 0'],
    ['a host with a scheme', 'limits: { allowHosts: ["https://a.example"] }', 'a host alone, without scheme and port'],
    ['a place to listen without a port', 'webhooks: { listen: 0.0.0.0 }', 'such as 0.0.0.0:8443'],
    ['a certificate without its key', 'tls: { cert: a.pem }', 'tls has cert and lacks key'],
    ['a key without its certificate', 'webhooks: { key: a.pem }', 'webhooks has key and lacks cert'],
    ['an environment variable that is not set', 'target: "${NOWHERE}"', 'the environment has no NOWHERE'],
    ['what is no YAML', 'target: [', 'assay.yaml'],
    [
      'a variable without quotes within braces',
      'control: { token: ${TOKEN} }',
      'at line 1, column 20; put ${…} in quotes where it stands within { }',
    ],
    ['an area that is no text', 'areas: [orders, [refunds]]', 'areas entry 2 must be'],
    ['a list', '- target', 'must be a map with keys of its own'],
  ])('refuses %s and says how to mend it', (_what, yaml, message) => {
    expect(() => parse(yaml)).toThrow(UsageError);
    expect(() => parse(yaml)).toThrow(message);
  });

  it.each([
    'merchants: { default: { merchantId: M, apiKey: k, apiSecret: [canary-secret] } }',
    'control: { token: canary-secret',
    'target: https://me:canary-secret@a.example',
  ])('never repeats a value, which may be a secret: %s', (yaml) => {
    expect(() => parse(yaml)).toThrow(/^(?!.*canary-secret)/s);
  });
});

describe('a place to listen', () => {
  it.each([
    ['0.0.0.0:8443', { host: '0.0.0.0', port: 8443 }],
    ['[::1]:0', { host: '::1', port: 0 }],
  ])('may be %s', (text, place) => {
    expect(listenPlace(text)).toEqual(place);
  });

  it.each(['8443', ':8443', 'a:70000'])('is not %s', (text) => {
    expect(() => listenPlace(text)).toThrow(UsageError);
  });
});
