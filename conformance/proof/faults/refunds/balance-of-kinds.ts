import type { Merchant } from '../../../../server/domain/merchant.ts';
import type { HostedOrder, Order } from '../../../../server/domain/order.ts';
import type { Refund } from '../../../../server/domain/refund.ts';
import type { Records } from '../../../../server/services/ports.ts';
import { compareDecimals, subtractDecimals } from '../../../contract/decimals.ts';
import { type Fault, faultsCaughtBy, type Make } from '../../stand/fault.ts';
import { crediting, keepingRefunds } from '../../stand/refund-changes.ts';

const fault = faultsCaughtBy('refunds.balance.');

async function creditMerchant(records: Records, { merchantId, amount: { currency } }: Refund, amount: string) {
  const merchant = await records.lockMerchant(merchantId);
  if (merchant) await records.updateMerchant({ ...merchant, ledger: crediting(merchant.ledger, currency, amount) });
}

/** A server that gives back a part of what a refund reserves, as soon as it is made. */
const givingBackAtOnce = (partOf: (refund: Refund, order: Order) => string): Make =>
  keepingRefunds((records) => {
    let back: { currency: string; amount: string } | undefined;
    return {
      insertRefund: async (refund) => {
        const order = await records.lockOrder(refund.merchantId, refund.acquiringOrderId);
        if (order) back = { currency: refund.amount.currency, amount: partOf(refund, order) };
        return records.insertRefund(refund);
      },
      updateMerchant: (merchant) =>
        records.updateMerchant(
          back ? { ...merchant, ledger: crediting(merchant.ledger, back.currency, back.amount) } : merchant,
        ),
    };
  });

/** What a refund takes more than the number in the price of its order. */
const beyondPrice = ({ deductAmount }: Refund, { request: { orderAmount } }: Order): string =>
  orderAmount.currency === 'USD' && compareDecimals(deductAmount, orderAmount.value) > 0
    ? subtractDecimals(deductAmount, orderAmount.value)
    : '0';

/** What a refund takes, of a hosted order for which `applies` is true. */
const where =
  (applies: (order: HostedOrder) => boolean) =>
  ({ deductAmount }: Refund, order: Order): string =>
    order.product === 'hosted' && applies(order) ? deductAmount : '0';

const isSplit = ({ request: { subMerchants } }: HostedOrder) => subMerchants !== undefined;
const isInUsd = ({ request: { orderAmount } }: HostedOrder) => orderAmount.currency === 'USD';
const hasItems = ({ request: { items } }: HostedOrder) => items !== undefined;

/** A server that reserves nothing for a refund while it is in PROCESSING. */
const releasingInProcessing: Make = keepingRefunds((records) => ({
  updateRefund: async (refund) => {
    await records.updateRefund(refund);
    if (refund.status === 'PROCESSING') await creditMerchant(records, refund, refund.deductAmount);
  },
}));

/** A server that credits the balance in USDT, or in its own currency, with what a refund in another currency gives back, or takes for good. */
const creditingEnded = (statuses: readonly string[], inOwn = false): Make =>
  keepingRefunds((records) => {
    const credited = (ledger: Merchant['ledger'], { amount: { currency }, deductAmount }: Refund) =>
      crediting(ledger, inOwn ? currency : 'USDT', deductAmount);
    let ended: Refund | undefined;
    return {
      updateRefund: async (refund) => {
        if (statuses.includes(refund.status) && refund.amount.currency !== 'USDT') ended = refund;
        await records.updateRefund(refund);
      },
      updateMerchant: (merchant) =>
        records.updateMerchant(ended ? { ...merchant, ledger: credited(merchant.ledger, ended) } : merchant),
    };
  });

/** What a refund takes whose id has been that of another refund before, in capital or small letters. */
function takenUnderSimilarId(): (refund: Refund) => string {
  const known = new Set<string>();
  return ({ merchantId, merchantRefundOrderId, deductAmount }) => {
    const id = `${merchantId} ${merchantRefundOrderId.toLowerCase()}`;
    if (known.has(id)) return deductAmount;
    known.add(id);
    return '0';
  };
}

const day = 86_400_000;

