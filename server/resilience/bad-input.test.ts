import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { constraints } from '../../generated/catalogue.ts';
import { contract } from '../../generated/contract.ts';
import { newPostgresDatabase } from '../storage/testing/postgres.ts';
import { orderOf } from '../tests/support/contract.ts';
import { type Answer, send } from '../tests/support/http.ts';
import {
  type MerchantClient,
  merchantClient,
  newMerchant,
  newOrderId,
  orderEvent,
  startTestServer,
  type TestServer,
} from '../tests/support/server.ts';
import { openDatabase, readContents } from './testing/contents.ts';

type Post = 'orders.create' | 'checkout.create' | 'refunds.create' | 'refunds.batch-query';
type Failure = 'OrderFailure' | 'CheckoutFailure' | 'RefundFailure';

/** The POST operations: path, schema of failures, and the HTTP statuses that a refusal may have. */
const posts: Record<Post, { path: string; failure: Failure; refusals: readonly number[] }> = {
  'orders.create': { path: '/orders', failure: 'OrderFailure', refusals: [200] },
  'checkout.create': { path: '/checkout/orders', failure: 'CheckoutFailure', refusals: [200, 401] },
  'refunds.create': { path: '/refunds', failure: 'RefundFailure', refusals: [400, 401, 404] },
  'refunds.batch-query': { path: '/refunds/batch-query', failure: 'RefundFailure', refusals: [400, 401, 404] },
};
const operations: readonly Post[] = ['orders.create', 'checkout.create', 'refunds.create', 'refunds.batch-query'];

const ajv = new Ajv2020({ strict: false, formats: { ...fullFormats, int64: true } }).addSchema(contract, 'contract');
const failureSchema = (name: Failure) => ajv.compile({ $ref: `contract#/components/schemas/${name}` });
const failures = {
  OrderFailure: failureSchema('OrderFailure'),
  CheckoutFailure: failureSchema('CheckoutFailure'),
  RefundFailure: failureSchema('RefundFailure'),
};

/** JSON texts that are wrong in most places, keyed by a description. */
const wrongValues: Record<string, string> = {
  null: 'null',
  true: 'true',
  zero: '0',
  'minus one': '-1',
  'a fraction': '1.5',
  'an exponent': '1E2',
  'more than a double holds': '1e400',
  'less than a double holds': '1e-400',
  'a number of 400 digits': '9'.repeat(400),
  'minus zero': '-0',
  'empty text': '""',
  'a letter': '"x"',
  'a space': '" "',
  NUL: String.raw`"id\u0000-0123456789abcdef"`,
  'a lone high surrogate': String.raw`"id\ud800-0123456789abcdef"`,
  'a lone low surrogate': String.raw`"id\udc00-0123456789abcdef"`,
  'text of 20,000 characters': `"${'a1'.repeat(10_000)}"`,
  // All characters differ, so that no database can compress the text.
  '512 characters of three bytes': JSON.stringify(
    Array.from({ length: 512 }, (_, index) => String.fromCharCode(0x4e00 + ((index * 7919) % 20_000))).join(''),
  ),
  'a URL of 20,000 characters': `"https://shop.example/${'a'.repeat(20_000)}"`,
  'an amount of 20,000 digits': `"${'9'.repeat(20_000)}"`,
  'an amount of 20,000 places': `"0.${'0'.repeat(20_000)}1"`,
  'an amount with an exponent': '"1e3"',
  'a negative amount': '"-1"',
  'a date that is none': '"2026-02-30T00:00:00Z"',
  'a far date': '"9999-12-31T23:59:60-23:59"',
  '__proto__ as text': '"__proto__"',
  'constructor as text': '"constructor"',
  'an empty object': '{}',
  'an object with __proto__': '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
  'an empty array': '[]',
  'an array of null': '[null]',
  'an array of arrays': '[[[]]]',
  'an array 10,000 deep': '['.repeat(10_000) + ']'.repeat(10_000),
  'an object 10,000 deep': `${'{"a":'.repeat(10_000)}null${'}'.repeat(10_000)}`,
  'JSON text 2,000 deep': JSON.stringify('['.repeat(2000) + ']'.repeat(2000)),
};

/** The wrong values that the database, rather than the server, may fail on. */
const hardToStore = Object.entries(wrongValues).filter(([what]) => /NUL|surrogate|characters|digits|places/.test(what));

/** Marks a place in a body that raw JSON text then replaces. */
const place = '@place@';

let directory: string;
let inputs = 0;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'assay-bad-input-'));
});

afterAll(async () => {
  await rm(directory, { recursive: true });
});

