import { createHash, createHmac, randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { type SignatureMistakeCode, signatureMistakes } from '../../generated/catalogue.ts';
import { failureOf, type OrderView, orderOf } from './support/contract.ts';
import type { Answer } from './support/http.ts';
import { merchantClient, newMerchant, newOrderId, startTestServer, stoppedClock } from './support/server.ts';
import { sharedServer } from './support/shared-server.ts';
import { type Credentials, signedHeaders } from './support/signing.ts';

const noon = Date.parse('2026-06-01T12:00:00.000Z');
const window = 5 * 60 * 1000;
const clock = stoppedClock(noon);
const codes = { signature: '90001', timestamp: '90002', key: '90003' };

const server = await sharedServer({ clock: clock.read });
const merchant = merchantClient(server, await newMerchant(server));
const other = merchantClient(server, await newMerchant(server));
let order: OrderView;

beforeEach(async () => {
  clock.set(noon);
  order = await merchant.create();
});

const now = () => String(clock.read());
const hashOf = (text: string) => createHash('sha256').update(text).digest('base64');

/** A key of a merchant that nobody was given by the control API. */
async function givenKey(merchantId: string, endsAt: number | null): Promise<Credentials> {
  const key = {
    merchantId,
    apiKey: `ak_${randomBytes(8).toString('hex')}`,
    apiSecret: randomBytes(16).toString('hex'),
  };
  await server.storage.transaction((records) => records.insertApiKey({ ...key, createdAt: clock.read(), endsAt }));
  return key;
}

test('a request signed as the contract says is accepted, on both operations', async () => {
  orderOf(await merchant.post(merchant.body()));
  orderOf(await merchant.get(order.orderId));
});

test('header names are taken in any case', async () => {
  const right = signedHeaders(merchant, {
    method: 'GET',
    target: `${merchant.ordersPath}/${order.orderId}`,
    timestamp: now(),
  });
  const leaveOut = Object.fromEntries(Object.keys(right).map((name) => [name, undefined]));
  const lower = Object.fromEntries(Object.entries(right).map(([name, value]) => [name.toLowerCase(), value]));
  orderOf(await merchant.get(order.orderId, { headers: { ...leaveOut, ...lower } }));
});

describe('a header', () => {
  const headers = [
    ['X-Api-Key', codes.key],
    ['X-Timestamp', codes.timestamp],
    ['X-Signature', codes.signature],
  ] as const;

  /** Sends a right create with one header changed; fails when it makes an order. */
  async function refused(change: (right: string) => string | string[] | undefined, name: string): Promise<string> {
    const body = JSON.stringify(merchant.body());
    const { merchantOrderId } = merchant.body();
    const right = signedHeaders(merchant, { method: 'POST', target: merchant.ordersPath, body, timestamp: now() });
    const failure = failureOf(await merchant.post(body, { headers: { [name]: change(right[name] ?? '') } }));
    expect(failure.data.merchantId).toBe(merchant.merchantId);
    expect(failureOf(await merchant.get(merchantOrderId)).code).toBe('40001');
    return failure.code;
  }

  test.each(headers)('%s that is missing is refused', async (name, code) => {
    expect(await refused(() => undefined, name)).toBe(code);
  });

  test.each(headers)('%s that is empty is refused', async (name, code) => {
    expect(await refused(() => '', name)).toBe(code);
  });

  test.each(headers)('%s that is sent twice is refused, even twice the same', async (name, code) => {
    expect(await refused((right) => [right, right], name)).toBe(code);
    expect(await refused((right) => [right, 'x'], name)).toBe(code);
  });
});

describe('X-Timestamp', () => {
  test.each([
    ['now', 0],
    ['5 minutes old', -window],
    ['5 minutes ahead', window],
  ])('%s is accepted', async (_, offset) => {
    orderOf(await merchant.get(order.orderId, { timestamp: String(noon + offset) }));
  });

  test.each([
    ['a millisecond older than 5 minutes', -window - 1],
    ['a millisecond more than 5 minutes ahead', window + 1],
    ['a day old', -86_400_000],
  ])('%s is refused', async (_, offset) => {
    expect(failureOf(await merchant.get(order.orderId, { timestamp: String(noon + offset) })).code).toBe(
      codes.timestamp,
    );
  });

  test.each([
    ['in seconds', String(noon / 1000)],
    ['with a fraction', `${noon}.0`],
    ['of 14 digits', `0${noon}`],
    ['with a sign', `+${noon}`],
    ['in hexadecimal', `0x${noon.toString(16)}`],
    ['as a date', new Date(noon).toISOString()],
  ])('%s is refused', async (_, timestamp) => {
    expect(failureOf(await merchant.get(order.orderId, { timestamp })).code).toBe(codes.timestamp);
  });

  test("is judged by the server's clock, not by the merchant's business clock", async () => {
    await server.storage.transaction(async (records) => {
      const locked = await records.lockMerchant(merchant.merchantId);
      if (locked) await records.updateMerchant({ ...locked, clockOffset: locked.clockOffset + 600_000 });
    });
    orderOf(await merchant.get(order.orderId, { timestamp: now() }));
    expect(failureOf(await merchant.get(order.orderId, { timestamp: String(noon + 600_000) })).code).toBe(
      codes.timestamp,
    );
  });
});

describe('X-Signature', () => {
  /** A request whose signature was made over something else. */
  async function signedOver(
    change: { method?: string; target?: string; body?: string; timestamp?: string; apiSecret?: string },
    request: { method: 'GET' | 'POST'; target?: string; body?: string } = { method: 'GET' },
  ): Promise<Answer> {
    const { method, body } = request;
    const target = request.target ?? `${merchant.ordersPath}${method === 'GET' ? `/${order.orderId}` : ''}`;
    const { apiSecret = merchant.apiSecret, ...signed } = change;
    const headers = signedHeaders({ ...merchant, apiSecret }, { method, target, body, timestamp: now(), ...signed });
    return merchant.request(method, target, body, { headers: { 'X-Signature': headers['X-Signature'] } });
  }
  const refused = async (answer: Promise<Answer>) => expect(failureOf(await answer).code).toBe(codes.signature);

  test('over the same request is accepted', async () => {
    orderOf(await signedOver({}));
    orderOf(await signedOver({}, { method: 'POST', body: JSON.stringify(merchant.body()) }));
  });

  test('over another method, path or time is refused', async () => {
    await refused(signedOver({ method: 'DELETE' }));
    await refused(signedOver({ method: 'get' }));
    await refused(signedOver({ target: `${merchant.ordersPath}/${order.merchantOrderId}` }));
    await refused(signedOver({ timestamp: String(clock.read() - 1) }));
  });

  test('over another body is refused, and no order comes to be', async () => {
    const body = merchant.body();
    const changed = { ...body, orderAmount: { value: '11', currency: 'USDT' } };
    await refused(signedOver({ body: JSON.stringify(body) }, { method: 'POST', body: JSON.stringify(changed) }));
    await refused(signedOver({ body: JSON.stringify(body) }, { method: 'POST', body: JSON.stringify(body, null, 1) }));
    expect(failureOf(await merchant.get(body.merchantOrderId)).code).toBe('40001');
  });

  test('over another query is refused, over the same in the same form accepted', async () => {
    const target = `${merchant.ordersPath}/${order.orderId}?b=2&a=%7e`;
    orderOf(await signedOver({}, { method: 'GET', target }));
    for (const query of ['', '?a=%7e&b=2', '?b=2&a=~', '?b=2&a=%7E']) {
      await refused(signedOver({ target: target.replace(/\?.*/, query) }, { method: 'GET', target }));
    }
  });

  test('over the path as it was sent is accepted, over the decoded one refused', async () => {
    const target = `${merchant.ordersPath}/%6Frd${order.orderId.slice(3)}`;
    orderOf(await signedOver({}, { method: 'GET', target }));
    await refused(signedOver({ target: decodeURIComponent(target) }, { method: 'GET', target }));
  });

  test('under another secret is refused', async () => {
    await refused(signedOver({ apiSecret: other.apiSecret }));
    await refused(signedOver({ apiSecret: '' }));
  });

  test('in another form is refused', async () => {
    const { 'X-Signature': right = '' } = signedHeaders(merchant, {
      method: 'GET',
      target: `${merchant.ordersPath}/${order.orderId}`,
      timestamp: now(),
    });
    const hex = Buffer.from(right, 'base64').toString('hex');
    for (const form of [hex, right.replace(/=+$/, ''), `${right}=`, `sha256=${right}`, right.toLowerCase()]) {
      await refused(merchant.get(order.orderId, { headers: { 'X-Signature': form } }));
    }
  });
});

describe('X-Api-Key', () => {
  test("of another merchant opens no other merchant's path", async () => {
    expect(failureOf(await merchant.get(order.orderId, { as: other })).code).toBe(codes.key);
    const body = merchant.body();
    expect(failureOf(await merchant.post(body, { as: other })).code).toBe(codes.key);
    expect(failureOf(await merchant.get(body.merchantOrderId)).code).toBe('40001');
  });

  test('that nobody was given is refused', async () => {
    const unknown = { ...merchant, apiKey: 'ak_unknown' };
    expect(failureOf(await merchant.get(order.orderId, { as: unknown })).code).toBe(codes.key);
  });

  test('beside the first one is accepted while it lasts, and not at its end', async () => {
    const key = await givenKey(merchant.merchantId, noon + 60_000);
    clock.set(noon + 59_999);
    orderOf(await merchant.get(order.orderId, { as: key }));
    orderOf(await merchant.get(order.orderId));
    clock.set(noon + 60_000);
    expect(failureOf(await merchant.get(order.orderId, { as: key })).code).toBe(codes.key);
    orderOf(await merchant.get(order.orderId));
  });

  test('that has ended makes no order', async () => {
    const key = await givenKey(merchant.merchantId, noon);
    const body = merchant.body();
    expect(failureOf(await merchant.post(body, { as: key })).code).toBe(codes.key);
    expect(failureOf(await merchant.get(body.merchantOrderId)).code).toBe('40001');
  });
});

describe('who is there', () => {
  const path = (merchantId: string, id = newOrderId()) => `/api/v1/merchants/${merchantId}/orders/${id}`;

  test('is told 10001 about a merchant that does not exist', async () => {
    const failure = failureOf(await merchant.request('GET', path('M-nobody')));
    expect(failure).toMatchObject({ code: '10001', data: { merchantId: 'M-nobody' } });
    expect(failure.message).toContain('merchantId');
  });

  test('cannot be told from who is not, without a right signature', async () => {
    const wrong = [
      { headers: { 'X-Signature': 'AAAA' } },
      { headers: { 'X-Signature': undefined } },
      { headers: { 'X-Api-Key': 'ak_unknown' } },
      { headers: { 'X-Api-Key': undefined } },
      { timestamp: String(noon - 86_400_000) },
    ];
    for (const variation of wrong) {
      const ids = [other.merchantId, 'M-nobody'];
      const orderId = newOrderId();
      const answers = await Promise.all(
        ids.map((id) => merchant.request('GET', path(id, orderId), undefined, variation)),
      );
      const [known, unknown] = answers.map((answer, index) => {
        const { code, message, data } = failureOf(answer);
        // What was sent may be repeated in the answer, and differs by the id that was asked for.
        const said = message.replaceAll(ids[index] ?? '', '');
        return { code, said, status: answer.status, standard: data.standardResponseMessage };
      });
      expect(known).toEqual(unknown);
    }
  });

  test('is told in a sandbox what is wrong about the signature, and in production only that it is wrong', async () => {
    const timestamp = now();
    const target = `${merchant.ordersPath}/${order.orderId}`;
    const right = signedHeaders(merchant, { method: 'GET', target, timestamp })['X-Signature'] ?? '';
    const headers = { 'X-Signature': Buffer.from(right, 'base64').toString('hex') };
    const inSandbox = failureOf(await merchant.get(order.orderId, { headers, timestamp })).message;
    expect(inSandbox).toContain('signature-hex: The signature was sent in hexadecimal. ');
    expect(inSandbox).toContain(JSON.stringify(target));
    expect(inSandbox).not.toContain(right);

    const silent = await startTestServer({
      clock: clock.read,
      replace: (parts) => ({ ...parts, storage: server.storage, explainSignatures: false }),
    });
    try {
      const elsewhere = merchantClient(silent, merchant);
      const { message } = failureOf(await elsewhere.get(order.orderId, { headers, timestamp }));
      expect(message).toBe('X-Signature: is not the signature of this request under the key in X-Api-Key');
    } finally {
      await silent.close();
    }
  });

  test.each<[SignatureMistakeCode, (text: string, host: string) => string]>([
    ['trailing-line-feed', (text) => `${text}\n`],
    ['path-full-url', (text, host) => text.replace('/api', `http://${host}/api`)],
    ['body-re-serialised', (text) => text.replace(/.*$/, hashOf('{"note": "caf\\u00e9"}'))],
  ])('is told of %s as the usual mistakes have it', async (code, change) => {
    const [timestamp, body] = [now(), '{"note":"café"}'];
    const text = [timestamp, 'POST', merchant.ordersPath, hashOf(body)].join('\n');
    const wrong = change(text, new URL(server.url).host);
    const signature = createHmac('sha256', merchant.apiSecret).update(wrong).digest('base64');
    const answer = await merchant.request('POST', merchant.ordersPath, body, {
      headers: { 'X-Signature': signature },
      timestamp,
    });
    const { what, cure } = signatureMistakes.find((mistake) => mistake.code === code) ?? { what: '', cure: '' };
    expect(failureOf(answer).message).toContain(`. ${code}: ${what} ${cure} The server joins`);
  });

  test('learns no secret from a refusal', async () => {
    for (const headers of [{ 'X-Signature': 'AAAA' }, { 'X-Timestamp': '1' }, { 'X-Api-Key': other.apiKey }]) {
      const { text } = await merchant.get(order.orderId, { headers });
      for (const { apiKey, apiSecret } of [merchant, other]) {
        expect(text).not.toContain(apiSecret);
        expect(text).not.toContain(apiKey);
      }
    }
  });
});
