import type { FuzzWorld } from './world.ts';

/** A request of the fuzzing, as its bytes are sent. */
export interface FuzzRequest {
  /** Its number in the list, counted from 0. */
  number: number;
  /** The operation that it began as, and what was changed. */
  what: string;
  method: string;
  /** Path and query. */
  target: string;
  headers: [name: string, value: string][];
  body: Buffer;
  /**
   * `kept`: on a kept connection, perhaps behind others; `alone`: in pieces on a connection of its own, which the client then
   * half-closes; `cut`: a part of it, after which the connection is reset.
   */
  sending: 'kept' | 'alone' | 'cut';
  /** The bytes of a request whose head was changed; otherwise method, target, headers and body are written. */
  raw?: Buffer;
  /** An HTTP parser or a guard in front of the contract may refuse it in a form of its own. */
  isOddHead: boolean;
  /** The contract or the control API must refuse it: a wrong signature, a wrong token, or a forbidden value. */
  mustBeRefused: boolean;
}

/** The bytes of a request on the wire. */
export function bytesOf({ raw, method, target, headers, body }: FuzzRequest): Buffer {
  if (raw) return raw;
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return Buffer.concat([Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines}\r\n`, 'latin1'), body]);
}

/** The request as a command for a shell; as hexadecimal bytes where curl could not send it. */
export function shown(request: FuzzRequest, { host }: Pick<FuzzWorld, 'host'>): string {
  const { raw, method, target, headers, body } = request;
  const isPlain = (text: string) => /^[\x20-\x7e]*$/.test(text);
  const text = body.toString();
  const curlable = !raw && [method, target, text, ...headers.flat()].every(isPlain) && body.length < 4_000;
  if (!curlable) {
    const bytes = bytesOf(request);
    return `bytes (${bytes.length}, hexadecimal): ${bytes.subarray(0, 4_000).toString('hex')}${bytes.length > 4_000 ? '…' : ''}`;
  }
  const quoted = (each: string) => `'${each.replaceAll("'", "'\\''")}'`;
  const fields = headers
    .filter(([name]) => !/^(host|content-length)$/i.test(name))
    .map(([name, value]) => `-H ${quoted(value === '' ? `${name};` : `${name}: ${value}`)}`);
  const data = body.length > 0 ? [`--data-binary ${quoted(text)}`] : [];
  return ['curl --path-as-is -X', quoted(method), ...fields, ...data, quoted(`http://${host}${target}`)].join(' ');
}
