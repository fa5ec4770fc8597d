import { idOfRule, needsKey } from '../../../../arrange/authentication/rule.ts';
import { contractOperations } from '../../../../contract/operations.ts';
import { alsoTaking, isSignedWith } from '../../../stand/changes.ts';
import type { Fault } from '../../../stand/fault.ts';
import { toSign } from '../../../stand/proxy.ts';
import { only, slugOf } from './of-operation.ts';

/** Notations of numbers that functions of some languages read, beside plain digits. */
const timestampNotations: Readonly<Record<string, { words: string; form: RegExp }>> = {
  'in-hexadecimal-of-pascal': { words: 'in hexadecimal digits behind a dollar sign', form: /^\$[0-9a-f]+$/i },
  'in-octal': { words: 'in octal digits', form: /^0o?[0-7]{14}$/ },
  'with-underscores': { words: 'with underscores between all of its thousands', form: /^[0-9](_[0-9]{3}){4}$/ },
};

/** Servers that go on with what they have where a header is not there, or is not what they take it for. */
export const careless: readonly Fault[] = contractOperations.flatMap((operation): Fault[] => [
  ...['', 'undefined'].map(
    (text): Fault => ({
      id: `${slugOf(operation)}-timestamp-missing-signed-as-${text || 'nothing'}`,
      title: `Verifies the signature over ${text === '' ? 'nothing' : `the text ${text}`} where there is no X-Timestamp, and takes the request in ${operation.name}.`,
      breaks: 'auth.timestamp.required',
      caughtBy: idOfRule({ name: 'timestamp-missing' }, operation),
      make: only(
        operation,
        alsoTaking(
          (request, { apiSecret }) =>
            request.headers['x-timestamp'] === undefined && isSignedWith(request, apiSecret, { timestamp: text }),
        ),
      ),
    }),
  ),
  {
    id: `${slugOf(operation)}-timestamp-empty-signed`,
    title: `Takes an empty X-Timestamp that is signed as it is in ${operation.name}.`,
    breaks: 'auth.timestamp.required',
    caughtBy: idOfRule({ name: 'timestamp-empty' }, operation),
    make: only(
      operation,
      alsoTaking(
        (request, { apiSecret }) =>
          request.headers['x-timestamp'] === '' && isSignedWith(request, apiSecret, { timestamp: '' }),
      ),
    ),
  },
  ...(needsKey(operation)
    ? [
        {
          id: `${slugOf(operation)}-key-missing-secret-undefined`,
          title: `Signs with the text undefined where there is no X-Api-Key in ${operation.name}.`,
          breaks: 'auth.api-key.required' as const,
          caughtBy: idOfRule({ name: 'key-missing' }, operation),
          make: only(
            operation,
            alsoTaking((request) => request.headers['x-api-key'] === undefined && isSignedWith(request, 'undefined')),
          ),
        },
      ]
    : []),
  ...Object.entries(timestampNotations).map(
    ([name, { words, form }]): Fault => ({
      id: `${slugOf(operation)}-timestamp-${name}`,
      title: `Takes an X-Timestamp ${words} in ${operation.name}.`,
      breaks: 'auth.timestamp.form',
      caughtBy: idOfRule({ name: 'timestamp-form' }, operation),
      make: only(
        operation,
        alsoTaking(
          (request, { apiSecret }) =>
            form.test(request.headers['x-timestamp'] ?? '') && isSignedWith(request, apiSecret),
        ),
      ),
    }),
  ),
  {
    id: `${slugOf(operation)}-timestamp-signed-in-whole-seconds`,
    title: `Takes a signature over the timestamp cut to whole seconds in ${operation.name}.`,
    breaks: 'auth.timestamp.signed',
    caughtBy: idOfRule({ name: 'another-timestamp' }, operation),
    make: only(
      operation,
      alsoTaking((request, { apiSecret }) => {
        const { timestamp } = toSign(request);
        return isSignedWith(request, apiSecret, { timestamp: `${timestamp.slice(0, -3)}000` });
      }),
    ),
  },
]);
