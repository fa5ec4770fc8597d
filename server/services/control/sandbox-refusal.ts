/** Why a step is refused; each has its HTTP status in the control API. */
export type SandboxRefusalReason = 'not-found' | 'unprocessable' | 'conflict';

/** A step that is refused: nothing was changed. The message holds no secret. */
export class SandboxRefusal extends Error {
  readonly reason: SandboxRefusalReason;

  constructor(reason: SandboxRefusalReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
