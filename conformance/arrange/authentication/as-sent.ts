// Changes after which a request is still right, because path, query and body are signed as they are sent.

import { needText } from '../../check/expect.ts';
import { percentEncoded } from '../../contract/percent-encoding.ts';
import type { Answer } from '../../wire/exchange.ts';
import type { SignedRequest } from '../requests/signed-client.ts';

/** Writes the first character of percent-encoded text as an escape that is not needed: the text means the same. */
function escaped(text: string): string {
  const [first = ''] = text;
  return first === '%' || first === '' ? text : `%${first.charCodeAt(0).toString(16).toUpperCase()}${text.slice(1)}`;
}

/** The request with a needless escape in the merchantId of its path, and in the id at its end where it has one. */
export function pathEscaped(request: SignedRequest): SignedRequest {
  const path = request.path.replace(/(?<=\/merchants\/)[^/]+|(?<=\/orders\/)[^/]+/g, escaped);
  return { ...request, path };
}

/** The query of a refund with two of its ids, out of alphabetical order. `answer` is that of the query by its refundOrderId. */
export function queryOfTwo(request: SignedRequest, answer: Answer): SignedRequest {
  const id = percentEncoded(needText(answer, 'data.merchantRefundOrderId'));
  return { ...request, query: `${request.query ?? ''}&merchantRefundOrderId=${id}` };
}

/** The same query with needless escapes in both ids. */
export function queryEscaped(request: SignedRequest, answer: Answer): SignedRequest {
  const { query = '' } = queryOfTwo(request, answer);
  return { ...request, query: query.replace(/(?<==)[^&]+/g, escaped) };
}

/** The request with space around and inside its JSON. */
export function spacedBody(request: SignedRequest): SignedRequest {
  if (request.body === undefined) return request;
  const value: unknown = JSON.parse(Buffer.from(request.body).toString('utf8'));
  return { ...request, body: Buffer.from(` ${JSON.stringify(value, null, 1)}\n`) };
}
