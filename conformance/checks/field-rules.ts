import { type Constraint, constraints, type OpenPointId, requirements } from '../../generated/catalogue.ts';
import { contract } from '../../generated/contract.ts';
import { type Check, NotApplicable } from '../check.ts';
import { ordersClient } from '../client.ts';
import type { CheckContext } from '../context.ts';
import { type Answer, field } from '../exchange.ts';
import { expectAccepted, expectRefused, isAccepted, needAccepted, show } from '../expect.ts';
import { noSubMerchants } from '../orders.ts';
import { examplesOf, setAt, valueAt } from '../probes/bodies.ts';
import { type Candidates, candidates } from '../probes/candidates.ts';
import { orderBody, withMatchingTotal } from '../probes/order-body.ts';
import { schemaFaults } from '../schema.ts';

/** The operation whose request bodies are probed, and where its schema stands in the contract. */
const operation = 'orders.create';
export const requestSchema = '/components/schemas/OrderCreateRequest';
export const requestExamples = examplesOf(contract, '/paths/~1api~1v1~1merchants~1{merchantId}~1orders/post');

/** How many values beyond a constraint are sent at most. */
const mostBroken = 3;

/** The values to send for a constraint in a body that is right, by the contract itself. */
export function probeValues(constraint: Constraint, body: unknown): Candidates {
  const { allowed, broken } = candidates(constraint, valueAt(body, constraint.path));
  const effects = broken.map((value) => ({ value, ...effect(constraint, setAt(body, constraint.path, value)) }));
  const breaking = effects.filter(({ own }) => own);
  // A constraint that another one at the same place implies cannot be broken alone; then both are.
  const alone = breaking.filter(({ others }) => !others);
  const chosen = (alone.length > 0 ? alone : breaking).slice(0, mostBroken);
  return {
    allowed: allowed.filter((value) => schemaFaults(setAt(body, constraint.path, value), requestSchema).length === 0),
    broken: chosen.map(({ value }) => value),
  };
}

const compositions = ['allOf', 'anyOf', 'oneOf'];

/** Whether a body breaks the constraint, and whether it breaks anything else. */
function effect({ path, keyword, requirement }: Constraint, body: unknown): { own: boolean; others: boolean } {
  const place = path.map((step) => (step === '*' ? '0' : step)).join('.');
  const name = keyword.split('.')[0];
  const faults = schemaFaults(body, requestSchema).map((fault) => ({
    own:
      fault.path === place &&
      (compositions.includes(keyword) || (fault.keyword === name && fault.requirement === requirement)),
    // What stands around a place fails along with it and says nothing of its own.
    around: compositions.includes(fault.keyword) || place.startsWith(`${fault.path}.`),
  }));
  return { own: faults.some(({ own }) => own), others: faults.some(({ own, around }) => !own && !around) };
}

/** The check of one constraint: its twin first, then one thing changed. None where no example shows the field. */
function constraintCheck(constraint: Constraint): Check[] {
  const { id, path, keyword, value: bound } = constraint;
  const requirement = requirements.find((each) => each.id === constraint.requirement);
  const example = requestExamples.find((each) => valueAt(each, path) !== undefined);
  if (!requirement || !example || probeValues(constraint, example).broken.length === 0) return [];
  const { level, openPoint } = requirement;
  const name = path.filter((step) => step !== '*').join('.') || 'the body';
  const rule = `${keyword.replace('x-decimal.', '')} ${show(bound)}`;
  return [
    {
      id,
      title: level === 'MAY' ? `What ${name} beside ${rule} is answered with` : `${name} keeps to ${rule}`,
      level,
      area: 'orders',
      requirements: level === 'MUST' ? [requirement.id, 'orders.errors.refused'] : [requirement.id],
      ...(openPoint && { openPoint }),
      needs: [],
      async run(context) {
        const twin = orderBody(context, example, path);
        const { allowed, broken } = probeValues(constraint, withMatchingTotal(twin));
        const accepted = await send(context, withMatchingTotal(twin));
        if (!isAccepted(accepted.answer) && path[0] === 'subMerchants') throw new NotApplicable(noSubMerchants);
        needAccepted(accepted.answer, `the same request with ${name} = ${show(valueAt(twin, path))}`);

        const changed = (value: unknown) => {
          const fresh = orderBody(context, example, path);
          return send(context, withMatchingTotal(setAt(fresh, path, value)));
        };
        // Where the specification leaves the edges open, only what lies beyond them is judged.
        for (const value of level === 'MUST' && !openPoint ? allowed : []) {
          expectAccepted((await changed(value)).answer, `${name} = ${show(value)}, which keeps the rule`);
        }
        for (const value of broken) {
          const { answer, query } = await changed(value);
          const what = value === undefined ? `a request without ${name}` : `${name} = ${show(value)}`;
          if (openPoint)
            context.observe(
              openPoint,
              `${what}: code ${show(field(answer, 'code'))}`,
              registerValue(openPoint, answer),
            );
          if (level === 'MAY') continue;
          expectRefused(answer, what);
          if (level === 'MUST' && query) {
            expectRefused(await query(), `a query for the order that was refused (${what})`, 'orders.errors.refused');
          }
        }
      },
    },
  ];
}

/** What an answer to a value beyond a constraint means at an open point, as its register names it. */
function registerValue(openPoint: OpenPointId, answer: Answer): string | undefined {
  const taken = isAccepted(answer);
  if (openPoint === 'field-forms') return taken ? 'lenient' : 'strict';
  if (openPoint === 'orders-metadata-json') return taken ? 'accepted' : 'refused';
  if (openPoint === 'orders-currency') return show(field(answer, 'code'));
  return undefined;
}

/** Sends a create; `query` asks for the order under the id that was sent, where one was. */
async function send(context: CheckContext, body: unknown) {
  const client = ordersClient(context, await context.merchant());
  const id = valueAt(body, ['merchantOrderId']);
  const query =
    typeof id === 'string' && id !== '' ? () => client.send({ method: 'GET', path: client.queryPath(id) }) : undefined;
  return { answer: await client.createAnything(body), query };
}

/** One check for each constraint of the contract on the body of a create, made from the contract alone. */
export const fieldRuleChecks: readonly Check[] = constraints
  .filter((constraint) => constraint.operation === operation && constraint.in === 'body')
  .flatMap(constraintCheck);