/** Wrong servers that keep a merchant's balance right for usual orders only. */
export const refundBalanceOfKindsFaults: readonly Fault[] = [
  fault(
    'refund-under-similar-id-reserves-nothing',
    'Reserves nothing for a refund whose id differs from that of an earlier one in the case of its letters.',
    'refunds.create.reserves-funds',
    'names',
    givingBackAtOnce(takenUnderSimilarId()),
  ),
  fault(
    'refund-of-order-confirmed-late-reserves-nothing',
    'Reserves nothing for refunds of orders whose payment was confirmed after their expiry.',
    'refunds.create.reserves-funds',
    'kinds-of-orders',
    givingBackAtOnce(where(({ paidAt, expiresAt }) => paidAt !== null && paidAt > expiresAt)),
  ),
  fault(
    'refund-of-order-paid-the-day-before-reserves-nothing',
    'Reserves nothing for refunds of orders that were paid more than a day before.',
    'refunds.create.reserves-funds',
    'kinds-of-orders',
    givingBackAtOnce(({ deductAmount, createdAt }, { paidAt }) =>
      paidAt !== null && createdAt - paidAt > day ? deductAmount : '0',
    ),
  ),
  fault(
    'exchange-refund-reserves-nothing',
    'Reserves nothing for refunds of orders that an exchange paid.',
    'refunds.create.reserves-funds',
    'kinds-of-orders',
    givingBackAtOnce(({ deductAmount, paymentMethod }) => (paymentMethod.startsWith('EXCHANGE') ? deductAmount : '0')),
  ),
  fault(
    'refund-of-payment-over-solana-reserves-nothing',
    'Reserves nothing for refunds of orders that were paid over solana.',
    'refunds.create.reserves-funds',
    'kinds-of-orders',
    givingBackAtOnce(where(({ payment }) => payment?.network === 'solana')),
  ),
  fault(
    'usd-refund-reserves-price',
    'Reserves the number in the price for refunds of orders in USD, in USDT.',
    'refunds.create.reserves-funds',
    'kinds-of-orders',
    givingBackAtOnce(beyondPrice),
  ),
  fault(
    'refund-of-split-order-in-usd-reserves-nothing',
    'Reserves nothing for refunds of orders in USD that are split among sub-merchants.',
    'refunds.create.reserves-funds',
    'kinds-of-orders',
    givingBackAtOnce(where((order) => isInUsd(order) && isSplit(order))),
  ),
  fault(
    'refund-of-order-with-items-in-usd-reserves-nothing',
    'Reserves nothing for refunds of orders in USD that have items.',
    'refunds.create.reserves-funds',
    'kinds-of-orders',
    givingBackAtOnce(where((order) => isInUsd(order) && hasItems(order))),
  ),
  fault(
    'refund-of-split-order-from-exchange-reserves-nothing',
    'Reserves nothing for refunds of orders that are split among sub-merchants and were paid by an exchange.',
    'refunds.create.reserves-funds',
    'kinds-of-orders',
    givingBackAtOnce((refund, order) =>
      refund.paymentMethod.startsWith('EXCHANGE') ? where(isSplit)(refund, order) : '0',
    ),
  ),
  fault(
    'refund-of-overpaid-split-order-reserves-nothing',
    'Reserves nothing for refunds of orders that are split among sub-merchants and were paid more than they cost.',
    'refunds.create.reserves-funds',
    'kinds-of-orders',
    givingBackAtOnce((refund, order) =>
      compareDecimals(refund.deductAmount, '19') > 0 ? where(isSplit)(refund, order) : '0',
    ),
  ),
  fault(
    'reservation-dropped-in-processing',
    'Reserves nothing for a refund while it is in PROCESSING.',
    'refunds.create.reserves-funds',
    'while-processing',
    releasingInProcessing,
  ),
  fault(
    'done-refund-given-back-in-other-currencies',
    'Gives back what a refund in another currency than USDT took, once it has SUCCEEDED.',
    'refunds.create.reserves-funds',
    'kinds-of-orders',
    creditingEnded(['SUCCEEDED'], true),
  ),
  fault(
    'failed-refund-given-back-in-usdt',
    'Gives back what refunds that FAILED or were CLOSED reserved in USDT, whatever their currency is.',
    'refunds.create.reserves-funds',
    'of-each-currency',
    creditingEnded(['FAILED', 'CLOSED']),
  ),
  fault(
    'done-refund-credited-in-usdt',
    'Credits the balance in USDT when a refund in another currency has SUCCEEDED.',
    'refunds.create.reserves-funds',
    'of-each-currency',
    creditingEnded(['SUCCEEDED']),
  ),
];
