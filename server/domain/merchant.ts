import type { CurrencyCode, NetworkCode } from '../../generated/catalogue.ts';
import type { Ledger } from './ledger.ts';

/** A merchant, as provisioned (open point `merchant-provisioning`). */
export interface Merchant {
  merchantId: string;
  settings: MerchantSettings;
  /** The balances from which refunds are paid. */
  ledger: Ledger;
  /** Milliseconds by which the merchant's business clock is ahead of real time; never falls. */
  clockOffset: number;
  /** Milliseconds since the epoch, real time. */
  createdAt: number;
}

/** The settings of a merchant. Amounts are decimal text. */
export interface MerchantSettings {
  checkoutEnabled: boolean;
  /** Settlement balance by currency. A currency that is not named has 0. */
  balances: Record<string, string>;
  paymentMethods: MerchantPaymentMethod[];
  /** The address for the results of refunds that name none. */
  defaultNotifyUrl?: string;
  /** Limit on authenticated refund requests, in real time. */
  rateLimit?: RateLimit;
  /** Limit on authenticated requests about hosted and checkout orders together, in real time (open point `orders-rate-limit`). */
  orderRateLimit?: RateLimit;
  /** USDT for one USD. */
  usdRate: string;
  /** True: a detected payment and a refund move on by themselves. */
  automatic: boolean;
}

/** At most so many requests in any span of so many seconds. */
export interface RateLimit {
  requests: number;
  perSeconds: number;
}

/** Business time of a merchant in milliseconds, at real time `now`. */
export function businessTime({ clockOffset }: Merchant, now: number): number {
  return now + clockOffset;
}

/** One currency and network pair that a merchant accepts. The range is in JSON numbers, as the contract shows it. */
export interface MerchantPaymentMethod {
  cryptoCurrency: CurrencyCode;
  network: NetworkCode;
  minAmount: number;
  maxAmount: number;
}

/** A credential. A merchant may have several that are active at once. */
export interface ApiKey {
  apiKey: string;
  merchantId: string;
  apiSecret: string;
  /** Milliseconds since the epoch, real time. */
  createdAt: number;
  /** When the key stops working, milliseconds since the epoch, real time; null: it does not end. */
  endsAt: number | null;
}

/** True while a key may sign requests; `now` is real time in milliseconds. */
export function isActive({ endsAt }: Pick<ApiKey, 'endsAt'>, now: number): boolean {
  return endsAt === null || now < endsAt;
}
