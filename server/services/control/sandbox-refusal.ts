/** Why the control API refuses a request; each reason has its HTTP status. */
export type SandboxRefusalReason = 'not-found' | 'unprocessable' | 'conflict';

/** A request of the control API that is refused. Nothing was changed. The message holds no secret. */
export class SandboxRefusal extends Error {
  readonly reason: SandboxRefusalReason;

  constructor(reason: SandboxRefusalReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Throws the refusal for a merchant that does not exist. */
export function unknownMerchant(merchantId: string): never {
  throw new SandboxRefusal('not-found', `there is no merchant ${merchantId}; check its merchantId`);
}
