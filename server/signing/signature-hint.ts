import { methodsWithBody, signatureString } from './request-signature.ts';
import { mistakeIn, type RefusedRequest } from './signature-mistakes.ts';

/**
 * Explains why a signature is wrong; `presented` is that signature. `undefined`: this request is not explained.
 */
export type ExplainSignature = (request: RefusedRequest, secret: string, presented: string) => string | undefined;

/**
 * Explains a wrong signature to people who try out a sandbox: names the mistake of the catalogue that leads to it, if one does,
 * and shows the signature string that the server makes. It shows neither the secret nor the right signature.
 */
export function signatureHint(request: RefusedRequest, secret: string, presented: string): string {
  const mistake = mistakeIn(request, secret, presented);
  const named = mistake ? `${mistake.code}: ${mistake.what} ${mistake.cure} ` : '';
  const hasBody = methodsWithBody.has(request.method);
  const hashed = hasBody ? `${request.body.length} bytes of body` : 'the query as sent';
  const parts = signatureString(request)
    .split('\n')
    .map((part) => JSON.stringify(part));
  const fourth = parts.length > 3 ? `; the last is Base64(SHA256(${hashed}))` : '';
  return `${named}The server joins these parts by line feeds and signs them: ${parts.join(', ')}${fourth}`;
}
