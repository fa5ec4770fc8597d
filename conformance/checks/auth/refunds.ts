import { expectChangeRefused } from '../../arrange/authentication/refusals.ts';
import { wrongAuthentication } from '../../arrange/authentication/wrong-authentication.ts';
import { batchQueryRefunds, createRefund, queryRefund } from '../../arrange/refunds/operations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectStatus } from '../../check/expect.ts';
import { show } from '../../contract/show.ts';
import { type Answer, field } from '../../wire/exchange.ts';

const operations = [createRefund, queryRefund, batchQueryRefunds];

/** Records the answer to a failed authentication. */
function observeFailure(context: CheckContext, what: string, answer: Answer): void {
  context.observeIn(
    answer,
    'refund-error-codes',
    `${what}: HTTP ${answer.status}, code ${show(field(answer, 'code'))}`,
  );
}

/**
 * For each operation, every way in which its authentication can fail. The contract demands HTTP 401 for wrong signatures;
 * for other failures the target chooses the status.
 */
export const authRefundsChecks: readonly CheckDeclaration[] = operations.flatMap((operation) =>
  wrongAuthentication
    .filter(
      ({ needsBody, needsQuery }) =>
        !(needsBody && operation === queryRefund) && !(needsQuery && operation !== queryRefund),
    )
    .map(({ name, words, requirement, change, needsOther, wrongSignature }): CheckDeclaration => {
      const what = `${operation.noun} ${words}`;
      return {
        id: `auth.${operation.name}.${name}`,
        title: `${what.charAt(0).toUpperCase()}${what.slice(1)} is refused${wrongSignature ? ' with HTTP 401' : ''}`,
        calls: [operation.area],
        requirements: [
          requirement,
          ...(wrongSignature ? (['auth.refunds-401'] as const) : []),
          'auth.refused-changes-nothing',
        ],
        openPoint: 'refund-error-codes',
        needs: [...operation.needs, ...(needsOther ? (['other-merchant'] as const) : [])],
        async run(context) {
          const other = needsOther ? await context.merchant('other') : undefined;
          const answer = await expectChangeRefused(context, [operation], what, change(context, other));
          observeFailure(context, what, answer);
          if (wrongSignature) expectStatus(answer, 401, what, 'auth.refunds-401');
        },
      };
    }),
);
