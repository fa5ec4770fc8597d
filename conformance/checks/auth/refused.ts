import type { RequirementId } from '../../../generated/catalogue-ids.ts';
import { saysNothing } from '../../arrange/authentication/passage.ts';
import { expectRefusedBy, isOtherAuthFailure, refundStatuses } from '../../arrange/authentication/refusals.ts';
import { type AuthenticationRule, idOfRule, type Refusal, titleOf } from '../../arrange/authentication/rule.ts';
import { authenticationRules } from '../../arrange/authentication/rules/index.ts';
import { arrangedOperations } from '../../arrange/operations.ts';
import type { ArrangedOperation } from '../../arrange/requests/arranged-operation.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { show } from '../../contract/show.ts';
import { type Answer, field } from '../../wire/exchange.ts';

/** The open point that an answer to a failed authentication shows. Hosted operations have a check of their own for it. */
const shownBy = {
  orders: undefined,
  refunds: 'refund-error-codes',
  checkout: 'checkout-auth-failure',
} as const;

/** Refusals that may be about a parameter, so that they take no value of an open point about authentication. */
const ambiguous: readonly Refusal[] = ['malformed-signature', 'malformed-header'];

function observe(
  context: CheckContext,
  { area, noun }: ArrangedOperation,
  { words, refusal }: AuthenticationRule,
  answer: Answer,
): void {
  const openPoint = shownBy[area];
  if (!openPoint || refusal === 'unrelated') return;
  const { status } = answer;
  const seen = `${noun} ${words}: HTTP ${status}, code ${show(field(answer, 'code'))}`;
  const value = status === 401 || status === 200 ? String(status) : 'other-4xx';
  if (saysNothing(answer)) context.observe(openPoint, seen);
  else if (area === 'checkout' && isOtherAuthFailure(answer)) context.observe(openPoint, seen, 'other-4xx');
  else if (area === 'checkout' && !ambiguous.includes(refusal)) context.observeIn(answer, openPoint, seen, value);
  else context.observeIn(answer, openPoint, seen);
}

/** The requirements beside those of the rule that an operation keeps when it refuses a request. */
function requirementsOf({ area, name }: ArrangedOperation, { refusal }: AuthenticationRule): readonly RequirementId[] {
  return [
    ...(area === 'refunds' && refundStatuses[refusal] ? (['auth.refunds-401'] as const) : []),
    ...(area === 'checkout' && refusal !== 'unrelated' ? (['checkout.auth-failure'] as const) : []),
    ...(name.endsWith('.create') ? (['auth.refused-changes-nothing'] as const) : []),
  ];
}

function refusedCheck(rule: AuthenticationRule, operation: ArrangedOperation): CheckDeclaration {
  const openPoint = rule.refusal === 'unrelated' ? undefined : shownBy[operation.area];
  const statuses = operation.area === 'refunds' ? refundStatuses[rule.refusal] : undefined;
  const how = statuses ? ` with HTTP ${statuses.join(' or ')}` : '';
  return {
    id: idOfRule(rule, operation),
    title: `${titleOf(operation, rule.words)} is refused${how}`,
    calls: [operation.area],
    requirements: [...rule.requirements(operation), ...requirementsOf(operation, rule)],
    ...(openPoint && { openPoint }),
    needs: [...operation.needs, ...(rule.needsOther ? (['other-merchant'] as const) : [])],
    async run(context) {
      observe(context, operation, rule, await expectRefusedBy(context, operation, rule));
    },
  };
}

/** The checks that each rule is kept by each operation that it binds. */
export const authRefusedChecks: readonly CheckDeclaration[] = arrangedOperations.flatMap((operation) =>
  authenticationRules.filter(({ binds }) => binds?.(operation) !== false).map((rule) => refusedCheck(rule, operation)),
);
