import { sentRequest } from '../../arrange/authentication/accepted-request.ts';
import { needFailureOfMistake } from '../../arrange/authentication/passage.ts';
import { acceptedRequest, sentAgain } from '../../arrange/authentication/refusals.ts';
import { idOfRule, type Way } from '../../arrange/authentication/rule.ts';
import { arrangedOperations } from '../../arrange/operations.ts';
import { type SignedRequest, signedClient } from '../../arrange/requests/signed-client.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectRefused, expectSchema, expectThat, needAccepted } from '../../check/expect.ts';
import { show } from '../../contract/show.ts';
import { field } from '../../wire/exchange.ts';
import { wrongSignatureOf } from '../../wire/signing/signature.ts';

const twoHours = 7_200_000;

/** Failures of authentication for each of its causes; the first one decides what is observed. */
const failures: readonly ((now: number) => Way)[] = [
  () => ({
    words: 'with a wrong signature',
    change: (request) => ({ ...request, sign: wrongSignatureOf }),
  }),
  () => ({
    words: 'under a key that was never issued',
    change: (request) => ({ ...request, headers: { 'X-Api-Key': 'ak_this-key-was-never-issued' } }),
  }),
  (now) => ({
    words: 'whose X-Timestamp is two hours old',
    change: (request) => ({ ...request, timestamp: String(now - twoHours) }),
  }),
  () => ({
    words: 'whose X-Timestamp is no number',
    change: (request) => ({ ...request, timestamp: 'now' }),
  }),
  ...['X-Timestamp', 'X-Signature', 'X-Api-Key'].map((header) => () => ({
    words: `without ${header}`,
    change: (request: SignedRequest) => ({ ...request, headers: { [header]: undefined } }),
  })),
  () => ({
    words: 'for a merchant that does not exist',
    change: (request) => ({ ...request, path: request.path.replace(/(?<=\/merchants\/)[^/]+/, '$&-unknown') }),
  }),
];

/** How hosted operations answer a failed authentication. The answers of the other areas are observed by the rules themselves. */
export const authFailureChecks: readonly CheckDeclaration[] = arrangedOperations
  .filter(({ area }) => area === 'orders')
  .map((operation) => ({
    id: idOfRule({ name: 'failure-envelope' }, operation),
    title: `${operation.title}: a failed authentication is answered with HTTP 200 and the failure envelope`,
    calls: [operation.area],
    requirements: ['auth.orders-failure', 'orders.envelope.failure', 'orders.view.standard-response'],
    openPoint: 'orders-auth-failure',
    async run(context) {
      const sent = await sentRequest(context, operation);
      needAccepted(sent.answer, `${operation.noun}, rightly signed`);
      const client = signedClient(context, await context.merchant());
      const accepted = acceptedRequest(context, sent);
      const ways = failures.map((failure) => failure(context.now()));
      const answers = await Promise.all(ways.map(({ change }) => client.send(change(sent.request, accepted))));
      for (const [index, answer] of answers.entries()) {
        const what = `${operation.noun} ${ways[index]?.words}`;
        expectRefused(answer, what, 'auth.required');
        await needFailureOfMistake(answer, what, sentAgain(client, sent));
        if (index === 0) {
          const code = show(field(answer, 'code'));
          const values: Record<string, string> = { '90001': 'own-codes', '10001': 'invalid-parameter' };
          const value = answer.status === 401 ? 'http-401' : (values[code] ?? null);
          context.observeIn(answer, 'orders-auth-failure', `${what}: HTTP ${answer.status}, code ${code}`, value);
        }
        expectThat(answer.status === 200, answer, {
          expected: `${what}: HTTP 200`,
          actual: `HTTP ${answer.status}`,
        });
        expectSchema(answer, 'OrderFailure');
      }
    },
  }));
