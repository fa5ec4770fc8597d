import { refuses } from '../../arrange/authentication/refusals.ts';
import { wrongAuthentication } from '../../arrange/authentication/wrong-authentication.ts';
import { batchQueryRefunds, createRefund, queryRefund } from '../../arrange/refunds/operations.ts';
import { expectStatus } from '../../arrange/refunds/refunds.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { show } from '../../check/expect.ts';
import { type Answer, field } from '../../wire/exchange.ts';

const operations = [createRefund, queryRefund, batchQueryRefunds];

/** Records what a failed authentication was answered with. */
function observeFailure(context: CheckContext, what: string, answer: Answer): void {
  context.observe('refund-error-codes', `${what}: HTTP ${answer.status}, code ${show(field(answer, 'code'))}`);
}

/**
 * For each operation, every way in which its authentication can fail. HTTP 401 is said of signatures: what else may be wrong
 * is refused, with a status of the target's own choice.
 */
export const authRefundsChecks: readonly CheckDeclaration[] = operations.flatMap((operation) =>
  wrongAuthentication
    .filter(({ ofBody, ofQuery }) => !(ofBody && operation === queryRefund) && !(ofQuery && operation !== queryRefund))
    .map(({ name, words, requirement, change, ofOther, ofSignature }): CheckDeclaration => {
      const what = `${operation.noun} ${words}`;
      return {
        id: `auth.${operation.name}.${name}`,
        title: `${what.charAt(0).toUpperCase()}${what.slice(1)} is refused${ofSignature ? ' with HTTP 401' : ''}`,
        calls: ['refunds'],
        requirements: [
          requirement,
          ...(ofSignature ? (['auth.refunds-401'] as const) : []),
          'auth.refused-changes-nothing',
        ],
        openPoint: 'refund-error-codes',
        needs: [...operation.needs, ...(ofOther ? (['other-merchant'] as const) : [])],
        async run(context) {
          const other = ofOther ? await context.merchant('other') : undefined;
          const answer = await refuses(context, [operation], what, change(context, other));
          observeFailure(context, what, answer);
          if (ofSignature) expectStatus(answer, 401, what, 'auth.refunds-401');
        },
      };
    }),
);
