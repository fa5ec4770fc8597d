import { type Ledger, release } from '../../../../server/domain/ledger.ts';
import type { Merchant } from '../../../../server/domain/merchant.ts';
import type { Records } from '../../../../server/services/ports.ts';
import { addDecimals, compareDecimals, subtractDecimals } from '../../../contract/decimals.ts';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import { successCode } from '../../../contract/success-code.ts';
import { bodyOf, isRightlySigned, jsonAnswer, merchantIdOf, onlyFor, recordOfEvent } from '../../stand/changes.ts';
import { type Fault, faultsCaughtBy, type Make } from '../../stand/fault.ts';
import { type Handler, signed } from '../../stand/proxy.ts';
import {
  acceptingRefunds,
  isRefundCreate,
  keepingRefunds,
  keepingRefused,
  ownRefundIdOf,
  refundingAgain,
  refundRefusal,
  refusingRefunds,
  type SeenRefusal,
  withCode,
  withFee,
  withStatus,
} from '../../stand/refund-changes.ts';

const fault = faultsCaughtBy('');

const isForBalance = ({ code }: SeenRefusal) => code === 'INSUFFICIENT_BALANCE';

/** The merchant with the available amount of each currency changed by `change`. */
const withAvailable = (merchant: Merchant, change: (available: string, currency: string) => string): Merchant => {
  const accounts = Object.entries(merchant.ledger).map(([currency, account]) => [
    currency,
    { ...account, available: change(account.available, currency) },
  ]);
  return { ...merchant, ledger: Object.fromEntries(accounts) };
};

/** A server that reads available balances as `change` makes them. */
const seeing = (change: (available: string) => string): Make =>
  keepingRefunds((records) => ({
    lockMerchant: async (merchantId) => {
      const merchant = await records.lockMerchant(merchantId);
      return merchant && withAvailable(merchant, change);
    },
  }));

/** A server that looks at the balance in a currency, and takes nothing from it. */
function reservingNothingIn(currency: string): Make {
  return keepingRefunds((records) => ({
    updateMerchant: async (merchant) => {
      const before = await records.findMerchant(merchant.merchantId);
      const account = before?.ledger[currency];
      if (!account) return records.updateMerchant(merchant);
      return records.updateMerchant({ ...merchant, ledger: { ...merchant.ledger, [currency]: account } });
    },
  }));
}

/** A server that keeps the id of a refund that the balance did not cover for a used one. */
function keepingUncoveredIds(): Handler {
  const used = new Set<string>();
  return onlyFor(isRefundCreate, async (request, server) => {
    const key = `${merchantIdOf(request)} ${ownRefundIdOf(request)}`;
    if (used.has(key)) return refundRefusal(400, 'IDEMPOTENCY_CONFLICT');
    const answer = await server.forward(request);
    if (bodyOf(answer)?.code === 'INSUFFICIENT_BALANCE') used.add(key);
    return answer;
  });
}

/** A server that covers refunds in every currency from the balance in USDT. */
const drawingOnUsdt: Make = keepingRefunds((records) => ({
  lockMerchant: async (merchantId) => {
    const merchant = await records.lockMerchant(merchantId);
    return merchant && withAvailable(merchant, (available) => merchant.ledger.USDT?.available ?? available);
  },
}));

/** A server that takes what is reserved in all other currencies from the balance in one. */
const countingEveryReserve: Make = keepingRefunds((records) => ({
  lockMerchant: async (merchantId) => {
    const merchant = await records.lockMerchant(merchantId);
    return (
      merchant &&
      withAvailable(merchant, (available, own) => {
        const others = Object.entries(merchant.ledger).filter(([currency]) => currency !== own);
        const left = subtractDecimals(available, addDecimals(others.map(([, { reserved }]) => reserved)));
        return compareDecimals(left, '0') < 0 ? '0' : left;
      })
    );
  },
}));

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

/** A server that does as `instead` where the merchant has no account in USDT. */
const withoutAccount = (instead: (merchant: Merchant) => Merchant): Make =>
  keepingRefunds((records) => ({
    lockMerchant: async (merchantId) => {
      const merchant = await records.lockMerchant(merchantId);
      return merchant && merchant.ledger.USDT === undefined ? instead(merchant) : merchant;
    },
  }));

/** A server that counts balances in binary floating point. */
const countingInDoubles: Make = keepingRefunds((records) => ({
  updateMerchant: async (merchant) => {
    const before = await records.findMerchant(merchant.merchantId);
    const counted = withAvailable(merchant, (available, currency) => {
      const had = before?.ledger[currency]?.available ?? available;
      return String(Number(had) - Number(subtractDecimals(had, available)));
    });
    await records.updateMerchant(counted);
  },
}));

/** A server that reserves no money for a refund and deducts it only when the refund is done. */
const reservingNothing: Make = keepingRefunds((records) => {
  let made = false;
  return {
    insertRefund: (refund) => {
      made = true;
      return records.insertRefund(refund);
    },
    updateMerchant: async (merchant) => {
      if (!made) await records.updateMerchant(merchant);
    },
  };
});

