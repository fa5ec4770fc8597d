import { addDecimals } from '../../../../contract/decimals.ts';
import { isObject } from '../../../../contract/json.ts';
import { bodyOf, isRightlySigned, merchantIdOf, onlyFor, recordOfEvent } from '../../../stand/changes.ts';
import { type Fault, faultsCaughtBy, type Make } from '../../../stand/fault.ts';
import type { Handler } from '../../../stand/proxy.ts';
import {
  acceptingRefunds,
  isRefundCreate,
  keepingRefused,
  refusingRefunds,
  type SeenRefusal,
  withCode,
  withStatus,
} from '../../../stand/refund-changes.ts';

const fault = faultsCaughtBy('');

const isForBalance = ({ code }: SeenRefusal) => code === 'INSUFFICIENT_BALANCE';

/** A server that covers refunds of orders that were paid from an exchange by the exchange's money. */
function coveredByTheExchange(): Make {
  const orders = new Set<unknown>();
  return {
    control: (request, server) => {
      const orderId = recordOfEvent('orders', request);
      const method = bodyOf(request)?.paymentMethod;
      if (orderId !== undefined && String(method).startsWith('EXCHANGE')) orders.add(orderId);
      return server.forward(request);
    },
    merchantApi: acceptingRefunds(
      (refusal, request) => isForBalance(refusal) && orders.has(bodyOf(request)?.acquiringOrderId),
    ),
  };
}

/** A server that tells merchants who were made without a balance in USDT that one unit is there. */
function tellingOfOneWithoutAccount(): Make {
  const without = new Set<unknown>();
  return {
    control: async (request, server) => {
      const answer = await server.forward(request);
      const balances = bodyOf(request)?.balances;
      if (isObject(balances) && balances.USDT === undefined) without.add(bodyOf(answer)?.merchantId);
      return answer;
    },
    merchantApi: refusingRefunds(isForBalance, (answer, request) => {
      if (!without.has(merchantIdOf(request))) return answer;
      const told = answer.body.toString('utf8').replace(/available 0(?:[.]0+)? /, 'available 1 ');
      return { ...answer, body: Buffer.from(told) };
    }),
  };
}

const details = (text: string): Handler =>
  refusingRefunds(isForBalance, (answer) => ({
    ...answer,
    body: Buffer.from(JSON.stringify({ ...bodyOf(answer), details: text })),
  }));

/** A server whose details call the whole balance available, and not what refunds have left of it. */
function tellingTheWholeBalance(): Handler {
  const taken = new Map<string, string[]>();
  return onlyFor(isRefundCreate, async (request, server) => {
    const answer = await server.forward(request);
    const { code, data, details: told } = bodyOf(answer) ?? {};
    const reserved = taken.get(merchantIdOf(request)) ?? [];
    if (isObject(data)) taken.set(merchantIdOf(request), [...reserved, String(data.merchantDeductAmount)]);
    if (code !== 'INSUFFICIENT_BALANCE' || reserved.length === 0) return answer;
    const whole = String(told).replace(/[0-9.]*[0-9]/g, (amount) => addDecimals([amount, ...reserved]));
    return { ...answer, body: Buffer.from(JSON.stringify({ ...bodyOf(answer), details: whole })) };
  });
}

/** A server whose details add what there is of USDC to what there is of USDT. */
function tellingAllCurrencies(): Make {
  const ofUsdc = new Map<string, string>();
  return {
    control: async (request, server) => {
      const answer = await server.forward(request);
      const [{ balances } = {}, { merchantId } = {}] = [bodyOf(request), bodyOf(answer)];
      if (isObject(balances) && balances.USDC !== undefined) ofUsdc.set(String(merchantId), String(balances.USDC));
      return answer;
    },
    merchantApi: refusingRefunds(isForBalance, (answer, request) => ({
      ...answer,
      body: Buffer.from(
        answer.body
          .toString('utf8')
          .replace(/(?<=available )[0-9.]+/, (amount) =>
            addDecimals([amount, ofUsdc.get(merchantIdOf(request)) ?? '0']),
          ),
      ),
    })),
  };
}

/** Answers a create that exceeds the balance with the code REFUND_PENDING_REVIEW. */
const uncounted: Handler = onlyFor(isRefundCreate, async (request, server) => {
  const answer = await server.forward(request);
  if (bodyOf(answer)?.code !== 'INSUFFICIENT_BALANCE' || !isRightlySigned(request, server)) return answer;
  return withCode('REFUND_PENDING_REVIEW')(answer);
});

