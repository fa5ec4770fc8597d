import { idPrefix, kinds, olderPrefix } from '../../../../conformance/arrange/webhooks/kinds.ts';
import type { Check } from '../../../../conformance/check/check.ts';
import { allChecks } from '../../../../conformance/checks/index.ts';
import { contractOperations } from '../../../../conformance/contract/operations.ts';
import { invariantOf } from '../../../../conformance/invariants/index.ts';
import { code, table } from '../markdown.ts';
import type { Part } from './part.ts';

/** What a check says when the rule is broken, by its level. */
const verdicts: Readonly<Record<Check['level'], string>> = { MUST: 'fails', SHOULD: 'warns', MAY: 'observed' };

/** The place of a check in a table: its rule and its column. `undefined`: it is in another table. */
type Place = (id: string) => readonly [rule: string, column: string] | undefined;

/** The place of an id that begins with the name of an operation. */
function afterOperation(id: string): readonly [rule: string, column: string] | undefined {
  const operation = contractOperations.find(({ name }) => id.startsWith(`${name}.`));
  return operation && [id.slice(operation.name.length + 1), operation.name];
}

function webhookRule(id: string): readonly [rule: string, column: string] | undefined {
  // The longer prefix of hosted orders comes before the older one, which all webhooks begin with.
  const prefixes = [
    ...kinds.map((kind) => [idPrefix(kind), kind] as const),
    ...kinds.map((kind) => [olderPrefix(kind), kind] as const),
  ];
  const [prefix, kind] = prefixes.find(([each]) => id.startsWith(`${each}.`)) ?? [];
  return prefix !== undefined && kind && !id.startsWith('webhooks.situations')
    ? [id.slice(prefix.length + 1), kind.name]
    : undefined;
}

const operations = contractOperations.map(({ name }) => name);

/** The tables by their names: the columns, and which check stands where. */
const tables: Readonly<Record<string, { columns: readonly string[]; place: Place }>> = {
  authentication: {
    columns: operations,
    place: (id) => (id.startsWith('auth.') ? afterOperation(id.slice('auth.'.length)) : undefined),
  },
  answers: { columns: operations, place: (id) => (invariantOf(id) ? afterOperation(id) : undefined) },
  webhooks: { columns: kinds.map(({ name }) => name), place: webhookRule },
};

/** `rules table=NAME`: each rule that binds several operations or kinds of webhooks, and what the suite says where it is broken. */
export const rules: Part = {
  options: { table: { values: Object.keys(tables) } },
  make: ({ table: name = '' }) => {
    const { columns, place } = tables[name] ?? { columns: [], place: () => undefined };
    const rows = new Map<string, Map<string, string>>();
    for (const { id, level } of allChecks) {
      const [rule, column] = place(id) ?? [];
      if (rule === undefined || column === undefined) continue;
      const row = rows.get(rule) ?? new Map<string, string>();
      rows.set(rule, row.set(column, verdicts[level]));
    }
    return table(
      ['Rule', ...columns.map(code)],
      [...rows].map(([rule, row]) => [code(rule), ...columns.map((column) => row.get(column) ?? '')]),
    );
  },
};
