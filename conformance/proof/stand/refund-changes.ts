import { accountOf, type Ledger } from '../../../server/domain/ledger.ts';
import type { Refund } from '../../../server/domain/refund.ts';
import type { Reads, Records } from '../../../server/services/ports.ts';
import { addDecimals } from '../../contract/decimals.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import { successCode } from '../../contract/success-code.ts';
import {
  answering,
  answeringJson,
  bodyOf,
  isOf,
  isRightlySigned,
  jsonAnswer,
  merchantIdOf,
  onlyFor,
  storing,
} from './changes.ts';
import type { Make } from './fault.ts';
import {
  type Handler,
  type ProxyAnswer,
  type ProxyRequest,
  resigned,
  type ServerBehind,
  splitTarget,
} from './proxy.ts';

export const isRefundCreate = isOf('refunds.create');
export const isRefundQuery = isOf('refunds.query');
export const isRefundBatch = isOf('refunds.batch-query');

/** True for requests of refund operations. */
export const isOfRefunds = (request: ProxyRequest): boolean =>
  isRefundCreate(request) || isRefundQuery(request) || isRefundBatch(request);

/** True for requests that only show refunds. */
export const showsRefunds = (request: ProxyRequest): boolean => isRefundQuery(request) || isRefundBatch(request);

/** A parameter of a refund query; undefined where the query has none. */
export function parameterOf({ target }: ProxyRequest, name: string): string | undefined {
  return new URLSearchParams(splitTarget(target).query ?? '').get(name) ?? undefined;
}

/** The merchantRefundOrderId that a create has or a query asks for. */
export function ownRefundIdOf(request: ProxyRequest): string | undefined {
  const id = isRefundCreate(request)
    ? bodyOf(request)?.merchantRefundOrderId
    : parameterOf(request, 'merchantRefundOrderId');
  return typeof id === 'string' ? id : undefined;
}

/** The same request with another query, signed with the same key. */
export function asking(request: ProxyRequest, query: Record<string, string>, server: ServerBehind): ProxyRequest {
  const { path } = splitTarget(request.target);
  return owned(
    { ...request, method: 'GET', target: `${path}?${new URLSearchParams(query)}`, body: Buffer.alloc(0) },
    server,
  );
}

/** The same request with another body, signed with the same key. */
export const sending = (request: ProxyRequest, body: JsonObject, server: ServerBehind): ProxyRequest =>
  owned({ ...request, body: Buffer.from(JSON.stringify(body)) }, server);

function owned(request: ProxyRequest, server: ServerBehind): ProxyRequest {
  const owner = server.owner(request.headers['x-api-key'] ?? '');
  return owner ? resigned(request, owner) : request;
}

/** A server that shows changed records of refunds. */
export const showingRefunds = (
  change: (record: JsonObject, request: ProxyRequest) => JsonObject,
  applies = isOfRefunds,
): Handler =>
  onlyFor(
    applies,
    answeringJson((envelope, request) => {
      const { code, data } = envelope;
      if (code !== successCode) return envelope;
      if (Array.isArray(data)) {
        return { ...envelope, data: data.map((each: unknown) => (isObject(each) ? change(each, request) : each)) };
      }
      return isObject(data) ? { ...envelope, data: change(data, request) } : envelope;
    }),
  );

/** A server that shows changed records of refunds in a state. */
export const showingIn = (status: string, change: (record: JsonObject) => JsonObject): Handler =>
  showingRefunds((record) => (record.status === status ? change(record) : record));

/** The record without some of its fields. */
export const without =
  (...names: string[]) =>
  (record: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));

/** The record with these fields in addition, or in the place of its own. */
export const having =
  (fields: JsonObject) =>
  (record: JsonObject): JsonObject => ({ ...record, ...fields });

/** A refusal in the envelope of refund operations. */
export function refundRefusal(status: number, code: string, details = 'it cannot be'): ProxyAnswer {
  const trace = { requestId: crypto.randomUUID(), timestamp: Date.now() };
  return jsonAnswer({ code, message: 'refused', details, ...trace }, status);
}

/** A success of refund operations. */
export function refundSuccess(data: unknown): ProxyAnswer {
  const trace = { requestId: crypto.randomUUID(), timestamp: Date.now() };
  return jsonAnswer({ code: successCode, message: 'Success', data, ...trace });
}

