import type { RequirementId } from '../../../generated/catalogue-ids.ts';
import type { CheckContext } from '../../check/context.ts';
import { expectRefused, expectThat, isAccepted, summary } from '../../check/expect.ts';
import { systemErrorCodes } from '../../contract/error-codes.ts';
import { Inconclusive } from '../../errors/outcomes.ts';
import { type Answer, field } from '../../wire/exchange.ts';

/** How long before each time that a request is sent again which the service failed at, in milliseconds. A limit often counts the requests of a second. */
const pauses = [300, 1200] as const;

/** The service says that it failed itself. */
export const isFailure = (answer: Answer): boolean =>
  answer.status >= 500 || systemErrorCodes.includes(String(field(answer, 'code')));

/**
 * The answer to a request, which is sent again where the service failed at it. Before each time, `other` is sent, a request that is
 * right. A service that carries that out is neither down nor asked too often; a failure that is returned belongs to the request.
 */
export async function askedAgain(
  context: CheckContext,
  ask: () => Promise<Answer>,
  other: () => Promise<Answer>,
): Promise<Answer> {
  let answer = await ask();
  for (const pause of pauses) {
    if (!isFailure(answer)) break;
    await context.pause(pause);
    const meanwhile = await other();
    if (!isAccepted(meanwhile)) throw new Inconclusive(`the service fails at everything: ${summary(meanwhile)}`);
    answer = await ask();
  }
  return answer;
}

/**
 * Fails if the answer to a wrong request is a failure of the service, which is no refusal. The run has sent the request again where the failure
 * could be chance.
 */
export function expectNoFailure(answer: Answer, what: string): void {
  expectThat(!isFailure(answer), answer, {
    expected: `${what}: refused`,
    actual: `the service fails: ${summary(answer)}`,
  });
}

/** Fails if an answer of `askedAgain` is a failure of the service. `outcome`: how the request may be answered, in words. */
export function expectNoLastingFailure(
  answer: Answer,
  what: string,
  outcome: string,
  requirement?: RequirementId,
): void {
  expectThat(!isFailure(answer), answer, {
    expected: `${what}: ${outcome}`,
    actual: `the service fails each of ${pauses.length + 1} times, and not at other requests: ${summary(answer)}`,
    ...(requirement && { requirement }),
  });
}

/** Fails unless an answer of `askedAgain` is a refusal, and no failure of the service. */
export function expectRefusedWithoutFailure(answer: Answer, what: string, requirement?: RequirementId): void {
  expectRefused(answer, what, requirement);
  expectNoLastingFailure(answer, what, 'refused', requirement);
}
