import { sentRequest } from '../../arrange/authentication/accepted-request.ts';
import { expectLetThrough } from '../../arrange/authentication/passage.ts';
import { expectAcceptedAs, partOf, rightForms } from '../../arrange/authentication/right-requests.ts';
import { idOfRule, titleOf } from '../../arrange/authentication/rule.ts';
import { arrangedOperations } from '../../arrange/operations.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { errorCode } from '../../contract/error-codes.ts';
import { Inconclusive } from '../../errors/outcomes.ts';
import { field } from '../../wire/exchange.ts';

/** The checks that each operation accepts a right request, and accepts it in every form that a rule speaks of. */
export const authAcceptedChecks: readonly CheckDeclaration[] = arrangedOperations.flatMap((operation) => {
  const { area, noun, needs } = operation;
  return [
    {
      id: idOfRule({ name: 'signed' }, operation),
      title: `${titleOf(operation, 'that is rightly signed')} is accepted`,
      calls: [area],
      requirements: [...partOf(operation), 'auth.signature.components', 'auth.signature.algorithm'],
      needs,
      async run(context) {
        const { answer } = await sentRequest(context, operation);
        // A code of its own for the time says that it was not the signature: the two clocks may differ.
        if (field(answer, 'code') === errorCode(area, 'TIMESTAMP_EXPIRED')) {
          const requirement = 'auth.timestamp.window';
          throw new Inconclusive(`${noun} is refused for its time, which says nothing of its signature`, {
            requirement,
          });
        }
        expectLetThrough(context, answer, `${noun}, rightly signed`);
      },
    },
    ...rightForms
      .filter(({ binds }) => binds?.(operation) !== false)
      .map(
        (form): CheckDeclaration => ({
          id: idOfRule(form, operation),
          title: `${titleOf(operation, form.words)} is accepted`,
          calls: [area],
          requirements: form.requirements(operation),
          needs,
          run: (context) => expectAcceptedAs(context, operation, form),
        }),
      ),
  ];
});
