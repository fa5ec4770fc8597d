import { type SignatureMistake, signatureMistakes } from '../../../generated/catalogue.ts';
import type { RequestToSign } from './signature.ts';
import { nodeDigests } from './signature.ts';
import { type SignedInstead, wrongSignaturesBy } from './wrong-signatures.ts';

export type { SignedInstead, WrongSignatures } from './wrong-signatures.ts';

/** For each mistake, what it makes of a request. */
export const wrongSignatures = wrongSignaturesBy(nodeDigests);

/**
 * Names the single mistake behind a wrong signature; where two make the same signature, the first in the catalogue.
 *
 * Another timestamp or another merchant's secret cannot be guessed, nor can the origin of a full URL: these are found
 * only where `other` gives them. Returns undefined where no known mistake fits, and for the right signature.
 */
export function findMistake(
  request: RequestToSign,
  secret: string,
  signature: string,
  other?: SignedInstead,
): SignatureMistake | undefined {
  return signatureMistakes.find(({ code }) => wrongSignatures[code](request, secret, other).includes(signature));
}
