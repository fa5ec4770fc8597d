import { gzipSync } from 'node:zlib';
import { requestSchema } from '../checks/field-rules.ts';
import { addDecimals, compareDecimals } from '../money.ts';
import { isObject, type JsonObject, setAt } from '../probes/bodies.ts';
import { schemaFaults } from '../schema.ts';
import {
  answering,
  bodyOf,
  isAuthFailure,
  isCreate,
  isRightlySigned,
  jsonAnswer,
  merchantIdOf,
  notFindingPlatformIds,
  objectAt,
  queriedId,
  readingCreates,
  refusal,
  refusing,
  refusingCreates,
  showing,
  slowly,
  spoiled,
  storing,
  underContract,
  withSchema,
} from './changes.ts';
import type { Make, Variant } from './fault.ts';
import { type Handler, resigned, splitTarget } from './proxy.ts';

/** A refusal under another code. */
function recoded(envelope: JsonObject, code: string): JsonObject {
  const data = isObject(envelope.data) ? { ...envelope.data, standardResponseCode: code } : envelope.data;
  return { ...envelope, code, data };
}

/** Creates under an id that was used before, as `again` treats them; it is given the first body. */
function repeating(again: 'as-first' | 'only-identical'): Handler {
  const first = new Map<string, string>();
  const asFirst = readingCreates((body) => JSON.parse(first.get(String(body.merchantOrderId)) ?? JSON.stringify(body)));
  return async (request, server) => {
    const id = isCreate(request) && isRightlySigned(request, server) ? bodyOf(request)?.merchantOrderId : undefined;
    const before = first.get(String(id));
    if (before === undefined) {
      const answer = await server.forward(request);
      if (bodyOf(answer)?.code === '00000' && isCreate(request)) first.set(String(id), request.body.toString('utf8'));
      return answer;
    }
    if (again === 'as-first') return asFirst(request, server);
    return before === request.body.toString('utf8')
      ? server.forward(request)
      : refusal(request, '20001', 'merchantOrderId: is taken');
  };
}

/** A server that takes numbers, truth values and null for the text, or the absence, that they may stand for. */
const reading = readingCreates((body) => {
  const faults = schemaFaults(body, requestSchema).filter(({ keyword }) => keyword === 'type');
  if (faults.length === 0) return body;
  const read = structuredClone(body);
  for (const { path, expected } of faults) {
    const steps = path.split('.');
    const name = steps.pop() ?? '';
    const into = (value: unknown, step: string) => (isHolder(value) ? Reflect.get(value, step) : undefined);
    const holder = steps.reduce<unknown>(into, read);
    if (!isHolder(holder)) continue;
    const value: unknown = Reflect.get(holder, name);
    if (value === null && !Array.isArray(holder)) Reflect.deleteProperty(holder, name);
    if (typeof value === 'number' || typeof value === 'boolean') Reflect.set(holder, name, String(value));
    if (expected.includes('integer') && /^[0-9]+$/.test(String(value))) Reflect.set(holder, name, Number(value));
  }
  return read;
});