/** A refund as the answer to a create shows it, made up from the request. */
export function inventedRefund(request: ProxyRequest): JsonObject {
  const body = bodyOf(request) ?? {};
  const now = new Date().toISOString();
  return {
    refundOrderId: `ref.${crypto.randomUUID()}`,
    merchantRefundOrderId: String(body.merchantRefundOrderId),
    acquiringOrderId: String(body.acquiringOrderId),
    merchantOrderId: 'unknown',
    status: 'PENDING',
    refundAmount: '9.50',
    refundCurrency: 'USDT',
    merchantDeductAmount: '9.50',
    paymentMethod: 'ON_CHAIN_TRANSFER',
    createdTime: now,
    estimatedCompletionTime: now,
  };
}

/** The parts of a refusal that changes look at. */
export interface SeenRefusal {
  status: number;
  code: unknown;
  details: string;
}

const refusalOf = (answer: ProxyAnswer): SeenRefusal | undefined => {
  const { code, details } = bodyOf(answer) ?? {};
  return code === successCode ? undefined : { status: answer.status, code, details: String(details) };
};

/** A server that accepts the creates that it should refuse for these reasons. */
export const acceptingRefunds = (accepts: (refusal: SeenRefusal, request: ProxyRequest) => boolean): Handler =>
  onlyFor(isRefundCreate, async (request, server) => {
    const answer = await server.forward(request);
    const refused = refusalOf(answer);
    return refused && accepts(refused, request) ? refundSuccess(inventedRefund(request)) : answer;
  });

/** A server that refuses refund requests for these reasons with other answers. */
export const refusingRefunds = (
  applies: (refusal: SeenRefusal, request: ProxyRequest) => boolean,
  instead: (answer: ProxyAnswer, request: ProxyRequest) => ProxyAnswer,
): Handler =>
  onlyFor(
    isOfRefunds,
    answering((answer, request) => {
      const refused = refusalOf(answer);
      return refused && applies(refused, request) ? instead(answer, request) : answer;
    }),
  );

/** A server that refuses creates for these reasons and shows their refunds nevertheless: by their own ids, by those of their orders, or in batch queries. */
export function keepingRefused(
  keeps: (refusal: SeenRefusal) => boolean,
  shownBy: 'merchantRefundOrderId' | 'acquiringOrderId' | 'batch query' = 'merchantRefundOrderId',
): Handler {
  const kept = new Map<string, JsonObject>();
  const keyOf = (request: ProxyRequest, id: unknown) => `${merchantIdOf(request)} ${id}`;
  const idOf = (request: ProxyRequest) =>
    shownBy === 'acquiringOrderId'
      ? (bodyOf(request)?.acquiringOrderId ?? parameterOf(request, 'acquiringOrderId'))
      : ownRefundIdOf(request);
  return onlyFor(isOfRefunds, async (request, server) => {
    const answer = await server.forward(request);
    const refused = refusalOf(answer);
    if (isRefundCreate(request) && refused && keeps(refused)) {
      kept.set(keyOf(request, idOf(request)), { ...inventedRefund(request), status: 'FAILED' });
    }
    if (shownBy !== 'batch query') {
      const known = isRefundQuery(request) && refused ? kept.get(keyOf(request, idOf(request))) : undefined;
      return known ? refundSuccess(known) : answer;
    }
    const ids = isRefundBatch(request) && !refused ? bodyOf(request)?.merchantRefundOrderIds : undefined;
    const more = Array.isArray(ids) ? ids.flatMap((id) => kept.get(keyOf(request, id)) ?? []) : [];
    const shown = bodyOf(answer)?.data;
    return more.length > 0 && Array.isArray(shown) ? refundSuccess([...shown, ...more]) : answer;
  });
}

/** The answer with another HTTP status. */
export const withStatus =
  (status: number) =>
  (answer: ProxyAnswer): ProxyAnswer => ({ ...answer, status });

/** The answer with another code. */
export const withCode =
  (code: string) =>
  (answer: ProxyAnswer): ProxyAnswer => ({ ...answer, body: Buffer.from(JSON.stringify({ ...bodyOf(answer), code })) });

