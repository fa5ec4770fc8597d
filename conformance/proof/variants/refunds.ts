import { setTimeout as delay } from 'node:timers/promises';
import type { RefundsEvent, RefundsState, Transition } from '../../../generated/catalogue.ts';
import { addDecimals } from '../../contract/decimals.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import { successCode } from '../../contract/success-code.ts';
import {
  answering,
  answeringJson,
  bodyOf,
  firstOf,
  isCheckout,
  isRightlySigned,
  jsonAnswer,
  merchantIdOf,
  onlyFor,
  slowly,
  withSchema,
} from '../stand/changes.ts';
import type { Make, Variant } from '../stand/fault.ts';
import type { Handler, ProxyAnswer } from '../stand/proxy.ts';
import {
  isOfRefunds,
  isRefundBatch,
  isRefundCreate,
  ownRefundIdOf,
  refundRefusal,
  refusingCreates,
  refusingRefunds,
  sending,
  showingRefunds,
  withCode,
  without,
  withStatus,
} from '../stand/refund-changes.ts';

const createSchema = '/components/schemas/RefundCreateRequest';

/** A server whose refunds have the moves of this table. */
const movingBy = (moves: readonly Transition<RefundsState, RefundsEvent>[]): Make => ({
  parts: (parts) => {
    const { refunds } = parts.states;
    const accepted = refunds.transitions.filter(({ from }) => from === null);
    return {
      ...parts,
      states: { ...parts.states, refunds: { ...refunds, transitions: [...accepted, ...moves] } },
    };
  },
});

/** A server that writes the times of refunds in another form. */
const writing = (time: (iso: string) => string): Handler =>
  showingRefunds((record) =>
    Object.fromEntries(
      Object.entries(record).map(([name, value]) => [name, /Time$/.test(name) ? time(String(value)) : value]),
    ),
  );

/** A server that writes the amounts of refunds in another form. */
const amountsAs = (write: (amount: string) => string): Handler =>
  showingRefunds((record) => ({
    ...record,
    refundAmount: write(String(record.refundAmount)),
    ...(record.merchantDeductAmount !== undefined && {
      merchantDeductAmount: write(String(record.merchantDeductAmount)),
    }),
  }));

/** The moment in the time of Singapore. */
const inSingapore = (iso: string) =>
  new Date(Date.parse(iso) + 8 * 3_600_000).toISOString().replace(/\.[0-9]+Z$/, '+08:00');

/** A server that answers a repeated create, after a while, with the same bytes as the first one. */
function replaying(after: number): Handler {
  const first = new Map<string, Buffer>();
  return onlyFor(isRefundCreate, async (request, server) => {
    const answer = await server.forward(request);
    const key = `${merchantIdOf(request)} ${ownRefundIdOf(request)}`;
    const { code } = bodyOf(answer) ?? {};
    const known = first.get(key);
    if (code !== successCode) return answer;
    if (!known) {
      first.set(key, answer.body);
      return answer;
    }
    await delay(after);
    const { requestId, timestamp } = bodyOf(answer) ?? {};
    return { ...answer, body: Buffer.from(JSON.stringify({ ...bodyOf({ body: known }), requestId, timestamp })) };
  });
}

/** Refuses every second create under an id, its own or another merchant's. */
function refusingKnownIds(): Handler {
  const known = new Set<string>();
  return onlyFor(isRefundCreate, async (request, server) => {
    const id = ownRefundIdOf(request) ?? '';
    // A request that is refused makes nothing, so it must not reach the server behind.
    if (known.has(id) && isRightlySigned(request, server)) return refundRefusal(400, 'DUPLICATE_REQUEST');
    const answer = await server.forward(request);
    if (bodyOf(answer)?.code === successCode) known.add(id);
    return answer;
  });
}

/** Refuses a create again in the same words, whatever has changed since, when just the same request comes again. */
function rememberingRefusals(): Handler {
  const refused = new Map<string, ProxyAnswer>();
  return onlyFor(isRefundCreate, async (request, server) => {
    const key = `${merchantIdOf(request)} ${request.body.toString('utf8')}`;
    const known = isRightlySigned(request, server) ? refused.get(key) : undefined;
    // It counts towards a limit all the same.
    const answer = await server.forward(known ? sending(request, {}, server) : request);
    if (known) return answer.status === 429 ? answer : known;
    if (answer.status === 400) refused.set(key, answer);
    return answer;
  });
}

