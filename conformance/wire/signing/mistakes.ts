import { type SignatureMistake, signatureMistakes } from '../../../generated/catalogue.ts';
import { nodeDigests, type RequestToSign } from './signature.ts';
import { type SignedInstead, wrongSignaturesBy } from './wrong-signatures.ts';

export type { SignedInstead, WrongSignatures } from './wrong-signatures.ts';

/** The wrong signatures of each mistake. */
export const wrongSignatures = wrongSignaturesBy(nodeDigests);

/**
 * Finds the single mistake that leads to a wrong signature. If two mistakes lead to it, the first in the catalogue counts.
 *
 * Another timestamp, another merchant's secret and the origin of a full URL cannot be guessed: `other` must give them.
 * Returns `undefined` when no known mistake fits, and for the right signature.
 */
export function findMistake(
  request: RequestToSign,
  secret: string,
  signature: string,
  other?: SignedInstead,
): SignatureMistake | undefined {
  return signatureMistakes.find(({ code }) => wrongSignatures[code](request, secret, other).includes(signature));
}
