import { createOrder } from '../../arrange/orders/operations.ts';
import { isRefusedSplit, noSubMerchants } from '../../arrange/orders/orders.ts';
import { someAtOnce } from '../../arrange/requests/some-at-once.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectRefused, isAccepted, needAccepted } from '../../check/expect.ts';
import { type JsonObject, setAt } from '../../contract/json.ts';
import { PermittedChoice } from '../../errors/outcomes.ts';
import { probedBody, withMatchingTotal } from '../../values/bodies.ts';
import {
  classedValues,
  isRequired,
  type ProbedConstraint,
  probedConstraints,
  requirementOf,
} from '../../values/classed-values.ts';
import { printed } from '../../values/printed.ts';

// Every entry of a long list keeps the rules. A server that looks at no more than a page of them takes the rest as it comes.

/** More entries than a byte counts, and than most pages hold; fewer than a target may refuse. */
const many = 260;

/** A list of objects in the create of a hosted order. The entries of no other list have rules that a request must keep. */
interface List {
  field: 'items' | 'subMerchants';
  /** As the ids of requirements have it. */
  name: 'items' | 'sub-merchants';
}

const lists: readonly List[] = [
  { field: 'items', name: 'items' },
  { field: 'subMerchants', name: 'sub-merchants' },
];

/** The rules of the fields of a list's entries that a request must keep. */
const rulesOf = ({ field }: List): readonly ProbedConstraint[] =>
  probedConstraints(createOrder.name).filter(
    ({ constraint }) =>
      constraint.path[0] === field && constraint.path.length > 2 && requirementOf(constraint).level === 'MUST',
  );

/** A right body with a long list, which has an optional field of a rule in each of its entries. */
const longBody = (
  { field }: List,
  { constraint, example }: ProbedConstraint,
  right: JsonObject,
  count = many,
): JsonObject => {
  const isNeeded = (path: readonly string[]) => isRequired({ operation: createOrder.name, path });
  const body = probedBody(right, example, constraint.path, isNeeded, count);
  return field === 'subMerchants' ? Object(withMatchingTotal(body)) : body;
};

/** The create of an order of the check's merchant, ready to be sent. */
const prepared = async (context: CheckContext) => createOrder.prepare(context, await context.merchant());

type Prepared = Awaited<ReturnType<typeof prepared>>;

/** Where a wrong value stands in a list. */
interface Wrong {
  rule: ProbedConstraint;
  right: JsonObject;
  /** The entry, counted from 0. */
  entry: number;
  /** Which of the wrong values of the rule is sent, counted from 0 and, behind the last one, from the first again. */
  turn?: number;
  /** Names the entry. */
  where: string;
}

/** Sends a right body with a wrong value of a rule in one of the entries where the rule binds. Fails unless that is refused. */
async function expectWrongRefused(
  context: CheckContext,
  { client, request }: Prepared,
  { rule, right, entry, turn = 0, where }: Wrong,
): Promise<void> {
  const refused = classedValues(rule, right, context.random).filter(
    ({ expected, openPoint }) => expected === 'refused' && !openPoint,
  );
  const wrong = refused[turn % refused.length];
  if (!wrong) return;
  const place = rule.constraint.path.map((step) => (step === '*' ? String(entry) : step));
  const changed = setAt({ ...right, merchantOrderId: context.newOrderId() }, place, wrong.value);
  const answer = await client.post(request.path, place[0] === 'subMerchants' ? withMatchingTotal(changed) : changed);
  const what = wrong.value === undefined ? 'nothing' : printed(wrong.value);
  expectRefused(answer, `${what} as ${place.slice(2).join('.')} in ${where}`, requirementOf(rule.constraint).id);
}

/** Sends a wrong value in the last entry of a long list, after a right list of the same length was accepted. */
async function expectLastRefused(context: CheckContext, list: List, rule: ProbedConstraint): Promise<void> {
  const create = await prepared(context);
  const right = longBody(list, rule, create.body ?? {});
  const where = `the last of ${many} ${list.name}`;
  await expectWrongRefused(context, create, { rule, right, entry: many - 1, where });
}

/**
 * Sends a wrong value in the third of three entries, in the third of four, and in one between the ends of a long list: who looks at the first
 * entries or at the ends alone misses it there. Each has another wrong value, if there are several.
 */
async function expectInnerRefused(context: CheckContext, list: List, rule: ProbedConstraint): Promise<void> {
  const inner = 3 + Math.floor(context.random() * (many - 4));
  const entries = [
    { count: 3, entry: 2 },
    { count: 4, entry: 2 },
    { count: many, entry: inner },
  ];
  for (const [index, { count, entry }] of entries.entries()) {
    const create = await prepared(context);
    const right = longBody(list, rule, create.body ?? {}, count);
    const where = `entry ${entry + 1} of ${count} ${list.name}`;
    await expectWrongRefused(context, create, { rule, right, entry, turn: index + 1, where });
  }
}

/**
 * Sends a wrong value in the first of two entries that have one id, after two right ones were accepted: a server that keeps its entries by their
 * ids looks at the later one alone.
 */
async function expectFirstOfNamesakesRefused(context: CheckContext, list: List, rule: ProbedConstraint): Promise<void> {
  const { field } = list;
  const create = await prepared(context);
  const long = longBody(list, rule, create.body ?? {});
  const [entry] = [long[field]].flat();
  const both = { ...long, [field]: [entry, entry] };
  const right: JsonObject = field === 'subMerchants' ? Object(withMatchingTotal(both)) : both;
  if (!isAccepted(await create.client.post(create.request.path, right))) return;
  await expectWrongRefused(context, create, {
    rule,
    right,
    entry: 0,
    where: `the first of two ${list.name} with one id`,
  });
}

/** The check of one list. */
function lastEntryCheck(list: List): CheckDeclaration {
  const { field, name } = list;
  const rules = rulesOf(list);
  const [first, ...others] = [...new Set(rules.map(({ constraint }) => requirementOf(constraint).id))];
  if (first === undefined) throw new Error(`the contract has no rules for the entries of ${field}`);
  return {
    id: `${createOrder.name}.${name}.last-of-many`,
    title: `What is wrong in the last of ${many} entries of ${field}, in one between the ends, in the third, or in the first of two that are alike, is refused as it is in the first`,
    requirements: [first, ...others],
    async run(context) {
      const [rule] = rules;
      if (!rule) return;
      const { client, request, body = {} } = await prepared(context);
      const answer = await client.post(request.path, longBody(list, rule, body));
      if (!isAccepted(answer) && isRefusedSplit(answer)) throw new PermittedChoice(noSubMerchants);
      needAccepted(answer, `a create with ${many} ${name}`);
      await someAtOnce(rules, (each) => expectLastRefused(context, list, each));
      await someAtOnce(rules, (each) => expectInnerRefused(context, list, each));
      await someAtOnce(rules, (each) => expectFirstOfNamesakesRefused(context, list, each));
    },
  };
}

export const lastOfManyChecks: readonly CheckDeclaration[] = lists.map(lastEntryCheck);
