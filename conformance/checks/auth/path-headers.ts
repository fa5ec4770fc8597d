import { idOfRule, titleOf } from '../../arrange/authentication/rule.ts';
import { arrangedOperations } from '../../arrange/operations.ts';
import type { ArrangedOperation } from '../../arrange/requests/arranged-operation.ts';
import type { SignedRequest } from '../../arrange/requests/signed-client.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectRefused, needAccepted } from '../../check/expect.ts';
import { show } from '../../contract/show.ts';
import { signatureOf } from '../../wire/signing/signature.ts';

/** Headers in which servers behind a proxy may look for the address that a client has asked for. No sentence of the contract knows them. */
const pathHeaders = ['X-Original-URL', 'X-Rewrite-URL', 'X-Original-URI', 'X-Forwarded-URI'] as const;

/** The operations whose address says which record they show. */
const queries = arrangedOperations.filter(({ name }) =>
  ['orders.query', 'refunds.query', 'checkout.query'].includes(name),
);

/** The path and the query of a request as its request line has them. */
function addressOf({ path, query }: SignedRequest, { target }: CheckContext): string {
  const prefix = new URL(target).pathname.replace(/\/$/, '');
  return `${prefix}${path}${query === undefined ? '' : `?${query}`}`;
}

/** The same query for a record that does not exist. */
function unknownLike({ path, query, ...rest }: SignedRequest, id: string): SignedRequest {
  return query === undefined
    ? { ...rest, path: path.replace(/[^/]+$/, id) }
    : { ...rest, path, query: query.replace(/(?<==).*$/, id) };
}

const pathHeaderCheck = (operation: ArrangedOperation): CheckDeclaration => ({
  id: idOfRule({ name: 'path-in-header' }, operation),
  title: `${titleOf(operation, 'for what does not exist')} is refused, although headers name the address of something that does`,
  calls: [operation.area],
  requirements: ['auth.signature.path'],
  needs: operation.needs,
  async run(context) {
    const { client, request } = await operation.prepare(context, await context.merchant());
    needAccepted(await client.send(request), operation.noun);
    const address = addressOf(request, context);
    const unknown = {
      ...unknownLike(request, context.newOrderId()),
      headers: Object.fromEntries(pathHeaders.map((name) => [name, address])),
    };
    const what = `${operation.noun} for what does not exist, with ${pathHeaders[0]} = ${show(address)} and such headers`;
    expectRefused(await client.send(unknown), `${what}, signed for its own address`);
    const forOther: SignedRequest = {
      ...unknown,
      sign: (signed, secret) => {
        const path = signed.path.replace(unknown.path, request.path);
        return signatureOf({ ...signed, path, query: request.query }, secret);
      },
    };
    expectRefused(await client.send(forOther), `${what}, signed for that address`);
  },
});

/** The checks that a query is for what its request line says, and is signed for that, whatever its further headers say. */
export const authPathHeaderChecks: readonly CheckDeclaration[] = queries.map(pathHeaderCheck);
