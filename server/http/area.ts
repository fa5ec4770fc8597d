import type { Choices } from '../../generated/catalogue.ts';
import type { Merchant } from '../domain/merchant.ts';
import type { Refusal, RefusalReason } from '../services/refusal.ts';
import type { Operation } from './operation.ts';

/** The parts of a refused request that its answer may need. */
export interface RefusedRequest {
  requestId: string;
  merchantId: string;
  /** The path behind the area's root, as it was sent; `undefined` where the path ends there. */
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

/** One area of the merchant contract. */
export interface Area {
  /** The first word in the names of its operations. */
  readonly name: string;
  /** Whether X-Api-Key must be there, must fit only where it is there, or is ignored. */
  readonly apiKey: Choices['checkout-api-key'];
  /** Throws a `Refusal` for a merchant that may not use the area, or not now. Runs once the merchant is known. */
  admit(merchant: Merchant): void;
  /** Words a refusal in the envelope of the area. */
  refuse(refusal: Refusal, request: RefusedRequest): RefusalAnswer;
  readonly operations: readonly Operation[];
}

/** An area's answer to a reason; for a reason that cannot happen in the area, its answer to a failure of the service. */
export function answerTo<Answer>(
  answers: Partial<Readonly<Record<RefusalReason, Answer>>> & { readonly 'system-error': Answer },
  reason: RefusalReason,
): Answer {
  return answers[reason] ?? answers['system-error'];
}