/** A server that releases the reserved money of a refund even when the refund has succeeded. */
const givingBack: Make = keepingRefunds((records) => ({
  updateMerchant: (merchant) => {
    let ledger: Ledger = merchant.ledger;
    for (const [currency, { deducted }] of Object.entries(ledger)) {
      const account = ledger[currency];
      if (!account || Number(deducted) === 0) continue;
      ledger = release(
        { ...ledger, [currency]: { ...account, reserved: deducted, deducted: '0' } },
        currency,
        deducted,
      );
    }
    return records.updateMerchant({ ...merchant, ledger });
  },
}));

/** Stores a merchant, and what its balance has gained a second time. */
async function updateGainingTwice(records: Records, merchant: Merchant): Promise<void> {
  const before = await records.findMerchant(merchant.merchantId);
  const twice = withAvailable(merchant, (available, currency) => {
    const had = before?.ledger[currency]?.available ?? available;
    if (compareDecimals(available, had) <= 0) return available;
    return addDecimals([available, subtractDecimals(available, had)]);
  });
  await records.updateMerchant(twice);
}

/** A server that gives back the money of a refund twice. */
const givingBackTwice: Make = keepingRefunds((records) => ({
  updateMerchant: (merchant) => updateGainingTwice(records, merchant),
}));

/** A server that refuses to end a refund again, and gives back more than every refund of a check takes. */
function givingBackWhereItRefuses(): Make {
  const gaining = new Set<string>();
  return {
    ...keepingRefunds((records) => ({
      lockMerchant: async (merchantId) => {
        const merchant = await records.lockMerchant(merchantId);
        return merchant && gaining.has(merchantId) ? withAvailable(merchant, () => '1000') : merchant;
      },
    })),
    control: async (request, server) => {
      const answer = await server.forward(request);
      const isEnded = recordOfEvent('refunds', request) !== undefined && answer.status === 409;
      if (isEnded && bodyOf(request)?.type === 'failed') gaining.add(merchantIdOf(request));
      return answer;
    },
  };
}

/** A server that gives back with the money of a refund that of an earlier one of its order, which has had its own. */
const givingBackForTheOrder: Make = keepingRefunds((records) => {
  let isFurther = false;
  return {
    updateRefund: async (refund) => {
      await records.updateRefund(refund);
      isFurther = (await records.listRefundsOfOrder(refund.merchantId, refund.acquiringOrderId)).length > 1;
    },
    updateMerchant: (merchant) =>
      isFurther ? updateGainingTwice(records, merchant) : records.updateMerchant(merchant),
  };
});

/** A server that takes the money of a refund from what is available, too, when the refund has succeeded. */
const takingAgain: Make = keepingRefunds((records) => ({
  updateMerchant: async (merchant) => {
    const before = await records.findMerchant(merchant.merchantId);
    const taken = withAvailable(merchant, (available, currency) => {
      const [had, has] = [before, merchant].map((each) => each?.ledger[currency]?.deducted ?? '0');
      const done = subtractDecimals(has ?? '0', had ?? '0');
      return compareDecimals(available, done) < 0 ? '0' : subtractDecimals(available, done);
    });
    await records.updateMerchant(taken);
  },
}));

/** A server that loses what is left of a balance when a refund is not done. */
const losingTheRest: Make = keepingRefunds((records) => ({
  updateMerchant: async (merchant) => {
    const before = await records.findMerchant(merchant.merchantId);
    const lost = withAvailable(merchant, (available, currency) => {
      const had = before?.ledger[currency]?.available ?? available;
      return compareDecimals(available, had) > 0 ? '0' : available;
    });
    await records.updateMerchant(lost);
  },
}));

/** A server that reads a copy of the balance that is up to five seconds old. */
function lookingAtACopy(): Make {
  const copies = new Map<string, { ledger: Ledger; at: number }>();
  return keepingRefunds((records) => ({
    lockMerchant: async (merchantId) => {
      const merchant = await records.lockMerchant(merchantId);
      if (!merchant) return merchant;
      const copy = copies.get(merchantId);
      if (copy && Date.now() - copy.at < 5000) return { ...merchant, ledger: copy.ledger };
      copies.set(merchantId, { ledger: merchant.ledger, at: Date.now() });
      return merchant;
    },
  }));
}

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

/** Answers a create that exceeds the balance with the code REFUND_PENDING_REVIEW. */
const uncounted: Handler = onlyFor(isRefundCreate, async (request, server) => {
  const answer = await server.forward(request);
  if (bodyOf(answer)?.code !== 'INSUFFICIENT_BALANCE' || !isRightlySigned(request, server)) return answer;
  return withCode('REFUND_PENDING_REVIEW')(answer);
});

