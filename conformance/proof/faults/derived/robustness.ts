import type { RequirementId } from '../../../../generated/catalogue.ts';
import { successCode } from '../../../contract/success-code.ts';
import { isOf, jsonAnswer, onlyFor, refusal } from '../../stand/changes.ts';
import type { Fault, Make } from '../../stand/fault.ts';
import { isNoObject, mendingBodies } from '../../stand/lenient-json.ts';
import type { ProxyAnswer, ProxyRequest, ServerBehind } from '../../stand/proxy.ts';

const creates = [
  { operation: 'orders.create', slug: 'order', envelope: 'orders.envelope.failure', refused: 'orders.errors.refused' },
  {
    operation: 'refunds.create',
    slug: 'refund',
    envelope: 'refunds.envelope.failure',
    refused: 'refunds.errors.refused',
  },
  {
    operation: 'refunds.batch-query',
    slug: 'batch-query',
    envelope: 'refunds.envelope.failure',
    refused: 'refunds.errors.refused',
  },
  {
    operation: 'checkout.create',
    slug: 'checkout-order',
    envelope: 'checkout.envelope.failure',
    refused: 'checkout.errors.refused',
  },
] as const satisfies readonly { operation: string; slug: string; envelope: RequirementId; refused: RequirementId }[];

const crash: ProxyAnswer = {
  status: 500,
  headers: { 'content-type': 'text/html' },
  body: Buffer.from('<h1>Internal Server Error</h1><pre>SyntaxError: Unexpected end of JSON input</pre>'),
};

/** A server that answers a request that it cannot parse with the error page of its framework. */
const crashing: readonly Fault[] = creates.map(({ operation, slug, envelope }) => ({
  id: `unreadable-${slug}-crashes`,
  title: `Shows the error page of its framework when the body of ${operation} is no JSON object.`,
  breaks: envelope,
  caughtBy: `${operation}.hostile-bytes`,
  make: {
    merchantApi: onlyFor(
      (request) => isOf(operation)(request) && isNoObject(request),
      async () => crash,
    ),
  },
}));

/** A server that completes truncated bodies and processes them. */
const mending: readonly Fault[] = [
  {
    id: 'cut-off-body-mended',
    title: 'Mends JSON that breaks off, and makes the order.',
    breaks: 'orders.errors.refused',
    caughtBy: 'orders.create.hostile-bytes',
    make: mendingBodies(isOf('orders.create'), (text) => `${text}}`),
  },
];

/** A server that fails every request to one operation after a request for which `hurts` is true. */
function dyingOf(operation: string, hurts: (request: ProxyRequest) => boolean): Make {
  const hurtServers = new WeakSet<ServerBehind>();
  return {
    merchantApi: onlyFor(isOf(operation), async (request, server) => {
      if (hurtServers.has(server)) return refusal(request, '99999', 'the service failed');
      if (hurts(request)) hurtServers.add(server);
      return server.forward(request);
    }),
  };
}

const isDeep = ({ body }: ProxyRequest) => body.length > 10_000 && body.subarray(0, 5).toString() === '[[[[[';
const hasNul = ({ target }: ProxyRequest) => target.includes('%00');

const lettersIn = (header: string) => (request: ProxyRequest) => /[^\x20-\x7e]/.test(request.headers[header] ?? '');

/** Conditions of headers under which one operation each fails: its framework expects letters, numbers or lengths that a stranger need not send. */
const failingAtHeaders: readonly Fault[] = (
  [
    ['orders.create', 'a signature with letters beyond ASCII', lettersIn('x-signature')],
    ['orders.query', 'a timestamp that is no number', ({ headers }) => headers['x-timestamp'] === 'NaN'],
    ['refunds.create', 'a signature with letters beyond ASCII', lettersIn('x-signature')],
    ['refunds.query', 'a key with letters beyond ASCII', lettersIn('x-api-key')],
    ['refunds.batch-query', 'a timestamp of 400 digits', ({ headers }) => headers['x-timestamp']?.length === 400],
    ['checkout.payment-methods', 'a timestamp with letters beyond ASCII', lettersIn('x-timestamp')],
    [
      'checkout.create',
      'a signature of thousands of letters',
      ({ headers }) => Number(headers['x-signature']?.length) > 999,
    ],
    ['checkout.query', 'a signature that is no Base64', ({ headers }) => headers['x-signature'] === '%'],
  ] as const satisfies readonly [string, string, (request: ProxyRequest) => boolean][]
).map(([operation, what, applies]) => ({
  id: `headers-crash-${operation.replace('.', '-')}`,
  title: `Shows the error page of its framework when ${operation} has ${what}.`,
  breaks: 'auth.required',
  caughtBy: `${operation}.hostile-headers`,
  make: {
    merchantApi: onlyFor(
      (request) => isOf(operation)(request) && applies(request),
      async () => crash,
    ),
  },
}));

const dying: readonly Fault[] = [
  {
    id: 'deep-body-kills',
    title: 'Takes nothing any more after a body with ten thousand lists within each other.',
    breaks: 'checkout.create.accepted',
    caughtBy: 'checkout.create.hostile-bytes',
    make: dyingOf('checkout.create', isDeep),
  },
  {
    id: 'nul-in-path-kills',
    title: 'Takes nothing any more after a path with a NUL byte.',
    breaks: 'orders.create.accepted',
    caughtBy: 'orders.create.hostile-address',
    make: dyingOf('orders.create', hasNul),
  },
];

/** A server that answers a query for an unreadable id with a success. */
const showingAnyway = (operation: string, title: string, requirement: RequirementId): Fault => ({
  id: `unreadable-address-of-${operation.replace('.', '-')}-found`,
  title,
  breaks: requirement,
  caughtBy: `${operation}.hostile-address`,
  make: {
    merchantApi: onlyFor(
      (request) => isOf(operation)(request) && /%E0%A4%A/.test(request.target),
      async () => jsonAnswer({ code: successCode, message: 'Success', data: {} }),
    ),
  },
});

const finding: readonly Fault[] = [
  showingAnyway('orders.query', 'Finds an order for an id whose encoding is broken.', 'orders.query.malformed-id'),
  showingAnyway(
    'checkout.query',
    'Finds a checkout order for an id whose encoding is broken.',
    'checkout.query.malformed-id',
  ),
  showingAnyway('refunds.query', 'Finds a refund for an id whose encoding is broken.', 'refunds.query.malformed-id'),
  showingAnyway(
    'checkout.payment-methods',
    'Lists payment methods for a merchant whose encoding is broken.',
    'checkout.errors.refused',
  ),
];

/** A server that fails at a body with a byte order mark in front, in words of its own. */
const failingAtMark: Fault = {
  id: 'byte-order-mark-fails',
  title: 'Fails with HTTP 500 at the body of a refund with a byte order mark.',
  breaks: 'refunds.envelope.failure',
  caughtBy: 'refunds.create.hostile-bytes',
  make: {
    merchantApi: onlyFor(
      (request) => isOf('refunds.create')(request) && request.body.toString().startsWith('\uFEFF'),
      async () => ({ ...jsonAnswer({ code: '99999', message: 'The service failed.', data: null }), status: 500 }),
    ),
  },
};

/** Wrong servers that mishandle hostile requests. */
export const robustnessFaults: readonly Fault[] = [
  ...crashing,
  ...mending,
  ...failingAtHeaders,
  ...dying,
  ...finding,
  failingAtMark,
];
