import { createHash, createHmac } from 'node:crypto';

/** What a merchant signs with. */
export interface Credentials {
  merchantId: string;
  apiKey: string;
  apiSecret: string;
}

/** The three headers of a signed request; written apart from the server's own code, so that one mistake cannot hide in both. */
export function signedHeaders(
  { apiKey, apiSecret }: Pick<Credentials, 'apiKey' | 'apiSecret'>,
  request: { method: string; target: string; body?: string | Buffer | undefined; timestamp: string },
): Record<string, string> {
  const { method, target, body, timestamp } = request;
  const [path = '', ...query] = target.split('?');
  const hasBody = ['POST', 'PUT', 'PATCH'].includes(method);
  const hashed = hasBody ? (body ?? '') : query.join('?');
  const parts = [timestamp, method, path];
  if (hasBody || hashed !== '') parts.push(createHash('sha256').update(hashed).digest('base64'));
  return {
    'X-Api-Key': apiKey,
    'X-Timestamp': timestamp,
    'X-Signature': createHmac('sha256', apiSecret).update(parts.join('\n')).digest('base64'),
  };
}