function isHolder(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** A server that shows its times and amounts in other forms. */
function writing({ time, amount }: { time?: (iso: string) => string; amount?: (value: string) => string }): Handler {
  const times = ['createdAt', 'expiresAt', 'paidAt'];
  const amounts = ['orderAmount', 'cryptoPaidAmount'];
  return showing((view) => {
    const written: JsonObject = { ...view };
    for (const name of time ? times : []) {
      if (typeof view[name] === 'string') written[name] = time?.(view[name]);
    }
    for (const name of amount ? amounts : []) {
      const { value } = Object(view[name]);
      if (typeof value === 'string') written[name] = { ...Object(view[name]), value: amount?.(value) };
    }
    return written;
  });
}

/** JSON with the keys of each object the other way round, spread over lines, in ASCII. */
function otherwiseWritten(value: unknown): string {
  const turned = (_: string, each: unknown) =>
    isObject(each) ? Object.fromEntries(Object.entries(each).reverse()) : each;
  return JSON.stringify(JSON.parse(JSON.stringify(value, turned)), null, 4).replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A server that lives under a path of its own, which belongs to what is signed. */
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

/** A control API that has only some capabilities. */
const controlling = (...capabilities: string[]): Make => ({
  control: async (request, server) => {
    const answer = await server.forward(request);
    return request.method === 'GET' ? jsonAnswer({ ...bodyOf(answer), capabilities }) : answer;
  },
});

/** A server that shows a change of status only after a while, in milliseconds. */
function lagging(delay: number): Handler {
  const shown = new Map<string, { view: JsonObject; changedAt?: number }>();
  return showing((view) => {
    const id = String(view.orderId);
    const last = shown.get(id);
    if (last && last.view.status !== view.status) {
      last.changedAt ??= Date.now();
      if (Date.now() - last.changedAt < delay) return last.view;
    }
    shown.set(id, { view });
    return view;
  });
}

const firstOf = (...handlers: [Handler, ...Handler[]]): Handler =>
  handlers.reduce(
    (outer, inner) => (request, server) => outer(request, { ...server, forward: (each) => inner(each, server) }),
  );

const amountOf = ({ orderAmount }: JsonObject) => String(Object(orderAmount).value);
const isDecimal = (text: string) => /^[0-9]+(\.[0-9]+)?$/.test(text);

/** Conforming servers that use what the contract leaves free. */
export const variants: readonly Variant[] = [
  {
    id: 'pending-in-create',
    title: 'Answers a create with PENDING, as the example of the guide does.',
    make: { merchantApi: showing((view, request) => (isCreate(request) ? { ...view, status: 'PENDING' } : view)) },
  },
  {
    id: 'repeats-refused',
    title: 'Refuses every second create under an id, and uses no codes but 10001 and 40001.',
    make: {
      parts: storing(() => ({ findOrder: async () => undefined })),
      merchantApi: refusing((envelope) => (envelope.code === '40001' ? envelope : recoded(envelope, '10001'))),
    },
  },
  {
    id: 'repeats-existing',
    title: 'Answers every second create under an id with the order that exists.',
    make: { merchantApi: repeating('as-first') },
  },
  {
    id: 'repeats-identical',
    title: 'Answers a second create with the order that exists only when the request is the same.',
    make: { merchantApi: repeating('only-identical') },
  },
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
    id: 'merchant-order-id-only',
    title: 'Finds orders by merchantOrderId only, and takes an id of the wrong form for a wrong parameter.',
    make: {
      merchantApi: firstOf(
        refusing((envelope, request) => {
          const wellFormed = /^[A-Za-z0-9_-]{16,64}$/.test(queriedId(request) ?? 'a-well-formed-id');
          return envelope.code === '40001' && !wellFormed ? recoded(envelope, '10001') : envelope;
        }),
        notFindingPlatformIds,
      ),
    },
  },
  {
    id: 'lenient-requests',
    title: 'Takes metadata of any form, orders for nothing, expiry in the past, and values of other JSON types.',
    make: {
      parts: (parts) => {
        const createOrder = parts.rules.createOrder.filter(
          ({ requirement }) => requirement !== 'orders.create.expires-at.range',
        );
        const taken = ['orders.create.metadata.json', 'orders.amount.positive'];
        const changed = underContract((contract) => {
          Reflect.deleteProperty(objectAt(contract, `${requestSchema}/properties/metadata`), 'contentMediaType');
          Reflect.deleteProperty(
            objectAt(contract, '/components/schemas/OrderAmount/properties/value/allOf/1'),
            'x-decimal',
          );
        })(parts);
        const constraints = parts.constraints.filter(({ requirement }) => !taken.includes(requirement));
        return { ...changed, constraints, rules: { ...parts.rules, createOrder } };
      },
      merchantApi: reading,
    },
  },
  {
    id: 'strict-requests',
    title: 'Refuses subMerchants, fields that it does not know, small and large amounts, and expiry after a day.',
    make: {
      parts: withSchema(requestSchema, { additionalProperties: false }),
      merchantApi: refusingCreates((body) => {
        const amount = amountOf(body);
        const outside =
          isDecimal(amount) && (compareDecimals(amount, '0.01') < 0 || compareDecimals(amount, '1000000') > 0);
        const late = Date.parse(String(body.expiresAt)) > Date.now() + 24 * 3_600_000;
        return body.subMerchants !== undefined || outside || late;
      }),
    },
  },
  {
    id: 'edges-otherwise',
    title:
      'Takes the other side of settlementRatio, of a bare question mark, of unknown merchants and of unreadable bodies.',
    make: {
      merchantApi: firstOf(
        refusingCreates(({ subMerchants }) =>
          [subMerchants].flat().some((part) => ['0', '1'].includes(String(Object(part).settlementRatio))),
        ),
        async (request, server) => {
          const { query } = splitTarget(request.target);
          const answer = await server.forward(query === '' ? spoiled(request) : request);
          const envelope = bodyOf(answer);
          if (!envelope || envelope.code === '00000') return answer;
          if (!server.merchant(merchantIdOf(request))) return jsonAnswer(recoded(envelope, '90003'));
          const unread = Object(envelope.data).merchantOrderId === null;
          return unread ? jsonAnswer(setAt(envelope, ['data', 'merchantOrderId'], '')) : answer;
        },
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
    title: 'Writes times to the second, and answers without a Date header.',
    make: {
      merchantApi: firstOf(
        answering((answer) => {
          const { date: _left, ...headers } = answer.headers;
          return { ...answer, headers };
        }),
        writing({ time: (iso) => iso.replace(/\.[0-9]+Z/, 'Z') }),
      ),
    },
  },
  {
    id: 'basic-times',
    title: 'Writes times in the basic form of ISO 8601, without hyphens and colons.',
    make: { merchantApi: writing({ time: (iso) => iso.replaceAll(/[-:]/g, '') }) },
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
  {
    id: 'late-views',
    title: 'Shows a change of status 80 milliseconds after it was made known.',
    make: { merchantApi: lagging(80) },
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
