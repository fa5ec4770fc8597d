import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';
import { type Network, networks } from '../../../generated/catalogue.ts';
import type { CheckContext } from '../../check/context.ts';
import { base58check } from '../../contract/base58check.ts';
import type { OrderStep } from '../../drivers/driver.ts';

/** The first byte of every address on Tron. */
const tronPrefix = 0x41;

/** A payment with a payer and a transaction of its own, over a network by its code. */
export function paymentOver(context: CheckContext, network: string, amount?: string): OrderStep {
  return {
    type: 'transaction_detected',
    paymentMethod: 'ON_CHAIN_TRANSFER',
    network,
    ...madeUpPayment(networks.find(({ code }) => code === network)?.addressFamily, context.newOrderId()),
    ...(amount !== undefined && { amount }),
  };
}

/**
 * Payers and transactions whose text is right and unusual, and amounts beside them: of digits only, as a number with an exponent is written, and with
 * zeros in front. Code that takes such a text for a number changes it.
 */
const unusualForms = ['digits', 'exponent', 'zeros'] as const;

/** A large amount with all the places that a payment can have, and the price itself. */
const largeAmounts = ['1234567.123456789012345678', '10000000.000000000000000001', undefined];

/** Networks of which each has another form of addresses and transactions. */
export const networksOfEachForm: readonly string[] = networks
  .filter(({ addressFamily }, index) => networks.findIndex((each) => each.addressFamily === addressFamily) === index)
  .map(({ code }) => code);

/** Payments over a network by unusual payers and transactions, the first ones of large amounts. */
export const unusualPaymentsOver = (context: CheckContext, network: string): OrderStep[] =>
  unusualForms.map((form, index) => {
    const amount = largeAmounts[index];
    return { ...paymentOver(context, network, amount), ...unusualPayment(network, form, context.newOrderId()) };
  });

/** A payer and a transaction whose text has a form, another for each `label`. An address on Tron has a checksum, so that its text is left to chance. */
function unusualPayment(
  network: string,
  form: (typeof unusualForms)[number],
  label: string,
): Pick<OrderStep, 'fromAddress' | 'transactionHash'> {
  const bytes = createHash('sha512').update(label).digest();
  const digits = [...bytes, ...bytes].map((byte) => String((byte % 9) + 1)).join('');
  const fill = (start: string, length: number) => `${start}${digits}`.slice(0, length);
  switch (networks.find(({ code }) => code === network)?.addressFamily) {
    case 'evm': {
      const start = { digits: '', exponent: '0e', zeros: '0000' }[form];
      return { fromAddress: `0x${fill(start, 40)}`, transactionHash: `0x${fill(start, 64)}` };
    }
    case 'tron':
      return { transactionHash: fill({ digits: '', exponent: '12e', zeros: '0000' }[form], 64) };
    case 'solana': {
      // Base58 has no 0, and writes each zero byte in front as 1. A number that begins with 3 has as many bytes as it must.
      const zeros = (length: number) => base58.encode(Buffer.from(bytes.subarray(0, length)).fill(0, 0, 2));
      if (form === 'zeros') return { fromAddress: zeros(32), transactionHash: zeros(64) };
      const start = { digits: '3', exponent: '3e' }[form];
      return { fromAddress: fill(start, 44), transactionHash: fill(start, 88) };
    }
    default:
      return {};
  }
}

/** A payer and a transaction in the forms of a family of networks, another for each `label`. Empty: the family is not known. */
function madeUpPayment(
  family: Network['addressFamily'] | undefined,
  label: string,
): Pick<OrderStep, 'fromAddress' | 'transactionHash'> {
  const bytes = createHash('sha512').update(label).digest();
  const hash = bytes.subarray(0, 32).toString('hex');
  switch (family) {
    case 'evm':
      return { fromAddress: `0x${hash.slice(0, 40)}`, transactionHash: `0x${hash}` };
    case 'tron': {
      const address = Buffer.from([tronPrefix, ...bytes.subarray(0, 20)]);
      return { fromAddress: base58check.encode(address), transactionHash: hash };
    }
    case 'solana':
      return { fromAddress: base58.encode(bytes.subarray(0, 32)), transactionHash: base58.encode(bytes) };
    default:
      return {};
  }
}

/** The exchanges from which an order can be paid, as drivers name them. */
export const exchanges = ['EXCHANGE_ONE', 'EXCHANGE_TWO'] as const;

export const confirmed: OrderStep = { type: 'payment_confirmed' };

/** More than the price of an order is paid. */
export const overpaid: OrderStep = { type: 'transaction_detected', amount: '97.654321012345678' };

/** The networks of which the specification says how hosted orders are paid over them. */
export const hostedNetworks = networks
  .filter(({ confirmationsSource }) => confirmationsSource === 'specification')
  .map(({ code }) => code);

/** A payment of a hosted order for which nothing says how it is made: as the driver makes it, or by one of the means, as the check has chosen. */
export function byChosenMeans(context: CheckContext, step: OrderStep): OrderStep {
  const { type, network, paymentMethod } = step;
  if (type !== 'transaction_detected' || network !== undefined || paymentMethod !== undefined) return step;
  const over = hostedNetworks.map((code) => ({ ...paymentOver(context, code), ...step }));
  const from = exchanges.map((exchange) => ({ ...step, paymentMethod: exchange }));
  return context.choose([step, context.choose([step, ...over]), context.choose([step, ...from])]);
}
