import { createHash, createHmac } from 'node:crypto';
import type { Digests } from './digests.ts';
import { explainSignatureBy, type RequestToSign, type SignatureSteps, signatureBy } from './steps.ts';

export {
  methodsWithBody,
  methodsWithoutBody,
  type RequestToSign,
  type SignatureSteps,
  timestampForm,
} from './steps.ts';

/** The digests of Node's own cryptography. */
export const nodeDigests: Digests = {
  sha256: (bytes) => createHash('sha256').update(bytes).digest(),
  hmac: (algorithm, key, message) => createHmac(algorithm, key).update(message).digest(),
};

/** Signs a request and returns every value on the way. */
export function explainSignature(request: RequestToSign, secret: string): SignatureSteps {
  return explainSignatureBy(nodeDigests, request, secret);
}

/** The value of X-Signature for a request. */
export function signatureOf(request: RequestToSign, secret: string): string {
  return signatureBy(nodeDigests, request, secret);
}

/** A value of X-Signature in the right form that the secret of nobody makes, and so a wrong one for every request. */
export const wrongSignatureOf = (request: RequestToSign, secret: string): string => signatureOf(request, `${secret}x`);