/** A server that refuses creates of refunds for reasons of its own. */
export const refusingCreates = (
  refuses: (body: JsonObject) => boolean,
  status = 400,
  code = 'INVALID_PARAMETER',
): Handler =>
  onlyFor(isRefundCreate, async (request, server) => {
    const body = bodyOf(request);
    const refused = body && isRightlySigned(request, server) && refuses(body);
    return refused ? refundRefusal(status, code) : server.forward(request);
  });

/** A server whose storage of refunds has some functions replaced. */
export const keepingRefunds = (
  instead: (records: Records) => Partial<Records>,
  readingInstead?: (reads: Reads) => Partial<Reads>,
): Make => ({ parts: storing(instead, readingInstead) });

/** A server that stores changed refunds. */
export const storingRefunds = (change: (refund: Refund, records: Records) => Refund | Promise<Refund>): Make =>
  keepingRefunds((records) => ({
    insertRefund: async (refund) => records.insertRefund(await change(refund, records)),
  }));

/** A server that does not look for earlier refunds of an order. */
export const refundingAgain: NonNullable<Make['parts']> = storing(() => ({ listRefundsOfOrder: async () => [] }));

/** The owner of each refund, by the ids of merchant, platform and order. */
function ownersOfRefunds() {
  const owners = new Map<string, string>();
  return {
    of: (merchantId: string, id: string) => owners.get(id) ?? merchantId,
    note: ({ merchantId, merchantRefundOrderId, refundOrderId, acquiringOrderId }: Refund) => {
      for (const id of [merchantRefundOrderId, refundOrderId, acquiringOrderId]) {
        if (!owners.has(id)) owners.set(id, merchantId);
      }
    },
  };
}

/** How many ids a large batch has at least. */
const largeBatch = 50;

/** How many characters a long id has, at least. */
const longIdLength = 60;

/** A server that finds the refunds of all merchants for every merchant, in these operations. */
export function sharedRefunds(...ways: ('create' | 'query' | 'batch' | 'large batch' | 'batch of long ids')[]): Make {
  const owners = ownersOfRefunds();
  return keepingRefunds(
    (records) => ({
      insertRefund: (refund) => {
        owners.note(refund);
        return records.insertRefund(refund);
      },
      ...(ways.includes('create') && {
        findRefund: (merchantId, id) => records.findRefund(owners.of(merchantId, id), id),
      }),
    }),
    (reads) => ({
      ...(ways.includes('query') && {
        findRefund: (merchantId, id) => reads.findRefund(owners.of(merchantId, id), id),
        findRefundById: (merchantId, id) => reads.findRefundById(owners.of(merchantId, id), id),
        listRefundsOfOrder: (merchantId, id) => reads.listRefundsOfOrder(owners.of(merchantId, id), id),
      }),
      findRefunds: async (merchantId, ids) => {
        const isShared = (id: string) =>
          ways.includes('batch') ||
          (ways.includes('large batch') && ids.length >= largeBatch) ||
          (ways.includes('batch of long ids') && id.length >= longIdLength);
        const ownerOf = (id: string) => (isShared(id) ? owners.of(merchantId, id) : merchantId);
        const found = await Promise.all(ids.map((id) => reads.findRefund(ownerOf(id), id)));
        return found.flatMap((each) => each ?? []);
      },
    }),
  );
}

/** The ledger with more that is available in a currency; a negative amount takes away. */
export function crediting(ledger: Ledger, currency: string, amount: string): Ledger {
  const account = accountOf(ledger, currency);
  return { ...ledger, [currency]: { ...account, available: addDecimals([account.available, amount]) } };
}

/** The same server with a fee for refunds. */
export const withFee = (make: Make): Make => ({
  ...make,
  parts: (parts) => {
    const choices = { ...parts.choices, 'refund-deduct-amount': 'after-fee' as const };
    return make.parts?.({ ...parts, choices }) ?? { ...parts, choices };
  },
});

/** Answers the requests for which `applies` is true with the refund as it was at its creation. */
export function showingAsMade(applies: (request: ProxyRequest) => boolean): Handler {
  const made = new Map<unknown, JsonObject>();
  return (request, server) => {
    const show = showingRefunds((record) => {
      if (isRefundCreate(request)) made.set(record.refundOrderId, record);
      return (applies(request) ? made.get(record.refundOrderId) : undefined) ?? record;
    });
    return show(request, server);
  };
}
