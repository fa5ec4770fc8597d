import type { NetworkCode } from '../../../generated/catalogue.ts';
import { compareAmounts, inSmallestUnits, sumAmounts } from '../../domain/money.ts';
import { simulatedAddress } from '../../services/simulated-chain.ts';

/** The chains of EIP-155 that a payment URI names. */
const chainIds: Partial<Record<NetworkCode, number>> = {
  eth: 1,
  bsc: 56,
  polygon: 137,
  arbitrum: 42161,
  optimism: 10,
};

/** Places of the made-up USDT on EVM chains: as many as an amount of the contract can have. */
const tokenPlaces = 18;

/** The largest number that a transfer on an EVM chain can carry. */
const largestTransfer = String(2n ** 256n - 1n);

/**
 * What a wallet reads from a QR code to fill in a transfer of USDT: EIP-681 on EVM chains, Solana Pay on Solana.
 * `undefined` on TRON, for which no form of URI is in wide use: wallets there read a bare address; and for an amount that
 * no transfer could carry.
 *
 * The token is as made up as the address. With the real one, a wallet that scans a sandbox's code would offer to send
 * money to an address that nobody has the key of.
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
