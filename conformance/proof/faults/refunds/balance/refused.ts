import { isObject, type JsonObject } from '../../../../contract/json.ts';
import { successCode } from '../../../../contract/success-code.ts';
import { bodyOf, jsonAnswer, merchantIdOf, onlyFor } from '../../../stand/changes.ts';
import { type Fault, faultsCaughtBy, type Make } from '../../../stand/fault.ts';
import { type Handler, signed } from '../../../stand/proxy.ts';
import { isRefundCreate, refundingAgain, refundRefusal } from '../../../stand/refund-changes.ts';

const fault = faultsCaughtBy('');

/** A server that reserves the money for a refund that it refuses. */
const reservingForRefused: Make = {
  parts: refundingAgain,
  merchantApi: onlyFor(isRefundCreate, async (request, server) => {
    const answer = await server.forward(request);
    const merchant = server.merchant(merchantIdOf(request));
    const body = bodyOf(request);
    if (!merchant || !body || answer.status === 200 || answer.status === 404) return answer;
    const reserving = { refundReason: 'none', ...body, merchantRefundOrderId: crypto.randomUUID() };
    await server.forward(signed({ ...request, body: Buffer.from(JSON.stringify(reserving)) }, merchant));
    return answer;
  }),
};

/** A server that finds no balance any more after it refused a create with this code. */
function losingTheBalance(code: string): Handler {
  const lost = new Set<string>();
  return onlyFor(isRefundCreate, async (request, server) => {
    const merchantId = merchantIdOf(request);
    const answer = await server.forward(request);
    if (bodyOf(answer)?.code === successCode && lost.has(merchantId)) return refundRefusal(400, 'INSUFFICIENT_BALANCE');
    if (bodyOf(answer)?.code === code) lost.add(merchantId);
    return answer;
  });
}

/** A server that gives the money of an earlier refund back where it refuses a create with this code, and so accepts one too many. */
function givingBackAfter(code: string): Handler {
  const accepted = new Map<string, JsonObject>();
  const lent = new Set<string>();
  return onlyFor(isRefundCreate, async (request, server) => {
    const merchantId = merchantIdOf(request);
    const answer = await server.forward(request);
    const envelope = bodyOf(answer);
    if (envelope?.code === successCode) accepted.set(merchantId, envelope);
    if (envelope?.code === code) lent.add(merchantId);
    const earlier = accepted.get(merchantId);
    if (envelope?.code !== 'INSUFFICIENT_BALANCE' || !isObject(earlier?.data) || !lent.delete(merchantId))
      return answer;
    const { merchantRefundOrderId, acquiringOrderId } = bodyOf(request) ?? {};
    const data = { ...earlier.data, refundOrderId: crypto.randomUUID(), merchantRefundOrderId, acquiringOrderId };
    return jsonAnswer({ ...earlier, data });
  });
}

/** Wrong servers that reserve money for refunds that they refuse, or give some back. */
export const balanceOfRefusedFaults: readonly Fault[] = [
  fault(
    'refused-refund-reserves',
    'Sets the money aside for refunds that it then refuses.',
    'refunds.errors.refused',
    'refunds.errors.reserves-nothing',
    reservingForRefused,
  ),
  fault(
    'uncovered-refund-reserves',
    'Takes a refund that the balance does not cover off the balance, and then refuses it.',
    'refunds.errors.refused',
    'refunds.errors.reserves-nothing',
    losingTheBalance('INSUFFICIENT_BALANCE'),
  ),
  fault(
    'second-refund-reserves',
    'Takes the second refund of an order off the balance, and then refuses it.',
    'refunds.errors.refused',
    'refunds.errors.reserves-nothing',
    losingTheBalance('ORDER_ALREADY_REFUNDED'),
  ),
  fault(
    'second-refund-gives-back',
    'Gives the money of the first refund of an order back where it refuses the second one.',
    'refunds.create.reserves-funds',
    'refunds.errors.reserves-nothing',
    givingBackAfter('ORDER_ALREADY_REFUNDED'),
  ),
  ...(
    [
      ['ORDER_NOT_REFUNDABLE', 'other-causes'],
      ['ORDER_NOT_FOUND', 'other-causes'],
      ['TIMESTAMP_EXPIRED', 'other-causes'],
      ['INVALID_API_KEY', 'other-causes'],
      ['IDEMPOTENCY_CONFLICT', 'other-causes'],
      ['REFUND_PERIOD_EXPIRED', 'period-expired'],
      ['RATE_LIMIT_EXCEEDED', 'rate-limit'],
    ] as const
  ).map(([code, check]) =>
    fault(
      `refused-as-${code.toLowerCase().replaceAll('_', '-')}-reserves`,
      `Takes a refund that it refuses with ${code} off the balance.`,
      'refunds.errors.refused',
      `refunds.errors.reserves-nothing.${check}`,
      losingTheBalance(code),
    ),
  ),
];
