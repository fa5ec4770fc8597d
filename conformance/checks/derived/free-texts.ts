import type { RequirementId } from '../../../generated/catalogue.ts';
import { createCheckoutOrder } from '../../arrange/checkout-orders/operations.ts';
import { createOrder } from '../../arrange/orders/operations.ts';
import { createRefund } from '../../arrange/refunds/operations.ts';
import type { ArrangedOperation } from '../../arrange/requests/arranged-operation.ts';
import { someAtOnce } from '../../arrange/requests/some-at-once.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectAccepted, expectThat, isAccepted, summary } from '../../check/expect.ts';
import { type JsonObject, setAt } from '../../contract/json.ts';
import { show } from '../../contract/show.ts';
import { successCode } from '../../contract/success-code.ts';
import { besideEveryField } from '../../values/bodies.ts';
import { fullestExample } from '../../values/classed-values.ts';
import { type FreeField, freeFields, mostValues } from '../../values/free-fields.ts';
import { printed } from '../../values/printed.ts';
import type { Answer } from '../../wire/exchange.ts';
import { preparedCreate } from '../support/prepared-creates.ts';

// Every ordinary text is right where the contract says no more of a field than that it is text.

/** All free fields of a create are given other values at once. They are sent one by one only where all of them together are refused. */
function freeTexts(operation: ArrangedOperation, requirement: RequirementId): CheckDeclaration {
  const example = besideEveryField({}, fullestExample(operation.name));
  const names = [...new Set(freeFields(example).map(({ path }) => path.at(-1)))];
  return {
    id: `${operation.name}.free-texts`,
    title: `Fields without a rule of their own take any ordinary text: ${names.join(', ')}`,
    requirements: [requirement],
    needs: operation.needs,
    long: true,
    async run(context) {
      const send = async (change: (body: unknown) => unknown): Promise<Answer> => {
        const full = (body: JsonObject) => besideEveryField(body, example);
        const changed = (body: JsonObject) => Object(change(full(body)));
        return (await preparedCreate(context, operation, changed))();
      };
      // The values of the contract's own example are ordinary texts.
      expectAccepted(
        await send((body) => body),
        "the same request with the values of the contract's example",
        requirement,
      );
      for (const round of Array.from({ length: mostValues }).keys()) {
        const valueIn = ({ values }: FreeField) => values[round % values.length];
        const all = await send((body) =>
          freeFields(body).reduce<unknown>((changed, each) => setAt(changed, each.path, valueIn(each)), body),
        );
        if (!isAccepted(all)) {
          const apart = await someAtOnce(freeFields(example), async (each) => {
            const answer = await send((body) => setAt(body, each.path, valueIn(each)));
            return { answer, what: `${each.path.join('.')} = ${printed(valueIn(each))}` };
          });
          expectAllTaken(apart, requirement);
        }
        expectAccepted(all, `${names.join(', ')} with other texts`, requirement);
      }
    },
  };
}

/** Fails where one of these requests was refused, and names all that were: who mends one needs not run again to hear of the next. */
function expectAllTaken(sent: readonly { answer: Answer; what: string }[], requirement: RequirementId): void {
  const [first, ...others] = sent.filter(({ answer }) => !isAccepted(answer));
  if (!first) return;
  const more = others.map(({ what }) => what).join('; ');
  expectThat(false, first.answer, {
    expected: `${first.what}: code = ${show(successCode)}`,
    actual: `${summary(first.answer)}${more && `; refused too: ${more}`}`,
    requirement,
  });
}

export const freeTextChecks: readonly CheckDeclaration[] = [
  freeTexts(createOrder, 'orders.create.optional-fields'),
  freeTexts(createRefund, 'refunds.create.accepted'),
  freeTexts(createCheckoutOrder, 'checkout.create.optional-fields'),
];
