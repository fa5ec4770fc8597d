import { gzipSync } from 'node:zlib';
import { addDecimals } from '../../contract/decimals.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import { scopeAreas } from '../../run/scope.ts';
import {
  answering,
  answeringJson,
  bodyOf,
  isAuthFailure,
  isRightlySigned,
  jsonAnswer,
  lagging,
  slowly,
  spoiled,
} from '../stand/changes.ts';
import type { Make, Variant } from '../stand/fault.ts';
import { type Handler, resigned } from '../stand/proxy.ts';
import { keepingKeys } from '../stand/revoked-keys.ts';
import { checkoutVariants } from './checkout.ts';
import { freeChoiceVariants } from './free-choices.ts';
import { freeFormVariants } from './free-forms.ts';
import { freeWireVariants, lateVariants } from './free-wire.ts';
import { ordersVariants } from './orders.ts';
import { refundsVariants } from './refunds.ts';
import { restartVariants } from './restarts.ts';
import { webhookVariants } from './webhooks.ts';

/** A server that shows its times and amounts in other forms. */
function writing({ time, amount }: { time?: (iso: string) => string; amount?: (value: string) => string }): Handler {
  const times = ['createdAt', 'expiresAt', 'paidAt', 'createdTime', 'completedTime', 'failedTime', 'closedTime'];
  const amounts = ['orderAmount', 'cryptoPaymentAmount', 'cryptoPaidAmount'];
  const inWriting = (view: JsonObject): JsonObject => {
    const written: JsonObject = { ...view };
    for (const name of time ? times : []) {
      if (typeof view[name] === 'string') written[name] = time?.(view[name]);
    }
    for (const name of amount ? amounts : []) {
      const { value } = Object(view[name]);
      if (typeof value === 'string') written[name] = { ...Object(view[name]), value: amount?.(value) };
    }
    return written;
  };
  return answeringJson(({ data, ...envelope }) => {
    const shown = Array.isArray(data) ? data.map((view) => (isObject(view) ? inWriting(view) : view)) : data;
    return { ...envelope, data: isObject(shown) ? inWriting(shown) : shown };
  });
}

