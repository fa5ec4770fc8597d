import { createHmac } from 'node:crypto';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Send, SendResult, WebhookRequest } from '../../../server/services/delivery/deliver.ts';
import type { Records } from '../../../server/services/ports.ts';
import type { JsonObject } from '../../contract/json.ts';
import { signatureOf } from '../../wire/signing/signature.ts';
import { bodyOf, storing } from './changes.ts';
import type { Make, WebhookHandler } from './fault.ts';

/** A server that sends webhooks in its own way. */
export const sending = (instead: WebhookHandler): Make => ({ webhooks: () => instead });

export const eventOf = ({ body }: WebhookRequest): JsonObject => bodyOf({ body: Buffer.from(body) }) ?? {};
export const isOfRefund = (webhook: WebhookRequest) => eventOf(webhook).refundOrderId !== undefined;
export const isOfCheckout = (webhook: WebhookRequest) => eventOf(webhook).depositAddress !== undefined;
export const acknowledged: SendResult = { httpStatus: 200 };

/** A server that sends other bodies. */
export const wording = (change: (event: JsonObject) => unknown): Make =>
  sending((webhook, send) => send({ ...webhook, body: JSON.stringify(change(eventOf(webhook))) }));

/** A webhook as it is sent, whose body may be any bytes. */
type Outgoing = Omit<WebhookRequest, 'body'> & { body: string | Buffer };

/** A webhook posted to a loopback receiver, and where its answer redirects to. */
function post(method: string, { url, headers, body }: Outgoing): Promise<{ result: SendResult; location?: string }> {
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(5000);
    const options = { method, headers, rejectUnauthorized: false, agent: false, signal };
    const request = /^http:/i.test(url) ? httpRequest : httpsRequest;
    const outgoing = request(url, options, (response) => {
      response.resume();
      const { location } = response.headers;
      resolve({ result: { httpStatus: response.statusCode ?? 0 }, ...(location !== undefined && { location }) });
    });
    outgoing.on('error', ({ message }) => resolve({ result: { error: message } }));
    outgoing.end(body);
  });
}

/** What a sender that reads answers to their end may stumble over, beside the outcome of the attempt. */
interface ReadAnswer {
  result: SendResult;
  headers: IncomingHttpHeaders;
  /** How many bytes of the body came. */
  length: number;
  /** How the body ended: as was announced, before that, or not at all in the time of an attempt. */
  end: 'whole' | 'early' | 'never';
}

/** How long the end of an answer is waited for, in milliseconds. */
const patience = 1500;

/** A webhook posted to a loopback receiver whose answer is read to its end. */
function postAndRead({ url, headers, body }: Outgoing): Promise<ReadAnswer> {
  return new Promise((resolve) => {
    const options = { method: 'POST', headers, rejectUnauthorized: false, agent: false };
    const request = /^http:/i.test(url) ? httpRequest : httpsRequest;
    const failed = { headers: {}, length: 0, end: 'whole' as const };
    const outgoing = request(url, options, (response) => {
      let length = 0;
      const result = { httpStatus: response.statusCode ?? 0 };
      const over = (end: ReadAnswer['end']) => {
        clearTimeout(timer);
        resolve({ result, headers: response.headers, length, end });
        outgoing.destroy();
      };
      response.on('data', (chunk: Buffer) => {
        length += chunk.length;
      });
      response.on('end', () => over('whole'));
      response.on('error', () => over('early'));
      clearTimeout(timer);
      timer = setTimeout(() => over('never'), patience);
    });
    let timer = setTimeout(() => outgoing.destroy(new Error('no answer within the time of an attempt')), patience);
    outgoing.on('error', ({ message }) => {
      clearTimeout(timer);
      resolve({ ...failed, result: { error: message } });
    });
    outgoing.end(body);
  });
}

/** A sender that gives an event up where it stumbles over an answer. `send` sends what does not go to a loopback receiver. */
export const stumblingOver =
  (send: Send, isStumbledOver: (answer: ReadAnswer) => boolean): Send =>
  async (webhook) => {
    if (!/^https?:\/\/127\.0\.0\.1/i.test(webhook.url)) return send(webhook);
    const answer = await postAndRead(webhook);
    return isStumbledOver(answer) ? acknowledged : answer.result;
  };

/** Sends a webhook with another method than POST. */
export const sendAs = async (method: string, webhook: Outgoing): Promise<SendResult> =>
  (await post(method, webhook)).result;

/** A sender that follows a redirect once. `judge` turns what came back there into the outcome of the attempt. */
export const followingRedirects =
  (send: Send, judge: (result: SendResult) => SendResult = (result) => result): Send =>
  async (webhook) => {
    if (!/^https:\/\/127\.0\.0\.1/i.test(webhook.url)) return send(webhook);
    const { result, location } = await post('POST', webhook);
    return location === undefined ? result : judge(await send({ ...webhook, url: location }));
  };

type Delivery = Parameters<Records['insertDelivery']>[0];

/** A server that sends the webhook of a refund as these deliveries, where its merchant has a default address. */
export function sendingRefundsTo(deliveries: (delivery: Delivery, defaultUrl: string) => readonly Delivery[]): Make {
  return {
    parts: storing((records) => ({
      insertDelivery: async (delivery) => {
        const merchant = await records.findMerchant(delivery.merchantId);
        const url = 'refundOrderId' in delivery.subject ? merchant?.settings.defaultNotifyUrl : undefined;
        const sent = url === undefined ? [delivery] : deliveries(delivery, url);
        for (const each of sent) await records.insertDelivery(each);
      },
    })),
  };
}

/** What a webhook is signed over and with, beside its time and body. */
interface Signing {
  path: string;
  secret: string;
}

/** What a server signs a webhook over and with, where `own` would be right. */
export type SigningOf = (webhook: WebhookRequest, own: Signing) => Signing;

/** A server that signs some webhooks otherwise, in both schemes where their secret is another one. It may keep some records otherwise too. */
export function resigning(instead: SigningOf, keeping: (records: Records) => Partial<Records> = () => ({})): Make {
  const secrets: string[] = [];
  const { webhooks } = sending((webhook, send) => {
    const { url, headers, body } = webhook;
    const timestamp = headers['X-Timestamp'];
    const signed = ({ path, secret }: Signing) =>
      signatureOf({ timestamp: `webhook\n${timestamp}`, method: 'POST', path, body: Buffer.from(body) }, secret);
    const path = new URL(url).pathname;
    const secret = secrets.find((each) => signed({ path, secret: each }) === headers['X-Signature']);
    if (secret === undefined) return send(webhook);
    const signing = instead(webhook, { path, secret });
    const [id, seconds] = [headers['webhook-id'] ?? '', headers['webhook-timestamp'] ?? ''];
    const standard = createHmac('sha256', signing.secret).update(`${id}.${seconds}.${body}`).digest('base64');
    const signatures = { 'X-Signature': signed(signing), 'webhook-signature': `v1,${standard}` };
    return send({ ...webhook, headers: { ...headers, ...signatures } });
  });
  return {
    ...(webhooks && { webhooks }),
    parts: storing((records) => ({
      ...keeping(records),
      insertApiKey: (key) => {
        secrets.push(key.apiSecret);
        return records.insertApiKey(key);
      },
    })),
  };
}
