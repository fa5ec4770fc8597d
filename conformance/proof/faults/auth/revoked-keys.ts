import { idOfRule, needsKey } from '../../../arrange/authentication/rule.ts';
import { type ContractOperation, contractOperations } from '../../../contract/operations.ts';
import { isOf, spoiled } from '../../stand/changes.ts';
import type { Fault, Make } from '../../stand/fault.ts';
import type { ProxyRequest } from '../../stand/proxy.ts';
import { keepingKeys } from '../../stand/revoked-keys.ts';

/** A server that takes the requests under a revoked key for which `takes` is true. */
const taking = (takes: (request: ProxyRequest) => boolean): Make =>
  keepingKeys((request) => (takes(request) ? request : spoiled(request)));

/** A server that answers a request which repeats an earlier one of an operation before it looks whether the key was revoked. */
function takingRepeats(operation: string): Make {
  const seen = new Set<string>();
  const { control, merchantApi } = taking((request) => seen.has(request.body.toString('latin1')));
  return {
    ...(control && { control }),
    merchantApi: async (request, server) => {
      const answer = await (merchantApi?.(request, server) ?? server.forward(request));
      if (isOf(operation)(request)) seen.add(request.body.toString('latin1'));
      return answer;
    },
  };
}

/** How many revoked keys a server remembers that forgets the earlier ones. */
const mostRemembered = 3;

const fault = (operation: ContractOperation, id: string, title: string, make: Make): Fault => ({
  id: `${operation.name.replace('.', '-')}-${id}`,
  title,
  breaks: 'auth.api-key.revoked',
  caughtBy: idOfRule({ name: 'revoked-key' }, operation),
  make,
});

/** Wrong servers for each operation that go on accepting a key that was revoked. */
export const revokedKeyFaults: readonly Fault[] = contractOperations.flatMap((operation) => [
  fault(
    operation,
    'revoked-key-taken',
    `Forgets in ${operation.name} to look whether a key was revoked.`,
    taking(isOf(operation.name)),
  ),
  ...(operation.name.endsWith('.create')
    ? [
        fault(
          operation,
          'repeated-under-revoked-key',
          `Looks in ${operation.name} whether a key was revoked only where the request is no repeat.`,
          takingRepeats(operation.name),
        ),
      ]
    : []),
  ...(operation.method === 'GET'
    ? [
        fault(
          operation,
          'revoked-key-forgotten',
          `Remembers in ${operation.name} only the ${mostRemembered} keys that were revoked last.`,
          keepingKeys((request, _since, keysSince) =>
            isOf(operation.name)(request) && keysSince >= mostRemembered ? request : spoiled(request),
          ),
        ),
      ]
    : []),
  ...(needsKey(operation)
    ? []
    : [
        fault(
          operation,
          'revoked-secret-taken',
          `Looks in ${operation.name} whether a key was revoked only where it is named.`,
          taking((request) => isOf(operation.name)(request) && request.headers['x-api-key'] === undefined),
        ),
      ]),
]);
