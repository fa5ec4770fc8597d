import type { RequirementId } from '../../../generated/catalogue.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectRefused, expectThat, isAccepted, needAccepted } from '../../check/expect.ts';
import { NotApplicable } from '../../errors/outcomes.ts';
import type { Answer } from '../../wire/exchange.ts';
import { creates } from '../operations.ts';
import type { Operation } from '../requests/arranged-operation.ts';
import type { SignedClient, SignedRequest } from '../requests/signed-client.ts';

/** What is changed about a request that would be right. */
export type RequestChange = (request: SignedRequest, client: SignedClient) => SignedRequest;

/** The first of several operations that the target has and that a right request can be made for. */
export function available(context: CheckContext, operations: readonly Operation[]): Operation {
  const found = operations.find(({ area, needs }) => context.has(area) && needs.every((need) => context.has(need)));
  if (!found)
    throw new NotApplicable(`there is nothing with which ${operations[0]?.noun ?? 'a request'} could be made`);
  return found;
}

/**
 * Sends a request that is right, to show that the request itself is good, and then one of its own with `change`, which must
 * be refused and have no effect. Both are of the first of the operations that there is.
 */
export async function refuses(
  context: CheckContext,
  operations: readonly Operation[],
  what: string,
  change: RequestChange,
): Promise<Answer> {
  const operation = available(context, operations);
  const merchant = await context.merchant();
  const right = await operation.prepare(context, merchant);
  needAccepted(await right.client.send(right.request), `${operation.noun}, rightly signed`);
  // What makes nothing can be asked for a second time.
  const { client, request, makes } = right.makes ? await operation.prepare(context, merchant) : right;
  const answer = await client.send(change(request, client));
  expectRefused(answer, what);
  if (makes) {
    const afterwards = await makes.find();
    expectThat(!isAccepted(afterwards), afterwards, {
      expected: `${what}: nothing comes of it`,
      actual: 'what was asked for has been made',
      requirement: 'auth.refused-changes-nothing',
    });
  }
  return answer;
}

/** A check that a changed request is refused. */
export interface RefusalCheck {
  id: string;
  title: string;
  requirements: readonly RequirementId[];
  what: string;
  change: RequestChange;
  /** Operations that can show it, best first; default: those that make something. */
  operations?: readonly Operation[];
}

/** Makes it. */
export function refusalCheck({ operations = creates, ...check }: RefusalCheck): CheckDeclaration {
  const { id, title, requirements, what, change } = check;
  return {
    id,
    title,
    calls: operations.map(({ area }) => area),
    requirements: [...requirements, 'auth.refused-changes-nothing'],
    async run(context) {
      await refuses(context, operations, what, change);
    },
  };
}
