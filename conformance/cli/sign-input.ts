import { readFile } from 'node:fs/promises';
import { InvalidArgumentError } from 'commander';
import { messageOf } from '../errors/message-of.ts';
import { UsageError } from '../errors/usage-errors.ts';
import { methodsWithBody, methodsWithoutBody, timestampForm } from '../wire/signing/signature.ts';

/** The streams, environment and clock that the command uses. */
export interface Surroundings {
  readonly stdout: { write(text: string): unknown; readonly isTTY?: boolean };
  readonly stderr: { write(text: string): unknown };
  readonly stdin: AsyncIterable<Uint8Array | string>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since 1970. */
  now(): number;
}

/** The options of the command, as commander reads them. */
export interface Options {
  query?: string;
  body?: string;
  timestamp?: string;
  target?: string;
  apiKey?: string;
  apiSecret?: string;
  check?: string;
  webhook?: boolean;
}

/** The methods that the contract has a signing rule for. */
export const methods: readonly string[] = [...methodsWithoutBody, ...methodsWithBody];

/** Reads the method, in capitals. */
export function methodOf(text: string): string {
  const method = text.toUpperCase();
  if (!methods.includes(method)) throw new InvalidArgumentError(`It is one of ${methods.join(', ')}.`);
  return method;
}

/** Reads --timestamp: 13 digits. */
export function timestampOf(text: string): string {
  if (timestampForm.test(text)) return text;
  const inSeconds = /^[0-9]{10}$/.test(text) ? ` In milliseconds these seconds are ${text}000.` : '';
  throw new InvalidArgumentError(`It is milliseconds, in 13 digits.${inSeconds}`);
}

/** Scheme and host from --target or the environment. `undefined`: none is given. Throws `UsageError` without the address, which may hold a password. */
export function originFrom({ target: given }: Options, { env }: Surroundings): string | undefined {
  const target = given ?? env.ASSAY_TARGET;
  if (!target) return undefined;
  const url = URL.canParse(target) ? new URL(target) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new UsageError('the target must be a URL such as https://sandbox.example.com');
  }
  if (url.href !== `${url.origin}/`) {
    throw new UsageError(
      'the target must be scheme and host only; a path before /api/v1 is signed, so it belongs into PATH',
    );
  }
  return url.origin;
}

/** The API secret from --api-secret or the environment. Throws `UsageError` when there is none. */
export function secretFrom({ apiSecret }: Options, { env, stderr }: Surroundings): string {
  const secret = apiSecret ?? env.ASSAY_API_SECRET;
  if (!secret) {
    throw new UsageError(
      'an API secret is needed: set ASSAY_API_SECRET in the environment, or give --api-secret. ' +
        'The environment is better, since flags show in process lists',
    );
  }
  if (secret.trim() !== secret) {
    stderr.write('note: the API secret has white space at its start or end, and is used with it\n');
  }
  return secret;
}

/** The API key from --api-key or the environment. `undefined`: none is given. Throws `UsageError`. */
export function apiKeyFrom({ apiKey: given }: Options, { env }: Surroundings): string | undefined {
  const apiKey = given ?? env.ASSAY_API_KEY;
  if (!apiKey) return undefined;
  if (!/^[!-~]+$/.test(apiKey)) throw new UsageError('the API key must be printable ASCII, since a header carries it');
  return apiKey;
}

/** Path and query from PATH and --query. Throws `UsageError`. */
export function pathAndQuery(
  target: string,
  queryOption: string | undefined,
): { path: string; query: string | undefined } {
  if (!target.startsWith('/')) throw new UsageError('PATH starts with a slash; scheme and host belong into --target');
  if (queryOption?.startsWith('?')) throw new UsageError('--query goes without its question mark');

  const at = target.indexOf('?');
  if (at >= 0 && queryOption !== undefined) throw new UsageError('the query is given twice, in PATH and with --query');

  const path = at < 0 ? target : target.slice(0, at);
  const query = at < 0 ? queryOption : target.slice(at + 1);
  if (!/^[!"$-~]*$/.test(path + (query ?? ''))) {
    throw new UsageError('PATH and query are given as sent: percent-encoded, no space, no fragment');
  }
  return { path, query };
}

/** The bytes of --body. `undefined`: no body is given. Throws `UsageError`. */
export async function bodyFrom(method: string, file: string | undefined, { stdin }: Surroundings) {
  if (file === undefined) return undefined;
  if (methodsWithoutBody.includes(method)) {
    throw new UsageError(`the contract has no rule for a ${method} with a body: leave out --body`);
  }
  if (file === '-') {
    const chunks: Uint8Array[] = [];
    for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
    return Buffer.concat(chunks);
  }
  try {
    return await readFile(file);
  } catch (error) {
    throw new UsageError(`the body cannot be read: ${messageOf(error)}`);
  }
}
