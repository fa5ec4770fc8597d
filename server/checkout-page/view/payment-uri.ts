import type { NetworkCode } from '../../../generated/catalogue.ts';
import { compareAmounts, inSmallestUnits, sumAmounts } from '../../domain/money.ts';
import { simulatedAddress } from '../../services/simulated-chain.ts';

/** The EIP-155 chain ids that a payment URI names. */
const chainIds: Partial<Record<NetworkCode, number>> = {
  eth: 1,
  bsc: 56,
  polygon: 137,
  arbitrum: 42161,
  optimism: 10,
};

/** Decimal places of the made-up USDT on EVM chains: as many as an amount of the contract can have. */
const tokenPlaces = 18;

/** The largest number that a transfer on an EVM chain can carry. */
const largestTransfer = String(2n ** 256n - 1n);

/**
 * The text that a wallet reads from a QR code to fill in a transfer of USDT: EIP-681 on EVM chains, Solana Pay on
 * Solana. `undefined` on TRON, which has no widely used form of URI and whose wallets read a bare address. Also
 * `undefined` for an amount that no transfer could carry.
 * The token is made up, like the address. With the real token, a wallet that scans a sandbox's code would offer to send
 * money to an address whose key nobody has.
 */
export function paymentUri(network: NetworkCode, address: string, amount: string): string | undefined {
  const token = simulatedAddress(network, 'USDT');
  const units = inSmallestUnits(amount, tokenPlaces);
  if (compareAmounts(units, largestTransfer) > 0) return undefined;
  if (network === 'solana') return `solana:${address}?amount=${sumAmounts([amount])}&spl-token=${token}`;
  const chainId = chainIds[network];
  if (chainId === undefined) return undefined;
  return `ethereum:${token}@${chainId}/transfer?address=${address}&uint256=${units}`;
}