/** Wrong servers that accept what the balance does not cover, or refuse it wrongly. */
export const insufficientBalanceFaults: readonly Fault[] = [
  fault(
    'balance-not-looked-at',
    'Refunds whatever the balance is.',
    'refunds.errors.insufficient-balance',
    'refunds.errors.insufficient-balance',
    acceptingRefunds(isForBalance),
  ),
  fault(
    'balance-with-another-code',
    'Has a code of its own for a balance that is too small.',
    'refunds.errors.insufficient-balance',
    'refunds.errors.insufficient-balance',
    uncounted,
  ),
  fault(
    'balance-as-402',
    'Asks for money with HTTP 402.',
    'refunds.errors.business',
    'refunds.errors.insufficient-balance',
    refusingRefunds(isForBalance, withStatus(402)),
  ),
  fault(
    'balance-refused-and-kept',
    'Refuses a refund that the balance does not cover, and shows its record.',
    'refunds.errors.refused',
    'refunds.errors.insufficient-balance',
    keepingRefused(isForBalance),
  ),
  fault(
    'balance-refused-in-batches',
    'Refuses a refund that the balance does not cover, and shows it as FAILED in batch queries.',
    'refunds.errors.refused',
    'refunds.errors.insufficient-balance',
    keepingRefused(isForBalance, 'batch query'),
  ),
  fault(
    'balance-without-amounts',
    'Says that the balance is too small, and no more.',
    'refunds.errors.insufficient-balance.details',
    'refunds.errors.insufficient-balance.details',
    details('the balance is too small'),
  ),
  fault(
    'balance-with-one-amount',
    'Says how much is needed, and not how much there is.',
    'refunds.errors.insufficient-balance.details',
    'refunds.errors.insufficient-balance.details',
    details('required 9.50 USDT'),
  ),
  fault(
    'balance-of-nothing-not-told',
    'Says how much there is only where there is something.',
    'refunds.errors.insufficient-balance.details',
    'refunds.errors.insufficient-balance.details',
    refusingRefunds(isForBalance, (answer) => ({
      ...answer,
      body: Buffer.from(answer.body.toString('utf8').replace(/available 0(?:[.]0+)? /, 'available nothing of ')),
    })),
  ),
  fault(
    'balance-of-no-account-told-as-one',
    'Tells of one unit where a merchant has no account in the currency.',
    'refunds.errors.insufficient-balance.details',
    'refunds.errors.insufficient-balance.details',
    tellingOfOneWithoutAccount(),
  ),
  fault(
    'balance-told-in-hundredths',
    'Tells how much is needed and how much there is in hundredths.',
    'refunds.errors.insufficient-balance.details',
    'refunds.errors.insufficient-balance.details',
    refusingRefunds(isForBalance, (answer) => ({
      ...answer,
      body: Buffer.from(answer.body.toString('utf8').replace(/([0-9]+[.][0-9]{2})[0-9]+/g, '$1')),
    })),
  ),
  fault(
    'balance-told-with-an-exponent',
    'Writes how much there is with an exponent where the number ends in zeros.',
    'refunds.errors.insufficient-balance.details',
    'refunds.errors.insufficient-balance.details',
    refusingRefunds(isForBalance, (answer) => ({
      ...answer,
      body: Buffer.from(answer.body.toString('utf8').replace(/available 200(?:[.]0+)? /, 'available 2E+2 ')),
    })),
  ),
  fault(
    'needed-told-in-hundredths',
    'Tells how much is needed in hundredths.',
    'refunds.errors.insufficient-balance.details',
    'refunds.errors.insufficient-balance.details',
    refusingRefunds(isForBalance, (answer) => ({
      ...answer,
      body: Buffer.from(answer.body.toString('utf8').replace(/(required [0-9]+[.][0-9]{2})[0-9]+/, '$1')),
    })),
  ),
  fault(
    'balance-told-of-all-currencies',
    'Tells how much there is in all currencies together.',
    'refunds.errors.insufficient-balance.details',
    'refunds.errors.insufficient-balance.details',
    tellingAllCurrencies(),
  ),
  fault(
    'needed-told-in-dollars',
    'Tells the price in USD as what is needed where it is the smaller number.',
    'refunds.errors.insufficient-balance.details',
    'refunds.errors.insufficient-balance.details',
    refusingRefunds(isForBalance, (answer) => ({
      ...answer,
      body: Buffer.from(answer.body.toString('utf8').replace(/required 15(?:[.]0+)? USDT/, 'required 10 USD')),
    })),
  ),
  fault(
    'balance-told-as-a-whole',
    'Tells how much the balance was before other refunds reserved a part of it.',
    'refunds.errors.insufficient-balance.details',
    'refunds.errors.insufficient-balance.details',
    tellingTheWholeBalance(),
  ),
  fault(
    'exchange-payments-uncovered',
    'Does not look at the balance for refunds of orders that were paid from an exchange.',
    'refunds.errors.insufficient-balance',
    'refunds.errors.insufficient-balance',
    coveredByTheExchange(),
  ),
  fault(
    'reserved-refused-as-conflict',
    'Answers a refund that the balance does not cover any more with HTTP 409.',
    'refunds.errors.business',
    'refunds.balance.too-little',
    refusingRefunds(isForBalance, withStatus(409)),
  ),
];