/** Has a system of its own for checkout orders, of which the refunds know nothing. */
function notKnowingCheckoutOrders(): Handler {
  const orders = new Set<unknown>();
  return async (request, server) => {
    const isOfCheckout = isRefundCreate(request) && orders.has(bodyOf(request)?.acquiringOrderId);
    if (isOfCheckout && isRightlySigned(request, server)) return refundRefusal(404, 'ORDER_NOT_FOUND');
    const answer = await server.forward(request);
    const { data } = bodyOf(answer) ?? {};
    if (isCheckout(request) && isObject(data) && typeof data.orderId === 'string') orders.add(data.orderId);
    return answer;
  };
}

/** Takes a merchantRefundOrderId for one of the platform: another merchant's is refused before anything is made. */
export function refusingIdsOfOthers(): Handler {
  const owners = new Map<string, string>();
  return onlyFor(isRefundCreate, async (request, server) => {
    const [id, merchantId] = [ownRefundIdOf(request) ?? '', merchantIdOf(request)];
    const owner = owners.get(id);
    if (owner !== undefined && owner !== merchantId) return refundRefusal(400, 'DUPLICATE_REQUEST');
    // It is held before it is taken, since two merchants may send it at once.
    owners.set(id, merchantId);
    const answer = await server.forward(request);
    if (owner === undefined && bodyOf(answer)?.code !== successCode) owners.delete(id);
    return answer;
  });
}

const isAscii = (text: unknown) => /^[\x20-\x7e]+$/.test(String(text));

let number = 10n ** 17n;

/** A new long number. */
function nextNumber(): string {
  number += 1_000_003n;
  return String(number);
}

/** A number with a digit behind it that depends on all others. */
const withCheckDigit = (digits: string) =>
  `${digits}${[...digits].reduce((sum, digit) => sum + Number(digit), 0) % 10}`;

/** Whether a query is for a refund whose id has another check digit than it should have. */
function asksForWrongCheckDigit(target: string): boolean {
  const id = new URLSearchParams(target.split('?')[1]).get('refundOrderId');
  return id !== null && id !== withCheckDigit(id.slice(0, -1));
}

