import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';

/** A request as it goes over the wire: nothing is added, encoded or merged. */
export interface WireRequest {
  method: string;
  /** The request line's target, query included. */
  target: string;
  headers?: OutgoingHttpHeaders;
  body?: string | Buffer;
}

/** What came back. */
export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  contentType: string;
  text: string;
  /** The value of a JSON body; the text of one that is none. */
  body: unknown;
}

/** Sends one request; rejects when no answer comes. */
export function send(origin: string, { method, target, headers = {}, body }: WireRequest): Promise<Answer> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const outgoing = request({ hostname, port, method, path: target, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => {
        const text = Buffer.concat(chunks).toString();
        const contentType = response.headers['content-type'] ?? '';
        const { statusCode: status = 0, headers: answered } = response;
        resolve({ status, headers: answered, contentType, text, body: parsed(contentType, text) });
      });
    });
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}

function parsed(contentType: string, text: string): unknown {
  if (!contentType.includes('json') || text === '') return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
