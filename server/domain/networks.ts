import { networks } from '../../generated/catalogue.ts';

/** A network of the contract by its code; throws for a code that the contract does not have. */
export function networkOf(code: string) {
  const known = networks.find((network) => network.code === code);
  if (!known) throw new Error(`unknown network ${code}`);
  return known;
}
