import type { RequirementId } from '../../../generated/catalogue.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectRefused, expectThat, isAccepted, needAccepted } from '../../check/expect.ts';
import { NotApplicable } from '../../errors/outcomes.ts';
import type { Answer } from '../../wire/exchange.ts';
import { areasOf, creates } from '../operations.ts';
import type { ArrangedOperation } from '../requests/arranged-operation.ts';
import type { SignedRequest } from '../requests/signed-client.ts';

/** A change to a request that was right before. */
export type RequestChange = (request: SignedRequest) => SignedRequest;

/** The first of several operations that the target has and whose needs are met. Throws `NotApplicable` when there is none. */
export function available(context: CheckContext, operations: readonly ArrangedOperation[]): ArrangedOperation {
  const found = operations.find(({ area, needs }) => context.has(area) && needs.every((need) => context.has(need)));
  if (found) return found;
  throw new NotApplicable(`the target has no operation for this, such as ${operations[0]?.noun ?? 'a request'}`);
}

/**
 * Sends a right request, to show that the request itself is good, and then another one with `change`, which must be refused
 * and have no effect. Both go to the first available operation. Returns the answer to the changed request.
 */
export async function expectChangeRefused(
  context: CheckContext,
  operations: readonly ArrangedOperation[],
  what: string,
  change: RequestChange,
): Promise<Answer> {
  const operation = available(context, operations);
  const merchant = await context.merchant();
  const right = await operation.prepare(context, merchant);
  needAccepted(right.twin?.answer ?? (await right.client.send(right.request)), `${operation.noun}, rightly signed`);
  // A request that makes nothing can be sent a second time.
  const { client, request, makes } = right.makes ? await operation.prepare(context, merchant) : right;
  const answer = await client.send(change(request));
  expectRefused(answer, what);
  if (makes) {
    const afterwards = await makes.find();
    expectThat(!isAccepted(afterwards), afterwards, {
      expected: `${what}: has no effect`,
      actual: 'its record was made',
      requirement: 'auth.refused-changes-nothing',
    });
  }
  return answer;
}

/** What is particular to a check that a changed request is refused. */
export interface RefusalCheck {
  id: string;
  title: string;
  requirements: readonly RequirementId[];
  /** The changed request in words, for messages. */
  what: string;
  change: RequestChange;
  /** Operations that can show it, best first; absent: those that make a record. */
  operations?: readonly ArrangedOperation[];
}

/** A check that a changed request is refused and has no effect. */
export function refusalCheck({ operations = creates, ...check }: RefusalCheck): CheckDeclaration {
  const { id, title, requirements, what, change } = check;
  return {
    id,
    title,
    calls: areasOf(operations),
    requirements: [...requirements, 'auth.refused-changes-nothing'],
    async run(context) {
      await expectChangeRefused(context, operations, what, change);
    },
  };
}
