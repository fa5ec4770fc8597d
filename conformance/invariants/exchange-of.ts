import type { HistoryRecord, RunRecord } from '../history/records.ts';
import type { Exchange } from '../wire/exchange.ts';

/** The HTTP exchange that a record tells of, as reports show it; `undefined` for what a driver did. */
export function exchangeOf(record: HistoryRecord, { target }: RunRecord): Exchange | undefined {
  const durationMs = Math.round(record.end - record.start);
  if (record.kind === 'webhook') {
    const { method, address, headers, body, answered } = record;
    const request = { method, url: address, headers: { ...headers }, body: body.text };
    if (typeof answered === 'number')
      return { request, response: { status: answered, headers: {}, body: '' }, durationMs };
    const error = answered === 'close' ? 'the runner closed the connection' : 'the runner did not answer';
    return { request, error, durationMs };
  }
  if (record.kind !== 'request') return undefined;
  const { method, path, query, headers, body, answer, error } = record;
  const url = `${target}${path}${query === undefined ? '' : `?${query}`}`;
  return {
    request: { method, url, headers: { ...headers }, body: body?.text ?? '' },
    ...(answer && { response: { status: answer.status, headers: { ...answer.headers }, body: answer.body.text } }),
    ...(error !== undefined && { error }),
    durationMs,
  };
}
