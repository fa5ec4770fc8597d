import { idOfRule } from '../../../arrange/authentication/rule.ts';
import { contractOperations } from '../../../contract/operations.ts';
import { isOf, onlyFor } from '../../stand/changes.ts';
import type { Fault } from '../../stand/fault.ts';
import type { Handler } from '../../stand/proxy.ts';

const authenticationHeaders = ['x-api-key', 'x-timestamp', 'x-signature'];

/** A server that keeps the headers of authentication with the connection: what a request lacks is that of the one before. */
function keepingHeaders(): Handler {
  const kept = new WeakMap<object, Record<string, string>>();
  return (request, server) => {
    const headers = { ...kept.get(request.connection), ...request.headers };
    const ofAuthentication = Object.entries(headers).filter(([name]) => authenticationHeaders.includes(name));
    kept.set(request.connection, Object.fromEntries(ofAuthentication));
    return server.forward({ ...request, headers });
  };
}

/** Wrong servers for which a request may speak for the next one on its connection. */
export const sameConnectionFaults: readonly Fault[] = contractOperations
  .filter(({ name }) => !name.endsWith('.create'))
  .map((operation) => ({
    id: `${operation.name.replaceAll('.', '-')}-headers-kept-with-connection`,
    title: `Takes headers of authentication that a request of ${operation.name} lacks from the one before over the same connection.`,
    breaks: 'auth.required',
    caughtBy: idOfRule({ name: 'same-connection' }, operation),
    make: { merchantApi: onlyFor(isOf(operation.name), keepingHeaders()) },
  }));
