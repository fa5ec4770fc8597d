import { sentRequest } from '../../arrange/authentication/accepted-request.ts';
import { saysNothing } from '../../arrange/authentication/passage.ts';
import { expectRefusedBy } from '../../arrange/authentication/refusals.ts';
import { rightRequest } from '../../arrange/authentication/right-requests.ts';
import { type AuthenticationRule, hasBody, idOfRule, titleOf } from '../../arrange/authentication/rule.ts';
import { arrangedOperations } from '../../arrange/operations.ts';
import { signedClient } from '../../arrange/requests/signed-client.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { isAccepted, needAccepted, summary } from '../../check/expect.ts';

/** Bodies that name another type than JSON. Authentication has not failed, so that any refusal fits. */
const otherType: AuthenticationRule = {
  name: 'content-type-other',
  words: 'whose body is sent as plain text or as form data',
  requirements: () => ['auth.content-type.other'],
  refusal: 'unrelated',
  ways: () =>
    [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'text/plain; a=application/json',
    ].map((type) => ({
      words: `with Content-Type ${type}`,
      change: (request) => ({ ...request, headers: { 'Content-Type': type } }),
    })),
};

/** Bodies that are JSON and are sent as something else, or as nothing. */
export const authContentTypeChecks: readonly CheckDeclaration[] = arrangedOperations
  .filter(hasBody)
  .flatMap((operation): CheckDeclaration[] => [
    {
      id: idOfRule(otherType, operation),
      title: `${titleOf(operation, otherType.words)} is refused`,
      calls: [operation.area],
      requirements: otherType.requirements(operation),
      needs: operation.needs,
      async run(context) {
        await expectRefusedBy(context, operation, otherType);
      },
    },
    {
      id: idOfRule({ name: 'content-type-absent' }, operation),
      title: `What ${operation.noun} without Content-Type is answered with`,
      calls: [operation.area],
      requirements: ['auth.content-type.missing'],
      needs: operation.needs,
      async run(context) {
        const sent = await sentRequest(context, operation);
        needAccepted(sent.answer, `${operation.noun} as application/json`);
        const request = await rightRequest(context, operation, sent);
        const client = signedClient(context, await context.merchant());
        const answer = await client.send({ ...request, headers: { 'Content-Type': undefined } });
        const whenRefused = saysNothing(answer) ? null : 'required';
        const value = isAccepted(answer) ? 'optional' : whenRefused;
        context.observeIn(answer, 'content-type', `${operation.noun} without Content-Type: ${summary(answer)}`, value);
      },
    },
  ]);
