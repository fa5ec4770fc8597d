import { type Requirement, requirements } from '../../../generated/catalogue.ts';
import type { OpenPointId, RequirementId } from '../../../generated/catalogue-ids.ts';
import { createCheckoutOrder } from '../../arrange/checkout-orders/operations.ts';
import { createOrder } from '../../arrange/orders/operations.ts';
import { isRefusedSplit, noSubMerchants } from '../../arrange/orders/orders.ts';
import { batchQueryRefunds, createRefund } from '../../arrange/refunds/operations.ts';
import type { ArrangedOperation } from '../../arrange/requests/arranged-operation.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import {
  expectAccepted,
  expectCode,
  expectRefused,
  expectStatus,
  isAccepted,
  needAccepted,
} from '../../check/expect.ts';
import { setAt, valueAt } from '../../contract/json.ts';
import { schemaFaults } from '../../contract/schema.ts';
import { show } from '../../contract/show.ts';
import { PermittedChoice } from '../../errors/outcomes.ts';
import { areEdgesJudged, type ProbedConstraint, probedConstraints, probeValues } from '../../probes/constraints.ts';
import { probedBody, withMatchingTotal } from '../../probes/probed-body.ts';
import { type Answer, field } from '../../wire/exchange.ts';

/** The code of checkout for any wrong parameter. */
const invalidParameter = '10001';

/** An operation whose request bodies are probed. */
interface ProbedOperation {
  operation: ArrangedOperation;
  /** The requirement that a refused request has no effect; absent: the operation makes nothing. */
  refused?: RequirementId;
  /** Makes the other fields of a body fit the probed one, so that a probe breaks nothing but its own rule. */
  adjust?: (body: unknown) => unknown;
  /** Fails unless a refusal has the status or code that the area demands for a broken rule. */
  expectRefusal?: (answer: Answer, what: string, rule: Requirement) => void;
}

const probedOperations: readonly ProbedOperation[] = [
  { operation: createOrder, refused: 'orders.errors.refused', adjust: withMatchingTotal },
  {
    operation: createRefund,
    refused: 'refunds.errors.refused',
    expectRefusal: (answer, what) => expectStatus(answer, 400, what, 'refunds.errors.invalid-parameter'),
  },
  { operation: batchQueryRefunds },
  {
    operation: createCheckoutOrder,
    refused: 'checkout.errors.refused',
    expectRefusal: (answer, _what, { id, error }) => {
      // Two rows of the contract's table of codes fit a value that is wrong and has a code of its own.
      if (error !== undefined) expectCode(answer, [error, invalidParameter], id);
    },
  },
];

