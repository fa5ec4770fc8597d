import type { IncomingHttpHeaders } from 'node:http';
import { type Choices, limit, limits } from '../../generated/catalogue.ts';
import { type ApiKey, isActive, type Merchant } from '../domain/merchant.ts';
import type { Clock, Storage } from '../services/ports.ts';
import { Refusal } from '../services/refusal.ts';
import { equalInConstantTime, sign } from '../signing/request-signature.ts';
import type { RequestTarget } from '../signing/request-target.ts';
import type { ExplainSignature } from '../signing/signature-hint.ts';

/** The parts of a request by which the merchant is authenticated, without the body. */
export interface PresentedRequest extends RequestTarget {
  method: string;
  headers: IncomingHttpHeaders;
  /** The merchant named in the path. */
  merchantId: string;
}

/** The facts that authentication needs beside the request. */
export interface AuthenticationParts {
  storage: Storage;
  clock: Clock;
  /** Whether X-Api-Key must be there, must fit only where it is there, or is ignored. */
  apiKey: Choices['checkout-api-key'];
  /** Explains what is wrong with a signature; absent: a refusal does not explain it. */
  explain?: ExplainSignature | undefined;
  choices: Pick<Choices, 'unknown-merchant' | 'signature-edges' | 'signature-text'>;
}

const windowMilliseconds = limit('auth.timestamp.window', 'max');
const timestampForm = new RegExp(String(limits['auth.timestamp.digits'].value));

/** The query that is signed. Behind a bare question mark it is empty (open point `signature-edges`). */
const signedQuery: Readonly<Record<Choices['signature-edges'], (query: string | undefined) => string | undefined>> = {
  'bare-mark-unsigned': (query) => query || undefined,
  'bare-mark-hashed': (query) => query,
};

/** The form in which a signature is compared (open point `signature-text`). */
const comparedForm: Readonly<Record<Choices['signature-text'], (signature: string) => string>> = {
  standard: (signature) => signature,
  any: (signature) => signature.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, ''),
};

/** Whether an answer reveals that the merchant in the path does not exist (open point `unknown-merchant`). */
const tellsUnknownMerchants: Readonly<Record<Choices['unknown-merchant'], boolean>> = {
  'by-area': true,
  'as-authentication': false,
};

/** Takes the place of a key where the merchant has none, and where nobody may learn that the merchant does not exist. */
const nobodysKey = { apiSecret: '' };

/** Resolves with the merchant who has signed the request with this body; rejects with a `Refusal` for a wrong signature. */
export type Verify = (body: Buffer) => Promise<Merchant>;

/**
 * Examines the headers of a request, and resolves with the examination of its body. Rejects with a `Refusal` when the headers
 * alone break the contract (requirements `auth.*`), so that the body of such a request need not be read. The window of
 * X-Timestamp is judged against real time, both edges included (open point `timestamp-boundary`).
 */
export async function authenticate(
  request: PresentedRequest,
  { storage, clock, apiKey, explain, choices }: AuthenticationParts,
): Promise<Verify> {
  const timestamp = recentTimestamp(request.headers, clock);
  const presented = header(request.headers, 'x-signature');
  if (presented === undefined) throw new Refusal('invalid-signature', 'X-Signature: is missing; sign the request');
  const { method, path } = request;
  const query = signedQuery[choices['signature-edges']](request.query);
  const compared = comparedForm[choices['signature-text']];
  const isSignedWith = (body: Buffer, { apiSecret }: Pick<ApiKey, 'apiSecret'>) =>
    equalInConstantTime(compared(presented), compared(sign({ timestamp, method, path, query, body }, apiSecret)));
  const wrongSignature = (body: Buffer, { apiSecret }: Pick<ApiKey, 'apiSecret'>, whose: string) => {
    const sent = { host: request.headers.host, sentQuery: request.query, apiKey: header(request.headers, 'x-api-key') };
    const hint = explain?.({ timestamp, method, path, query, body, ...sent }, apiSecret, presented);
    const problem = `X-Signature: is not the signature of this request under ${whose}`;
    return new Refusal('invalid-signature', hint === undefined ? problem : `${problem}. ${hint}`);
  };

  /** Throws when the merchant in the path does not exist, if the choice reveals that. */
  const expectKnown = (merchant: Merchant | undefined) => {
    if (merchant || !tellsUnknownMerchants[choices['unknown-merchant']]) return;
    throw new Refusal('unknown-merchant', 'merchantId: there is no such merchant; check the path');
  };

  const presentedKey = apiKey === 'ignored' ? undefined : header(request.headers, 'x-api-key');
  if (presentedKey === undefined && apiKey !== 'required') {
    // Any active key of the path's merchant may have signed (open point `checkout-api-key`).
    const merchant = await storage.reads.findMerchant(request.merchantId);
    expectKnown(merchant);
    const keys = merchant ? await storage.reads.listApiKeys(merchant.merchantId) : [];
    const active = keys.filter((key) => isActive(key, clock()));
    return async (body) => {
      if (merchant && active.some((key) => isSignedWith(body, key))) return merchant;
      throw wrongSignature(body, active.at(-1) ?? nobodysKey, "the merchant's secret");
    };
  }
  if (presentedKey === undefined) {
    throw new Refusal('invalid-api-key', "X-Api-Key: is missing; send the merchant's API key");
  }
  const found = await storage.reads.findApiKeyWithMerchant(presentedKey);
  if (!found || !isActive(found.key, clock())) {
    throw new Refusal('invalid-api-key', 'X-Api-Key: is unknown or has ended; send an active key of the merchant');
  }
  const { key, merchant } = found;
  return async (body) => {
    if (!isSignedWith(body, key)) throw wrongSignature(body, key, 'the key in X-Api-Key');
    if (merchant.merchantId === request.merchantId) return merchant;
    expectKnown(await storage.reads.findMerchant(request.merchantId));
    throw new Refusal('invalid-api-key', 'X-Api-Key: belongs to another merchant than the one in the path');
  };
}

/** The value of X-Timestamp; throws a `Refusal` unless it has its form and is recent by real time. */
function recentTimestamp(headers: IncomingHttpHeaders, clock: Clock): string {
  const timestamp = header(headers, 'x-timestamp');
  if (timestamp === undefined || !timestampForm.test(timestamp)) {
    throw new Refusal('timestamp-expired', 'X-Timestamp: must be the present time in milliseconds, 13 digits');
  }
  const age = clock() - Number(timestamp);
  if (Math.abs(age) <= windowMilliseconds) return timestamp;
  throw new Refusal(
    'timestamp-expired',
    `X-Timestamp: is ${Math.abs(age)} ms ${age > 0 ? 'behind' : 'ahead of'} the server's clock, more than 5 minutes; send the present time`,
  );
}

/** The value of a header; `undefined` for a missing or an empty one. Values of a repeated header arrive joined by commas, which no valid value contains. */
function header(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