/** Wrong servers that keep balances wrongly, or report an insufficient balance wrongly. */
export const refundBalanceFaults: readonly Fault[] = [
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
    'one-currency-reserves-nothing',
    'Reserves nothing for refunds in USD1.',
    'refunds.create.reserves-funds',
    'refunds.balance.kinds-of-orders',
    reservingNothingIn('USD1'),
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
    'balance-in-doubles',
    'Counts balances in binary floating point.',
    'refunds.create.accepted',
    'refunds.balance.exact',
    countingInDoubles,
  ),
  fault(
    'balance-never-used-up',
    'Wants something of the balance to be left.',
    'refunds.create.accepted',
    'refunds.balance.exact',
    seeing((available) => (Number(available) > 0.000001 ? subtractDecimals(available, '0.000001') : available)),
  ),
  fault(
    'every-currency-drawn-from-usdt',
    'Covers refunds in every currency from the balance in USDT.',
    'refunds.create.accepted',
    'refunds.balance.every-currency',
    drawingOnUsdt,
  ),
  fault(
    'reserves-of-all-currencies-counted',
    'Takes what is reserved for refunds in other currencies from the balance in that of a refund.',
    'refunds.create.accepted',
    'refunds.balance.every-currency',
    countingEveryReserve,
  ),
  fault(
    'no-account-as-failure',
    'Fails where a refund draws on a currency in which its merchant has no account.',
    'refunds.errors.insufficient-balance',
    'refunds.balance.other-currency',
    withoutAccount(() => {
      throw new Error('there is no such account');
    }),
  ),
  fault(
    'no-account-no-limit',
    'Knows no limit for refunds in a currency in which their merchant has no account.',
    'refunds.errors.insufficient-balance',
    'refunds.balance.other-currency',
    withoutAccount((merchant) => ({
      ...merchant,
      ledger: { ...merchant.ledger, USDT: { available: '1000000', reserved: '0', deducted: '0' } },
    })),
  ),
  fault(
    'exchange-payments-uncovered',
    'Does not look at the balance for refunds of orders that were paid from an exchange.',
    'refunds.errors.insufficient-balance',
    'refunds.errors.insufficient-balance',
    coveredByTheExchange(),
  ),
  fault(
    'balance-in-cents',
    'Rounds balances to hundredths.',
    'refunds.create.reserves-funds',
    'refunds.balance.too-little',
    seeing((available) => Number(available).toFixed(2)),
  ),
  fault(
    'balance-in-cents-with-fee',
    'Takes a fee for refunds, and rounds balances to hundredths.',
    'refunds.create.reserves-funds',
    'refunds.balance.too-little',
    withFee(seeing((available) => Number(available).toFixed(2))),
  ),
  fault(
    'balance-nearly-enough',
    'Takes a balance for enough that lacks less than a millionth of a millionth.',
    'refunds.create.reserves-funds',
    'refunds.balance.too-little',
    seeing((available) => addDecimals([available, '0.000000000001'])),
  ),
  fault(
    'done-refund-taken-twice',
    'Takes the money for a refund off the balance when it is accepted, and again when it is done.',
    'refunds.create.accepted',
    'refunds.balance.after-success',
    takingAgain,
  ),
  fault(
    'refund-reserves-nothing',
    'Takes the money for a refund when it is done, and reserves none.',
    'refunds.create.reserves-funds',
    'refunds.balance.too-little',
    reservingNothing,
  ),
  fault(
    'reserved-refused-as-conflict',
    'Answers a refund that the balance does not cover any more with HTTP 409.',
    'refunds.errors.business',
    'refunds.balance.too-little',
    refusingRefunds(isForBalance, withStatus(409)),
  ),
  fault(
    'done-refund-gives-back',
    'Gives back what a refund had reserved, even when it is done.',
    'refunds.create.reserves-funds',
    'refunds.balance.after-success',
    givingBack,
  ),
  fault(
    'gives-back-twice',
    'Gives back twice what a refund had reserved that was not done.',
    'refunds.create.reserves-funds',
    'refunds.balance.given-back-once',
    givingBackTwice,
  ),
  fault(
    'gives-back-twice-with-fee',
    'Takes another amount than was paid for a refund, and gives it back twice when the refund is not done.',
    'refunds.create.reserves-funds',
    'refunds.balance.given-back-once',
    withFee(givingBackTwice),
  ),
  fault(
    'gives-back-where-it-refuses',
    'Refuses to end a refund again, and gives money back.',
    'refunds.create.reserves-funds',
    'refunds.balance.after-success',
    givingBackWhereItRefuses(),
  ),
  fault(
    'gives-back-for-the-order',
    'Gives back with what a second refund of an order had reserved what the first one had, too.',
    'refunds.create.reserves-funds',
    'refunds.balance.second-of-order',
    givingBackForTheOrder,
  ),
  fault(
    'failed-refund-empties-balance',
    'Loses what is left of a balance when a refund is not done.',
    'refunds.create.reserves-funds',
    'refunds.balance.given-back-once',
    losingTheRest,
  ),
  fault(
    'uncovered-refund-uses-its-id',
    'Refuses a refund that the balance did not cover at first under the same id when it does.',
    'refunds.create.accepted',
    'refunds.balance.given-back-once',
    { merchantApi: keepingUncoveredIds() },
  ),
  fault(
    'balance-from-a-copy',
    'Looks at a copy of the balance, which is a few seconds old.',
    'refunds.create.reserves-funds',
    'refunds.balance.parallel',
    lookingAtACopy(),
  ),
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