/** The check of one constraint: it sends a right request first, and then the same with one field changed. */
function constraintCheck(probed: ProbedConstraint, { operation, ...area }: ProbedOperation): CheckDeclaration[] {
  const { constraint, schema, example } = probed;
  const { id, path, keyword, value: bound } = constraint;
  const requirement = requirements.find((each) => each.id === constraint.requirement);
  if (!requirement) return [];
  const { adjust = (body) => body, refused, expectRefusal } = area;
  const { level, openPoint } = requirement;
  const name = path.filter((segment) => segment !== '*').join('.') || 'the body';
  const rule = `${keyword.replace('x-decimal.', '')} ${show(bound)}`;

  /** Sends a right request with one change, to which its other fields are fitted; `made` queries the record under the id sent. */
  async function send(context: CheckContext, change: (right: unknown) => unknown, isTwin = false) {
    const { client, request, body, makes, twin } = await operation.prepare(context, await context.merchant());
    const sent = adjust(change(probedBody(body ?? {}, example, path)));
    const answer = isTwin && twin ? twin.answer : await client.post(request.path, sent);
    const sentId = makes && valueAt(sent, [makes.id]);
    const made = makes && typeof sentId === 'string' && sentId !== '' ? () => makes.find(sentId) : undefined;
    return { sent, answer, made };
  }

  return [
    {
      id,
      title: level === 'MAY' ? `What ${name} beside ${rule} is answered with` : `${name} keeps to ${rule}`,
      requirements: level === 'MUST' && refused ? [requirement.id, refused] : [requirement.id],
      ...(openPoint && { openPoint }),
      // A request that may be accepted must not use up one of the few configured paid orders.
      needs: level !== 'MUST' && operation.needs.includes('paid-order') ? ['order-events'] : operation.needs,
      async run(context) {
        const { sent: twin, answer: accepted } = await send(context, (body) => body, true);
        const { allowed, broken } = probeValues({ constraint, schema }, twin);
        if (path[0] === 'subMerchants' && isRefusedSplit(accepted)) {
          const { client, request } = await operation.prepare(context, await context.merchant());
          needAccepted(await client.send(request), 'the same create without subMerchants');
          throw new PermittedChoice(noSubMerchants);
        }
        needAccepted(accepted, `the same request with ${name} = ${show(valueAt(twin, path))}`);

        for (const value of areEdgesJudged(constraint, requirement) ? allowed : []) {
          const { answer } = await send(context, (body) => setAt(body, path, value));
          expectAccepted(answer, `${name} = ${show(value)}, which keeps the rule`);
        }
        for (const value of broken) {
          const { answer, made } = await send(context, (body) => setAt(body, path, value));
          const what = value === undefined ? `a request without ${name}` : `${name} = ${show(value)}`;
          if (openPoint) {
            const seen = `${what}: HTTP ${answer.status}, code ${show(field(answer, 'code'))}`;
            const isTelling = openPoint !== 'field-forms' || showsFieldForms({ constraint, schema }, twin, value);
            context.observeIn(
              answer,
              openPoint,
              seen,
              isTelling ? registerValue(openPoint, answer, requirement) : undefined,
            );
          }
          if (level === 'MAY') continue;
          expectRefused(answer, what);
          expectRefusal?.(answer, what, requirement);
          if (made && refused) expectRefused(await made(), `a query for what was refused (${what})`, refused);
        }
      },
    },
  ];
}

/**
 * Whether the answer to a value of another type shows if the target reads field types strictly: only where the field may be
 * left out and the same value as text would fit. Elsewhere the value may be refused for another reason.
 */
function showsFieldForms(
  { constraint, schema }: Omit<ProbedConstraint, 'example'>,
  twin: unknown,
  value: unknown,
): boolean {
  const { keyword, path } = constraint;
  if (keyword !== 'type' || path.length === 0 || path.at(-1) === '*') return false;
  if (value !== null && typeof value !== 'number') return false;
  const fits = (form: unknown) => schemaFaults(setAt(twin, path, form), schema).length === 0;
  return fits(undefined) && (value === null || fits(String(value)));
}

/** The value at an open point that the answer to a value beyond a constraint shows; `undefined`: none. */
function registerValue(openPoint: OpenPointId, answer: Answer, { error }: Requirement): string | undefined {
  const taken = isAccepted(answer);
  if (openPoint === 'field-forms') return taken ? 'lenient' : 'strict';
  if (openPoint === 'request-bounds') return taken ? 'unbounded' : 'bounded';
  if (openPoint === 'orders-metadata-json') return taken ? 'accepted' : 'refused';
  if (openPoint === 'orders-currency') return show(field(answer, 'code'));
  // A value that breaks a form has no row of its own in the table of codes.
  if (openPoint === 'checkout-overlapping-codes' && error !== undefined) {
    return field(answer, 'code') === invalidParameter ? 'invalid-parameter' : 'own-row';
  }
  return undefined;
}

/** One check for each constraint of the contract on the body of a request, derived from the contract alone. */
export const fieldRuleChecks: readonly CheckDeclaration[] = probedOperations.flatMap((probed) =>
  probedConstraints(probed.operation.name).flatMap((constraint) => constraintCheck(constraint, probed)),
);