/** A server with a merchant and a paid order, and the functions that judge the server. */
async function subject(database: string) {
  const server: TestServer = await startTestServer({ database });
  const merchant: MerchantClient = merchantClient(server, await newMerchant(server));
  const db = openDatabase(database);
  const base = `/api/v1/merchants/${merchant.merchantId}`;
  const paid = await merchant.create();
  await orderEvent(server, paid, { type: 'transaction_detected' });
  await orderEvent(server, paid, { type: 'payment_confirmed' });
  const { ledger } = await db.selectFrom('merchants').select('ledger').executeTakeFirstOrThrow();
  const state = async () => JSON.stringify(await readContents(db));
  const initial = await state();

  /** A valid body of the operation with every field of the contract. */
  function whole(operation: Post): Record<string, unknown> {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const common = {
      merchantOrderId: newOrderId(),
      orderAmount: { value: '10', currency: 'USDT' },
      expiresAt,
      callbackUrl: 'https://shop.example/callback',
      customerIp: '192.0.2.1',
      userAgent: 'browser',
      description: 'tea',
      metadata: '{}',
    };
    const customer = { customerId: 'c', email: 'c@shop.example', name: 'C' };
    const item = { name: 'tea', quantity: 1 };
    switch (operation) {
      case 'orders.create':
        return {
          ...common,
          returnUrl: 'https://shop.example/return',
          paymentMethodConfig: {
            allowedPaymentMethodTypes: ['EXCHANGE_TRANSFER'],
            allowedPaymentMethods: ['EXCHANGE_ONE'],
          },
          customer: { ...customer, phone: '1' },
          items: [
            { ...item, amount: { value: '1', currency: 'USDT' }, description: 'green', imageUrl: 'https://x.example' },
          ],
          subMerchants: [{ subMerchantId: 's', name: 'S', amount: '10', mcc: '5411', settlementRatio: '0.5' }],
        };
      case 'checkout.create':
        return {
          ...common,
          paymentMethodType: 'ON_CHAIN_TRANSFER',
          network: 'tron',
          customer,
          items: [{ ...item, price: '1', currency: 'USDT' }],
        };
      case 'refunds.create':
        return {
          merchantRefundOrderId: newOrderId(),
          acquiringOrderId: paid.orderId,
          refundReason: 'cold tea',
          notifyUrl: 'https://shop.example/notify',
          extraData: '{}',
        };
      case 'refunds.batch-query':
        return { merchantRefundOrderIds: ['a', 'b'] };
    }
  }

  /** Fails unless the answer is either the area's refusal, with the state unchanged, or its success. */
  async function judge(what: string, operation: Post, answer: Answer): Promise<'accepted' | 'refused'> {
    inputs += 1;
    const { failure, refusals } = posts[operation];
    const { code } = answer.body as { code: string };
    const shown = `${operation}, ${what}: ${answer.status} ${answer.text.slice(0, 300)}`;
    expect(answer.contentType, shown).toMatch(/^application\/json/);
    expect(['99999', 'SYSTEM_ERROR'], shown).not.toContain(code);
    if (code === '00000') {
      expect(answer.status, shown).toBe(200);
      await forget();
      return 'accepted';
    }
    expect(refusals, shown).toContain(answer.status);
    const fits = failures[failure];
    expect(fits(answer.body), `${shown} ${ajv.errorsText(fits.errors)}`).toBe(true);
    expect((await state()) === initial, `${shown}: changed the state`).toBe(true);
    return 'refused';
  }

  /** Deletes accepted records directly in the database, so that every input meets the same state. */
  async function forget(): Promise<void> {
    await db.deleteFrom('refunds').execute();
    await db.deleteFrom('orders').where('order_id', '!=', paid.orderId).execute();
    await db.updateTable('merchants').set({ ledger }).execute();
  }

  async function post(what: string, operation: Post, body: string | Buffer, headers: Record<string, string> = {}) {
    const target = base + posts[operation].path;
    return judge(what, operation, await merchant.request('POST', target, body, { headers }));
  }

  async function get(what: string, operation: Post, target: string) {
    return judge(what, operation, await merchant.request('GET', target));
  }

  return {
    server,
    merchant,
    base,
    whole,
    post,
    get,
    judge,
    async close() {
      orderOf(await merchant.post(merchant.body()));
      expect(Reflect.get({}, 'polluted')).toBeUndefined();
      expect(server.logged).toEqual([]);
      await db.destroy();
      await server.close();
    },
  };
}

type Subject = Awaited<ReturnType<typeof subject>>;

/** The fields of an operation's body, each as the path of steps to it. */
function fieldsOf(operation: Post): (readonly string[])[] {
  const own = constraints.filter((each) => each.operation === operation && each.in === 'body' && each.path.length > 0);
  return [...new Map(own.map(({ path }) => [path.join('/'), path])).values()];
}