const servers: readonly Omit<Variant, 'area'>[] = [
  {
    id: 'refunds-straight',
    title: 'Brings refunds from PENDING to their end, and knows neither PROCESSING nor CLOSED.',
    make: movingBy([
      { from: 'PENDING', event: 'completed', to: 'SUCCEEDED' },
      { from: 'PENDING', event: 'failed', to: 'FAILED' },
    ]),
  },
  {
    id: 'refunds-further-fields',
    title: 'Has further fields, some of them null, times to the second in the zone of a place, and 18 decimal places.',
    make: {
      merchantApi: firstOf(
        showingRefunds((record) => ({ ...record, reviewer: null, fee: { value: '0' }, refundReason: 'sent back' })),
        onlyFor(
          isOfRefunds,
          answeringJson((envelope) => ({ traceId: 'a1', success: envelope.code === successCode, ...envelope })),
        ),
        writing(inSingapore),
        amountsAs((amount) => {
          const [whole = '0', places = ''] = amount.split('.');
          return `${whole}.${places.padEnd(18, '0')}`;
        }),
      ),
    },
  },
  {
    id: 'refunds-fewer-fields',
    title: 'Shows what a state needs and no more, times without a zone, and long numbers as ids.',
    make: {
      parts: (parts) => ({
        ...parts,
        ids: {
          ...parts.ids,
          refundOrderId: nextNumber,
        },
      }),
      merchantApi: firstOf(
        writing((iso) => inSingapore(iso).replace('+08:00', '.123456')),
        onlyFor(
          isOfRefunds,
          answeringJson((envelope) => ({ ...envelope, requestId: String(Math.floor(Math.random() * 10 ** 15)) })),
        ),
        showingRefunds((record) => {
          const shown = record.status === 'PENDING' ? record : without('estimatedCompletionTime')(record);
          return record.status === 'SUCCEEDED' ? shown : without('merchantDeductAmount')(shown);
        }),
      ),
    },
  },
  {
    id: 'refunds-replayed',
    title: 'Answers a repeated create as it answered the first one, after a while, and knows the ids of all merchants.',
    make: { merchantApi: firstOf(replaying(150), refusingIdsOfOthers()) },
  },
  {
    id: 'refunds-repeats-refused',
    title: 'Refuses every second create under an id, with codes and statuses of its own where none is said.',
    make: {
      merchantApi: firstOf(
        refusingKnownIds(),
        refusingRefunds(
          ({ code }) => code === 'ORDER_NOT_REFUNDABLE' || code === 'ORDER_ALREADY_REFUNDED',
          withCode('E4100'),
        ),
        refusingRefunds(({ code }) => code === 'ORDER_NOT_FOUND', withCode('NO_SUCH_ORDER')),
        refusingRefunds(({ code }) => code === 'INVALID_API_KEY' || code === 'TIMESTAMP_EXPIRED', withStatus(403)),
        onlyFor(
          (request) => !isRefundCreate(request),
          refusingRefunds(({ status }) => status === 400, withStatus(422)),
        ),
      ),
    },
  },
  {
    id: 'refunds-behind-a-gateway',
    title: 'Has a gateway that answers requests without a key by itself, and amounts without zeros at their end.',
    make: {
      merchantApi: firstOf(
        amountsAs((amount) => addDecimals([amount])),
        onlyFor(
          isOfRefunds,
          answering((answer, { headers }) =>
            answer.status === 401 && headers['x-api-key'] === undefined
              ? jsonAnswer({ code: 'UNAUTHORIZED', error: 'no key' }, 401)
              : answer,
          ),
        ),
      ),
    },
  },
  {
    id: 'refunds-strict',
    title:
      'Refuses unknown fields, long ids, reasons that are empty or in letters beyond ASCII, and wrong check digits of its ids.',
    make: {
      parts: (parts) => ({
        ...withSchema(createSchema, { additionalProperties: false })(parts),
        ids: { ...parts.ids, refundOrderId: () => withCheckDigit(nextNumber()) },
      }),
      merchantApi: firstOf(
        refusingCreates(
          ({ merchantRefundOrderId, refundReason }) =>
            !isAscii(refundReason) || !/^[A-Za-z0-9_-]{1,64}$/.test(String(merchantRefundOrderId)),
        ),
        refusingRefunds(
          ({ status }, { target }) => status === 404 && asksForWrongCheckDigit(target),
          () => refundRefusal(400, 'INVALID_PARAMETER'),
        ),
      ),
    },
  },
  {
    id: 'refunds-refusals-remembered',
    title: 'Refuses a refund request in the same words as before when just the same one comes again.',
    make: { merchantApi: rememberingRefusals() },
  },
  {
    id: 'refunds-hosted-only',
    title: 'Answers refunds of checkout orders as those of unknown orders.',
    make: { merchantApi: notKnowingCheckoutOrders() },
  },
  {
    id: 'refunds-slow',
    title: 'Takes 40 to 80 milliseconds for each refund request, and shows batches in another order, with repeats.',
    make: {
      merchantApi: firstOf(
        onlyFor(isOfRefunds, slowly(40, 80)),
        onlyFor(isRefundBatch, async (request, server) => {
          const answer = await server.forward(request);
          const envelope = bodyOf(answer);
          const { merchantRefundOrderIds: asked } = bodyOf(request) ?? {};
          if (!Array.isArray(envelope?.data) || !Array.isArray(asked)) return answer;
          const records: JsonObject[] = envelope.data;
          const data = asked.flatMap((id) => records.filter((each) => each.merchantRefundOrderId === id)).reverse();
          return { ...answer, body: Buffer.from(JSON.stringify({ ...envelope, data })) };
        }),
      ),
    },
  },
];

/** Conforming servers of refunds that use what the contract leaves free. */
export const refundsVariants: readonly Variant[] = servers.map((variant) => ({ ...variant, area: 'refunds' }));
