import { sentRequest } from '../../arrange/authentication/accepted-request.ts';
import { idOfRule, needsKey, titleOf } from '../../arrange/authentication/rule.ts';
import { arrangedOperations } from '../../arrange/operations.ts';
import type { ArrangedOperation } from '../../arrange/requests/arranged-operation.ts';
import { signedClient } from '../../arrange/requests/signed-client.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectRefused, needAccepted } from '../../check/expect.ts';

/** What a request lacks that comes after a right one over the same connection. */
const lacking = [
  ['X-Signature'],
  ['X-Api-Key'],
  ['X-Timestamp', 'X-Signature'],
  ['X-Api-Key', 'X-Timestamp', 'X-Signature'],
] as const;

/** The operations that make no record, so that one request can be sent again and again. */
const repeatable = arrangedOperations.filter(({ name }) => !name.endsWith('.create'));

const sameConnectionCheck = (operation: ArrangedOperation): CheckDeclaration => ({
  id: idOfRule({ name: 'same-connection' }, operation),
  title: `${titleOf(operation, 'without headers of authentication')} is refused, although a right one came before it over the same connection`,
  calls: [operation.area],
  requirements: ['auth.required'],
  needs: operation.needs,
  async run(context) {
    const { request } = await sentRequest(context, operation);
    const client = signedClient(context, await context.merchant());
    const connection = context.transport.oneConnection();
    for (const names of lacking.filter(([first, second]) => first !== 'X-Api-Key' || second || needsKey(operation))) {
      // Both have the same time, so that what the first one has signed is what the second one would have to sign.
      const same = { ...request, timestamp: String(context.now()), connection };
      needAccepted(await client.send(same), `${operation.noun}, rightly signed`);
      const headers = Object.fromEntries(names.map((name) => [name, undefined]));
      const what = `${operation.noun} without ${names.join(' and ')}, right after the same request with them over one connection`;
      expectRefused(await client.send({ ...same, headers }), what, 'auth.required');
    }
  },
});

/** The checks that what one request has shown does not speak for the next one on its connection. */
export const authSameConnectionChecks: readonly CheckDeclaration[] = repeatable.map(sameConnectionCheck);
