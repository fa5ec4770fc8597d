import { openPoints } from '../../generated/catalogue.ts';
import { needNames } from '../check/needs.ts';
import { suiteVersions } from '../checks/check-ids.ts';
import { scopeAreas } from './scope.ts';

// An error takes its words from `description`: the value must be that.

const text = { type: 'string', minLength: 1, description: 'text' };
const file = { ...text, description: 'the path of a file' };
const address = {
  type: 'string',
  format: 'address',
  pattern: '^https?://[^/?#@\\s]+(/[^?#\\s]*)?$',
  description: 'an http or https address without user, query or fragment',
};
const wholeNumber = { type: 'integer', minimum: 0, maximum: 2 ** 31 - 1, description: 'a whole number from 0 up' };

function list(items: object, example: string) {
  return { type: 'array', items, description: `a list, such as [${example}]` };
}

function keys(properties: Record<string, object>, rules: object = {}) {
  return {
    type: 'object',
    additionalProperties: false,
    properties,
    description: 'a map with keys of its own',
    ...rules,
  };
}

/** A version without quotes is a number in YAML. From 0.10 on it must be in quotes, because the number is that of 0.1. */
const suiteVersion = {
  enum: [...suiteVersions, ...suiteVersions.map(Number)],
  description: `a version of the suite, ${suiteVersions.map((version) => `"${version}"`).join(' or ')}`,
};

const certificate = { cert: file, key: file };
/** A certificate and its key are given together. */
const together = { dependentRequired: { cert: ['key'], key: ['cert'] } };
const credentials = keys(
  { merchantId: text, apiKey: text, apiSecret: text },
  { required: ['merchantId', 'apiKey', 'apiSecret'] },
);

/** The JSON Schema of a configuration file. */
export const configurationSchema = keys({
  target: address,
  suite: suiteVersion,
  // With no area at all, a run would judge nothing.
  areas: { ...list({ enum: scopeAreas }, 'orders, refunds'), minItems: 1 },
  without: list({ enum: needNames }, 'order-events, clock'),
  merchants: keys({ default: credentials, other: credentials, checkoutDisabled: credentials, lowBalance: credentials }),
  fixtures: keys({ paidOrders: list(text, 'ord-1, ord-2') }),
  control: keys({ url: address, token: text }),
  webhooks: keys(
    {
      listen: {
        type: 'string',
        pattern: '^\\S+:[0-9]{1,5}$',
        description: 'a host and a port to listen on, such as 0.0.0.0:8443',
      },
      url: address,
      ...certificate,
    },
    together,
  ),
  tls: keys({ ca: file, ...certificate }, together),
  'open-points': keys(Object.fromEntries(openPoints.map(({ id, values }) => [id, { enum: Object.keys(values) }]))),
  limits: keys({
    allowHosts: list(
      {
        type: 'string',
        pattern: '^([^/:?#@\\s]+|[0-9a-fA-F:.]+)$',
        description: 'a host alone, without scheme and port',
      },
      'sandbox.example.com',
    ),
    maxOrders: wholeNumber,
    maxAmount: {
      type: 'string',
      pattern: '^[0-9]+(\\.[0-9]+)?$',
      description: 'decimal text in quotes, such as "10.00"',
    },
    requestsPerSecond: { type: 'number', exclusiveMinimum: 0, minimum: 0.001, description: 'a number above 0' },
  }),
  timing: keys({ settleMs: wholeNumber, webhookMs: wholeNumber }),
  baseline: file,
});
