import type { WebhookRecord } from '../../history/records.ts';

/** The receiver's folder, in which every mailbox of a run is. */
export const receiver = 'https://127.0.0.1:8443/webhooks';

/** A webhook that arrived at `start` at the mailbox of this address, as a POST that was answered with 200 unless `change` says otherwise. */
export function webhook(
  start: number,
  address: string,
  body: unknown,
  change: Partial<Omit<WebhookRecord, 'body'>> = {},
): WebhookRecord {
  return {
    kind: 'webhook',
    start,
    end: start + 1,
    address,
    target: address.replace(/^https:\/\/[^/]*/, ''),
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: { text: typeof body === 'string' ? body : JSON.stringify(body) },
    answered: 200,
    ...change,
  };
}
