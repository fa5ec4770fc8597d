import type { Router } from 'express';
import type { Choices } from '../../../generated/catalogue.ts';
import type { Merchant } from '../../domain/merchant.ts';
import type { Refusal, RefusalReason } from '../../services/refusal.ts';

/** What of a refused request its answer may need. */
export interface RefusedRequest {
  requestId: string;
  merchantId: string;
  /** What follows the area's own path segment; `undefined` where nothing does. */
  rest: string | undefined;
  /** The body, where it was read as JSON. */
  body: unknown;
}

/** An answer that refuses. */
export interface RefusalAnswer {
  status: number;
  headers?: Record<string, string>;
  body: object;
}

/** One of the contract's areas: what belongs to it, how it refuses, and its operations. */
export interface Area {
  /** The path segment behind the merchant. */
  readonly segment: string;
  /** Whether X-Api-Key must be there, only fits when it is, or is not looked at. */
  readonly apiKey: Choices['checkout-api-key'];
  /** Throws a `Refusal` for a merchant that may not use the area, or not now. Runs once the merchant is known. */
  admit(merchant: Merchant): void;
  refuse(refusal: Refusal, request: RefusedRequest): RefusalAnswer;
  /** Adds the area's operations; requests have been authenticated and fit the contract. */
  addRoutes(router: Router): void;
}

/** What an area answers to a reason; the same as to a failure of the service when the reason cannot happen in it. */
export function answerTo<Answer>(
  answers: Partial<Readonly<Record<RefusalReason, Answer>>> & { readonly 'system-error': Answer },
  reason: RefusalReason,
): Answer {
  return answers[reason] ?? answers['system-error'];
}

/** Code and words of success, everywhere. */
export const success = { code: '00000', message: 'Success' } as const;
