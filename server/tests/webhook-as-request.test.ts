import { expect, onTestFinished, test } from 'vitest';
import { referenceChoices } from '../../generated/catalogue.ts';
import { merchantService } from '../services/control/merchants.ts';
import { randomIds } from '../services/ids.ts';
import { startReceiver } from '../webhooks/testing/receiver.ts';
import { checkoutClient } from './support/checkout.ts';
import { controlOf, failureOf } from './support/contract.ts';
import { send } from './support/http.ts';
import { newMerchant, orderEvent, startTestServer } from './support/server.ts';

/** A merchant of a server with that scheme, and a webhook of the merchant whose callback address has the path of an operation. */
async function receivedWebhook(scheme: (typeof referenceChoices)['webhook-signature'], { rotated = false } = {}) {
  const server = await startTestServer({ choices: { ...referenceChoices, 'webhook-signature': scheme } });
  const receiver = await startReceiver((response) => response.writeHead(200).end());
  onTestFinished(async () => {
    await receiver.close();
    await server.close();
  });
  const merchant = await newMerchant(server);
  if (rotated) {
    const keys = merchantService({ storage: server.storage, clock: Date.now, ids: randomIds });
    await keys.rotateKey(merchant.merchantId, 600_000);
  }
  const target = `/api/v1/merchants/${merchant.merchantId}/orders`;
  const order = await checkoutClient(server, merchant).create({
    callbackUrl: `http://127.0.0.1:${receiver.port}${target}`,
  });
  controlOf(await orderEvent(server, order, { type: 'cancelled' }), 200, 'OrderEventResult');
  await expect.poll(() => receiver.received.length, { interval: 5, timeout: 20_000 }).toBe(1);
  const [webhook] = receiver.received;
  if (!webhook) throw new Error('there is no webhook');
  /** Sends the webhook's body as a request of the merchant, with one of the signatures. */
  const replay = async (timestamp: unknown, signature: unknown) => {
    const headers = {
      'Content-Type': 'application/json',
      'X-Api-Key': merchant.apiKey,
      'X-Timestamp': String(timestamp),
      'X-Signature': String(signature),
    };
    return failureOf(await send(server.url, { method: 'POST', target, headers, body: webhook.body })).code;
  };
  return { headers: webhook.headers, replay };
}

/** The codes of a request with a wrong signature, with a timestamp that is none, and with a body that is not that of an order. */
const [wrongSignature, wrongTimestamp, wrongBody] = ['90001', '90002', '10001'];

test.each([false, true])('no signature of a webhook serves for a request (key rotated: %s)', async (rotated) => {
  const { headers, replay } = await receivedWebhook('prefixed', { rotated });
  const timestamp = headers['x-timestamp'];
  const signatures = `${headers['x-signature']} ${headers['webhook-signature']}`.split(' ');
  expect(signatures).toHaveLength(rotated ? 4 : 2);
  for (const signature of [headers['x-signature'], ...signatures, ...signatures.map((each) => each.slice(3))]) {
    expect(await replay(timestamp, signature)).toBe(wrongSignature);
    for (const time of [`webhook ${timestamp}`, `webhook.${timestamp}`, 'webhook'])
      expect(await replay(time, signature), time).toBe(wrongTimestamp);
  }
});

test('the signature of a webhook that is signed like a request serves for one', async () => {
  const { headers, replay } = await receivedWebhook('request-scheme');
  expect(await replay(headers['x-timestamp'], headers['x-signature'])).toBe(wrongBody);
});
