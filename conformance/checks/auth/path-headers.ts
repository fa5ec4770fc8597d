import { idOfRule, titleOf } from '../../arrange/authentication/rule.ts';
import { arrangedOperations } from '../../arrange/operations.ts';
import type { ArrangedOperation } from '../../arrange/requests/arranged-operation.ts';
import type { SignedRequest } from '../../arrange/requests/signed-client.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectThat, isAccepted, needAccepted } from '../../check/expect.ts';
import { show } from '../../contract/show.ts';
import { NotApplicable } from '../../errors/outcomes.ts';
import { type Answer, field } from '../../wire/exchange.ts';
import { signatureOf } from '../../wire/signing/signature.ts';

/** Headers in which servers behind a proxy may look for the address that a client has asked for. No sentence of the contract knows them. */
const pathHeaders = ['X-Original-URL', 'X-Rewrite-URL', 'X-Original-URI', 'X-Forwarded-URI'] as const;

/** The operations whose address says which record they show, with the field of the answer that tells it. */
const idFields: Readonly<Record<string, string>> = {
  'orders.query': 'data.orderId',
  'refunds.query': 'data.refundOrderId',
  'checkout.query': 'data.orderId',
};

/** The address of a request as its request line has it. */
function addressOf({ path, query }: SignedRequest, { target }: CheckContext): string {
  const prefix = new URL(target).pathname.replace(/\/$/, '');
  return `${prefix}${path}${query === undefined ? '' : `?${query}`}`;
}

const pathHeaderCheck = (operation: ArrangedOperation, idField: string): CheckDeclaration => ({
  id: idOfRule({ name: 'path-in-header' }, operation),
  title: `${titleOf(operation, 'with the address of another record in its headers')} does not show that record`,
  calls: [operation.area],
  requirements: ['auth.signature.path'],
  needs: operation.needs,
  async run(context) {
    const merchant = await context.merchant();
    const [{ client, request }, { request: other }] = await Promise.all([
      operation.prepare(context, merchant),
      operation.prepare(context, merchant),
    ]);
    const address = addressOf(other, context);
    if (address === addressOf(request, context)) throw new NotApplicable('there is one record to ask for only');
    const own = await client.send(request);
    needAccepted(own, operation.noun);
    const headers = Object.fromEntries(pathHeaders.map((name) => [name, address]));
    const { path, query } = other;
    const asked: readonly (readonly [words: string, answer: Answer])[] = [
      ['signed for its own address', await client.send({ ...request, headers })],
      [
        'signed for that address',
        await client.send({
          ...request,
          headers,
          sign: (signed, secret) =>
            signatureOf({ ...signed, path: signed.path.replace(request.path, path), query }, secret),
        }),
      ],
    ];
    for (const [words, answer] of asked) {
      const [shown, due] = [field(answer, idField), field(own, idField)];
      expectThat(!isAccepted(answer) || shown === due, answer, {
        expected: `${operation.noun} with ${pathHeaders[0]} = ${show(address)} and such headers, ${words}: ${idField} = ${show(due)}, of its request line, or a refusal`,
        actual: `${idField} = ${show(shown)}`,
      });
    }
  },
});

/** The checks that a query is for what its request line says, and is signed for that, whatever its further headers say. */
export const authPathHeaderChecks: readonly CheckDeclaration[] = arrangedOperations.flatMap((operation) => {
  const idField = idFields[operation.name];
  return idField === undefined ? [] : [pathHeaderCheck(operation, idField)];
});