/** JSON with the keys of each object in reverse order, over several lines, in ASCII. */
function otherwiseWritten(value: unknown): string {
  const turned = (_: string, each: unknown) =>
    isObject(each) ? Object.fromEntries(Object.entries(each).reverse()) : each;
  return JSON.stringify(JSON.parse(JSON.stringify(value, turned)), null, 4).replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A server under a path prefix, which is part of the signed path. */
const mounted =
  (prefix: string): Handler =>
  (request, server) => {
    const inner = { ...request, target: request.target.slice(prefix.length) || '/' };
    const owner = server.owner(request.headers['x-api-key'] ?? '');
    const right = owner && isRightlySigned(request, server);
    return server.forward(right ? resigned(inner, owner) : spoiled(inner));
  };

/** A server whose clock is off, as its Date header says. */
const clockOff = (milliseconds: number): Make => ({
  parts: (parts) => ({ ...parts, clock: () => Date.now() + milliseconds }),
  merchantApi: answering((answer) => {
    const date = new Date(Date.now() + milliseconds).toUTCString();
    return { ...answer, headers: { ...answer.headers, date } };
  }),
});

/** A server whose clock is off by the next of these after so many answers, as its Date header says. */
function clockJumping(after: number, ...offsets: readonly number[]): Make {
  let answers = 0;
  const now = () => Date.now() + (offsets[Math.min(Math.floor(answers / after), offsets.length - 1)] ?? 0);
  return {
    parts: (parts) => ({ ...parts, clock: now }),
    merchantApi: answering((answer) => {
      const date = new Date(now()).toUTCString();
      answers += 1;
      return { ...answer, headers: { ...answer.headers, date } };
    }),
  };
}

/** A server whose clock is off, behind a gateway that dates its answers by another clock. */
const clockBehindGateway = (milliseconds: number): Make => ({
  parts: (parts) => ({ ...parts, clock: () => Date.now() + milliseconds }),
});

/** A control API that has only some capabilities. */
const controlling = (...capabilities: string[]): Make => ({
  control: async (request, server) => {
    const answer = await server.forward(request);
    return request.method === 'GET' ? jsonAnswer({ ...bodyOf(answer), capabilities }) : answer;
  },
});

/** Conforming servers that use what the contract leaves free in all areas. */
export const generalVariants: readonly Variant[] = [
  {
    id: 'auth-http-401',
    title: 'Answers failed authentication with HTTP 401 and a body of another form.',
    make: {
      merchantApi: answering((answer) =>
        isAuthFailure(bodyOf(answer)?.code) ? jsonAnswer({ error: { type: 'unauthorized' } }, 401) : answer,
      ),
    },
  },
  {
    id: 'auth-http-403-empty',
    title: 'Answers failed authentication with HTTP 403 and nothing else.',
    make: {
      merchantApi: answering((answer) =>
        isAuthFailure(bodyOf(answer)?.code) ? { status: 403, headers: {}, body: Buffer.alloc(0) } : answer,
      ),
    },
  },
  {
    id: 'further-fields',
    title:
      'Has further fields in every answer, in another order, over several lines, and writes its content type in capitals.',
    make: {
      merchantApi: answering((answer) => {
        const envelope = bodyOf(answer);
        if (!envelope) return answer;
        const data = isObject(envelope.data)
          ? { ...envelope.data, region: 'eu — Łódź', links: [{ rel: 'self' }] }
          : envelope.data;
        const body = Buffer.from(otherwiseWritten({ ...envelope, data, traceId: 'a1', elapsedMs: 3 }));
        return { ...answer, headers: { ...answer.headers, 'content-type': 'Application/JSON;Charset=UTF-8' }, body };
      }),
    },
  },
  {
    id: 'microseconds',
    title: 'Writes times with microseconds and amounts with all 18 decimal places.',
    make: {
      merchantApi: writing({
        time: (iso) => iso.replace('Z', '000Z'),
        amount: (value) => {
          const [whole = '0', places = ''] = value.split('.');
          return `${whole}.${places.padEnd(18, '0')}`;
        },
      }),
    },
  },
  {
    id: 'zone-offset',
    title: 'Writes times with the offset +00:00 and amounts without zeros at their end.',
    make: {
      merchantApi: writing({ time: (iso) => iso.replace('Z', '+00:00'), amount: (value) => addDecimals([value]) }),
    },
  },
  {
    id: 'whole-seconds',
    title: 'Writes times to the second.',
    make: { merchantApi: writing({ time: (iso) => iso.replace(/\.[0-9]+Z/, 'Z') }) },
  },
  {
    id: 'no-date-header',
    title: 'Answers without a Date header.',
    make: {
      merchantApi: answering((answer) => {
        const { date: _left, ...headers } = answer.headers;
        return { ...answer, headers };
      }),
      // Named, so that it stands alone: a server whose clock is off says so in this header.
      areas: [...scopeAreas],
    },
  },
  {
    id: 'dates-of-a-gateway',
    title: 'Stands behind a gateway that dates all answers by its own clock, which is 47 minutes behind.',
    make: {
      merchantApi: answering((answer) => ({
        ...answer,
        headers: { ...answer.headers, date: new Date(Date.now() - 47 * 60_000).toUTCString() },
      })),
      // Named, so that it stands alone: of several servers side by side, the date belongs to one.
      areas: [...scopeAreas],
    },
  },
  {
    id: 'basic-times',
    title:
      'Writes times in the basic form of ISO 8601, without hyphens and colons, and with a comma before milliseconds.',
    make: { merchantApi: writing({ time: (iso) => iso.replaceAll(/[-:]/g, '').replace('.', ',') }) },
  },
  {
    id: 'other-ids',
    title: 'Gives ids that are UUIDs or need encoding in a path, and secrets in Base64.',
    make: {
      parts: (parts) => ({
        ...parts,
        ids: {
          ...parts.ids,
          orderId: (): string => crypto.randomUUID(),
          merchantId: () => `shop:${crypto.randomUUID().slice(0, 8)}@eu west`,
          apiKey: () => `pk.${crypto.randomUUID()}`,
          apiSecret: () => Buffer.from(crypto.getRandomValues(new Uint8Array(48))).toString('base64'),
        },
      }),
    },
  },
  { id: 'slow', title: 'Takes 30 to 60 milliseconds for each answer.', make: { merchantApi: slowly(30, 60) } },
  {
    id: 'connections-otherwise',
    title: 'Sends answers in pieces, closes the connection after each, and compresses them where that is offered.',
    make: {
      merchantApi: answering((answer, { headers }) => {
        const offered = /\bgzip\b/.test(headers['accept-encoding'] ?? '');
        const encoding = offered ? { 'content-encoding': 'gzip' } : {};
        const body = offered ? gzipSync(answer.body) : answer.body;
        return { ...answer, headers: { ...answer.headers, ...encoding, connection: 'close' }, body, chunked: true };
      }),
    },
  },
  {
    id: 'path-prefix',
    title: 'Lives under a path of its own, which belongs to the signed path.',
    make: { prefix: '/pay/gateway', merchantApi: mounted('/pay/gateway') },
  },
  { id: 'clock-ahead', title: 'Has a clock that is 90 seconds ahead, and says so.', make: clockOff(90_000) },
  { id: 'clock-behind', title: 'Has a clock that is 90 seconds behind, and says so.', make: clockOff(-90_000) },
  { id: 'clock-far-ahead', title: 'Has a clock that is four minutes ahead, and says so.', make: clockOff(240_000) },
  { id: 'clock-far-behind', title: 'Has a clock that is four minutes behind, and says so.', make: clockOff(-240_000) },
  {
    id: 'clock-ahead-of-gateway',
    title: 'Has a clock that is four minutes ahead of the gateway that dates its answers.',
    make: clockBehindGateway(240_000),
  },
  {
    id: 'clock-behind-gateway',
    title: 'Has a clock that is four minutes behind the gateway that dates its answers.',
    make: clockBehindGateway(-240_000),
  },
  {
    id: 'clock-jumps',
    title: 'Has a clock that jumps four minutes ahead while it is judged, then to four minutes behind, and back.',
    make: {
      // No jump is wider than the window, so that none refuses a request that was under way.
      ...clockJumping(240, 0, 240_000, 0, -240_000, 0),
      // The reference server would wait four minutes with webhooks that were under way when its own clock jumped back.
      areas: ['orders', 'refunds'],
    },
  },
  {
    id: 'late-views',
    title: 'Shows a change of status 80 milliseconds after it was made known.',
    make: lagging(80),
  },
  {
    id: 'revocation-heard-late',
    title: 'Hears 150 milliseconds late that a key was revoked.',
    make: keepingKeys((request, since) => (since < 150 ? request : spoiled(request))),
  },
  {
    id: 'control-without-clock',
    title: 'Has a control API that moves no clock.',
    make: controlling('merchants', 'orders'),
  },
  {
    id: 'control-without-orders',
    title: 'Has a control API without order events.',
    make: controlling('merchants', 'clock'),
  },
  {
    id: 'control-merchants-only',
    title: 'Has a control API that makes merchants only.',
    make: controlling('merchants'),
  },
  {
    id: 'control-without-merchants',
    title: 'Has a control API that makes no merchants.',
    make: { ...controlling('orders', 'clock'), configured: ['default', 'other'] },
  },
  { id: 'two-merchants', title: 'Has no control API, but two merchants.', make: { configured: ['default', 'other'] } },
  { id: 'one-merchant', title: 'Has no control API, and one merchant.', make: { configured: ['default'] } },
];

/** Every conforming server. */
export const variants: readonly Variant[] = [
  ...generalVariants,
  ...ordersVariants,
  ...refundsVariants,
  ...checkoutVariants,
  ...webhookVariants,
  ...freeChoiceVariants,
  ...freeFormVariants,
  ...freeWireVariants,
  ...lateVariants,
  ...restartVariants,
];
