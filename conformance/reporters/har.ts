import type { Body, History, RequestRecord } from '../history/records.ts';
import { jsonText } from './json.ts';

/**
 * The requests of a run to the merchant API as an HTTP Archive, version 1.2, for tools that read such archives. A request
 * without an answer has status 0 and its reason as a comment, as browsers write it.
 */
export function harReport({ run, records }: History): string {
  const requests = records.filter((record) => record.kind === 'request');
  const entries = requests.map((record) => entryOf(record, run.target, run.startedAt));
  const log = { version: '1.2', creator: { name: 'assay', version: run.suite }, entries };
  return jsonText({ log });
}

function entryOf({ start, end, check, error, ...exchanged }: RequestRecord, target: string, began: number) {
  const { method, path, query, headers, body, answer } = exchanged;
  const comment = [check, error].filter((text) => text !== undefined).join(': ');
  return {
    startedDateTime: new Date(began + start).toISOString(),
    time: end - start,
    request: {
      method,
      url: `${target}${path}${query === undefined ? '' : `?${query}`}`,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: pairsOf(headers),
      queryString: [...new URLSearchParams(query)].map(([name, value]) => ({ name, value })),
      ...(body && { postData: { mimeType: typeOf(headers), text: body.text, ...cutComment(body) } }),
      headersSize: -1,
      bodySize: body && !body.cut ? Buffer.byteLength(body.text) : -1,
    },
    response: {
      status: answer?.status ?? 0,
      statusText: '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: pairsOf(answer?.headers ?? {}),
      content: {
        size: answer ? Buffer.byteLength(answer.body.text) : 0,
        mimeType: typeOf(answer?.headers ?? {}),
        text: answer?.body.text ?? '',
        ...(answer && cutComment(answer.body)),
      },
      redirectURL: answer?.headers.location ?? '',
      headersSize: -1,
      bodySize: -1,
    },
    cache: {},
    timings: { send: 0, wait: end - start, receive: 0 },
    ...(comment !== '' && { comment }),
  };
}

const pairsOf = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers).map(([name, value]) => ({ name, value }));

function typeOf(headers: Readonly<Record<string, string>>): string {
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type');
  return type?.[1] ?? 'application/octet-stream';
}

const cutComment = ({ cut }: Body) => (cut ? { comment: 'the end is cut off' } : {});
