/**
 * The items without a kind, and one of each kind, always the same. Kinds take turns: where the items of several kinds stand in
 * the same order, such as that of the operations, each place stands for some of the kinds.
 */
export function oneOfEach<Item>(items: readonly Item[], kindOf: (item: Item) => string | undefined): readonly Item[] {
  const kinds = new Map<string, Item[]>();
  for (const item of items) {
    const kind = kindOf(item);
    if (kind !== undefined) kinds.set(kind, [...(kinds.get(kind) ?? []), item]);
  }
  const chosen = new Set([...kinds.values()].map((members, turn) => members[turn % members.length]));
  return items.filter((item) => kindOf(item) === undefined || chosen.has(item));
}