/** Raw JSON text of a body with another value at a place. The place must exist in the body. */
function bodyWith(body: Record<string, unknown>, path: readonly string[], json: string): string {
  const copy: unknown = structuredClone(body);
  let holder = copy;
  for (const [index, name] of path.entries()) {
    const key = name === '*' ? '0' : name;
    if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, key)) {
      throw new Error(`the whole body has no ${path.join('.')}; add it`);
    }
    if (index === path.length - 1) Reflect.set(holder, key, place);
    else holder = Reflect.get(holder, key);
  }
  return JSON.stringify(copy).replace(JSON.stringify(place), () => json);
}

function without(body: Record<string, unknown>, path: readonly string[]): string {
  const copy = JSON.parse(bodyWith(body, path, JSON.stringify(place)));
  const drop = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.filter((each) => each !== place).map(drop);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, each]) => (each === place ? [] : [[key, drop(each)]])),
    );
  };
  return JSON.stringify(drop(copy));
}

const databases: [string, () => Promise<string>, [string, string][]][] = [
  ['SQLite', async () => join(directory, 'assay.sqlite'), Object.entries(wrongValues)],
  ['PostgreSQL', newPostgresDatabase, hardToStore],
];

describe.each(databases)('on %s', (_, newDatabase, values) => {
  let at: Subject;

  beforeAll(async () => {
    at = await subject(await newDatabase());
  });

  afterAll(() => at.close());

  test.each(operations)('%s takes its whole body, and an id of ordinary length', async (operation) => {
    expect(await at.post('whole', operation, JSON.stringify(at.whole(operation)))).toBe('accepted');
  });

  test.each(operations)('%s with a wrong value at each field', async (operation) => {
    for (const path of fieldsOf(operation)) {
      for (const [what, json] of values) {
        await at.post(`${path.join('.')} ${what}`, operation, bodyWith(at.whole(operation), path, json));
      }
      await at.post(`${path.join('.')} left out`, operation, without(at.whole(operation), path));
    }
  });

  test.each(operations)('%s with a body that is none', async (operation) => {
    const right = JSON.stringify(at.whole(operation));
    const refused: Record<string, string | Buffer> = {
      ...wrongValues,
      'no body': '',
      'cut short': right.slice(0, -1),
      'too long': `${right}}`,
      'a trailing comma': right.replace(/}$/, ',}'),
      'single quotes': right.replaceAll('"', "'"),
      'a comment': `/**/${right}`,
      NaN: '{"merchantOrderId":NaN}',
      'a byte order mark of UTF-16': Buffer.from(`\ufeff${right}`, 'utf16le'),
      'an invalid byte': Buffer.concat([
        Buffer.from(right.slice(0, 3)),
        Buffer.from([0xff]),
        Buffer.from(right.slice(3)),
      ]),
      'an overlong form': Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')]),
      'a surrogate as bytes': Buffer.concat([
        Buffer.from('{"a":"'),
        Buffer.from([0xed, 0xa0, 0x80]),
        Buffer.from('"}'),
      ]),
      'a raw NUL': right.replace('{', '{\0'),
      'a raw control character in text': right.replace('{"', '{"\u0001'),
      '5 MB of JSON': right.replace(/}$/, `,"more":"${'a'.repeat(5_000_000)}"}`),
      '5 MB of brackets': '['.repeat(5_000_000),
    };
    for (const [what, body] of Object.entries(refused)) {
      expect(await at.post(what, operation, body), what).toBe('refused');
    }
    expect(await at.post('compressed', operation, gzipSync(right), { 'Content-Encoding': 'gzip' })).toBe('refused');
    for (const type of [
      'text/plain',
      'application/json; charset=utf-16',
      'application/x-www-form-urlencoded',
      ';;;',
      '',
    ]) {
      await at.post(`Content-Type ${type}`, operation, JSON.stringify(at.whole(operation)), { 'Content-Type': type });
    }
  });

  test.each(operations)('%s with keys that nobody names', async (operation) => {
    const added: Record<string, string> = {
      __proto__: '"__proto__":{"polluted":true}',
      'constructor.prototype': '"constructor":{"prototype":{"polluted":true}}',
      'prototype as text': '"prototype":"polluted","toString":null,"hasOwnProperty":1,"valueOf":"x"',
      'an array 10,000 deep': `"unknown":${'['.repeat(10_000)}${']'.repeat(10_000)}`,
      'an object 10,000 deep': `"unknown":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
      '__proto__ 10,000 deep': `"unknown":${'{"__proto__":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
      'NUL and a surrogate in a key': String.raw`"a\u0000\ud800":1`,
      'an empty key': '"":""',
      '20,000 keys': Array.from({ length: 20_000 }, (_each, index) => `"k${index}":${index}`).join(),
    };
    for (const [what, json] of Object.entries(added)) {
      const body = JSON.stringify(at.whole(operation)).replace(/^{/, () => `{${json},`);
      expect(await at.post(what, operation, body), what).toBe('accepted');
    }
    const [[first = ''] = []] = fieldsOf(operation);
    const twice = JSON.stringify(at.whole(operation)).replace(/^{/, () => `{${JSON.stringify(first)}:1,`);
    await at.post('a field twice, right at last', operation, twice);
    const wrongLast = JSON.stringify(at.whole(operation)).replace(/}$/, () => `,${JSON.stringify(first)}:1}`);
    expect(await at.post('a field twice, wrong at last', operation, wrongLast)).toBe('refused');
  });

  test('ids in paths', async () => {
    const ids = [
      ...[
        '%',
        '%%',
        '%2',
        '%zz',
        '%E0%A4%A',
        '%ff',
        '%ED%A0%80',
        '%C0%AF',
        '%00',
        'id%00-0123456789abcdef',
        '%0A',
        '%20',
      ],
      ...['..', '.', '%2e%2e', '%2F', '..%2f..%2f..%2fetc', '%5c', "'%3B--", '__proto__', 'constructor', 'toString'],
      ...['a'.repeat(10_000), '%F0%9F%8D%B5'.repeat(300), 'ord.', '-', ';', '@', ':', '{id}', '*', '[', '|'],
    ];
    for (const id of ids) {
      expect(await at.get(id.slice(0, 40), 'orders.create', `${at.base}/orders/${id}`)).toBe('refused');
      expect(await at.get(id.slice(0, 40), 'checkout.create', `${at.base}/checkout/orders/${id}`)).toBe('refused');
      for (const operation of ['orders.create', 'checkout.create', 'refunds.create'] as const) {
        if (id === '.' || id === '..') continue;
        const target = `/api/v1/merchants/${id}${posts[operation].path}`;
        expect(await at.get(`merchant ${id.slice(0, 40)}`, operation, target)).toBe('refused');
        const body = JSON.stringify(at.whole(operation));
        const answer = await at.merchant.request('POST', target, body);
        expect(await at.judge(`merchant ${id.slice(0, 40)}`, operation, answer)).toBe('refused');
      }
    }
  });

  test('queries of refunds', async () => {
    const keys = ['refundOrderId', 'merchantRefundOrderId', 'acquiringOrderId'];
    const values = [
      '',
      '%',
      '%zz',
      '%00',
      '%ff',
      '%ED%A0%80',
      'x',
      '__proto__',
      'a'.repeat(10_000),
      '%F0%9F%8D%B5'.repeat(300),
    ];
    const queries = [
      '',
      '?',
      '?&&&',
      '?=',
      '?__proto__=1',
      '?__proto__[polluted]=true',
      '?constructor[prototype][polluted]=true',
      `?${'a&'.repeat(5000)}`,
      `?${'a[b]'.repeat(2000)}=1`,
      ...keys.flatMap((key) => [
        ...values.map((value) => `?${key}=${value}`),
        ...[`?${key}`, `?${key}=a&${key}=b`, `?${key}[]=a`, `?${key}[a]=b`, `?${key}[__proto__]=b`, `?${key}.a=b`],
      ]),
    ];
    for (const query of queries) {
      expect(await at.get(query.slice(0, 60), 'refunds.create', `${at.base}/refunds${query}`)).toBe('refused');
    }
  });

  test('headers', async () => {
    const wrong = [
      '',
      'x',
      '0',
      '-1',
      '1e12',
      '9'.repeat(400),
      'NaN',
      '__proto__',
      "'; --",
      'é\u0080',
      'a'.repeat(10_000),
    ];
    for (const name of ['X-Timestamp', 'X-Api-Key', 'X-Signature']) {
      for (const value of wrong) {
        for (const operation of operations) {
          const body = JSON.stringify(at.whole(operation));
          // An empty header counts as absent, and checkout operations need no key (open point `checkout-api-key`).
          const expected =
            operation === 'checkout.create' && name === 'X-Api-Key' && value === '' ? 'accepted' : 'refused';
          const what = `${name}: ${value.slice(0, 20)}`;
          expect(await at.post(what, operation, body, { [name]: value }), `${operation} ${what}`).toBe(expected);
        }
      }
    }
  });

  test('a path that no header can hold is refused before the contract', async () => {
    const answer = await send(at.server.url, { method: 'GET', target: `${at.base}/orders/${'a'.repeat(100_000)}` });
    expect(answer.status).toBe(431);
  });
});

afterAll(() => console.info(`${inputs} inputs tried`));
