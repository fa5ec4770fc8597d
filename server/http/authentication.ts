import type { IncomingHttpHeaders } from 'node:http';
import { limit } from '../../generated/catalogue.ts';
import { type ApiKey, isActive, type Merchant } from '../domain/merchant.ts';
import type { Clock, Storage } from '../services/ports.ts';
import { Refusal } from '../services/refusal.ts';
import type { RequestTarget } from './request-target.ts';
import { equalInConstantTime, sign } from './signature.ts';

/** What of a request decides whose it is. */
export interface PresentedRequest extends RequestTarget {
  method: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** The merchant named in the path. */
  merchantId: string;
}

const windowMilliseconds = limit('auth.timestamp.window', 'max');

/**
 * The merchant whose request this is; throws a `Refusal` when it is not signed as the contract says (requirements
 * `auth.*`). The window of X-Timestamp is judged against real time, both edges included (open point `timestamp-boundary`).
 */
export async function authenticate(
  request: PresentedRequest,
  { storage, clock, apiKey }: { storage: Storage; clock: Clock; apiKey: 'required' | 'optional' },
): Promise<Merchant> {
  const timestamp = header(request.headers, 'x-timestamp');
  if (timestamp === undefined || !/^[0-9]{13}$/.test(timestamp)) {
    throw new Refusal('timestamp-expired', 'X-Timestamp: must be the present time in milliseconds, 13 digits');
  }
  const age = clock() - Number(timestamp);
  if (Math.abs(age) > windowMilliseconds) {
    throw new Refusal(
      'timestamp-expired',
      `X-Timestamp: is ${Math.abs(age)} ms ${age > 0 ? 'behind' : 'ahead of'} the server's clock, more than 5 minutes; send the present time`,
    );
  }
  const presented = header(request.headers, 'x-signature');
  if (presented === undefined) throw new Refusal('invalid-signature', 'X-Signature: is missing; sign the request');
  const signed = { ...request, timestamp };
  const isSignedWith = ({ apiSecret }: ApiKey) => equalInConstantTime(presented, sign(signed, apiSecret));
  const presentedKey = header(request.headers, 'x-api-key');
  if (presentedKey === undefined && apiKey === 'optional')
    return signerOf(request.merchantId, isSignedWith, storage, clock);
  if (presentedKey === undefined) {
    throw new Refusal('invalid-api-key', "X-Api-Key: is missing; send the merchant's API key");
  }
  const key = await storage.reads.findApiKey(presentedKey);
  if (!key || !isActive(key, clock())) {
    throw new Refusal('invalid-api-key', 'X-Api-Key: is unknown or has ended; send an active key of the merchant');
  }
  if (!isSignedWith(key)) {
    throw new Refusal(
      'invalid-signature',
      'X-Signature: is not the signature of this request under the key in X-Api-Key',
    );
  }
  const merchant = await merchantOf(request.merchantId, storage);
  if (merchant.merchantId !== key.merchantId) {
    throw new Refusal('invalid-api-key', 'X-Api-Key: belongs to another merchant than the one in the path');
  }
  return merchant;
}

/** The path's merchant, if any of its active keys has signed (open point `checkout-api-key`). */
async function signerOf(
  merchantId: string,
  isSignedWith: (key: ApiKey) => boolean,
  storage: Storage,
  clock: Clock,
): Promise<Merchant> {
  const merchant = await merchantOf(merchantId, storage);
  const keys = await storage.reads.listApiKeys(merchantId);
  if (keys.some((key) => isActive(key, clock()) && isSignedWith(key))) return merchant;
  throw new Refusal(
    'invalid-signature',
    "X-Signature: is not the signature of this request under the merchant's secret",
  );
}

async function merchantOf(merchantId: string, storage: Storage): Promise<Merchant> {
  const merchant = await storage.reads.findMerchant(merchantId);
  if (!merchant) throw new Refusal('unknown-merchant', 'merchantId: there is no such merchant; check the path');
  return merchant;
}

/** A header that is present once. A repeated one arrives joined by commas, which no valid value contains. */
function header(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
