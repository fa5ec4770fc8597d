// #region sign
import { createHash, createHmac } from 'node:crypto';

export interface RequestToSign {
  /** Milliseconds: exactly the text of X-Timestamp. */
  timestamp: string;
  method: string;
  /** As in the request line, without the query. */
  path: string;
  /** As sent, without the question mark. */
  query?: string | undefined;
  /** Exactly the bytes that are sent. */
  body?: string | Uint8Array | undefined;
}

export function signatureOf({ timestamp, method, path, query, body }: RequestToSign, secret: string): string {
  const components = [timestamp, method, path];
  const hashed = method === 'POST' ? (body ?? '') : query;
  if (method === 'POST' || hashed)
    components.push(
      createHash('sha256')
        .update(hashed ?? '')
        .digest('base64'),
    );
  return createHmac('sha256', secret).update(components.join('\n')).digest('base64');
}
// #endregion sign
