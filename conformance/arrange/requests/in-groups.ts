/** How many requests of one check are under way at the same time. */
const mostAtOnce = 8;

/** The results of sending each of `items`, in their order. Some of them are sent side by side. */
export async function inGroups<Item, Result>(
  items: readonly Item[],
  send: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += mostAtOnce) {
    results.push(...(await Promise.all(items.slice(start, start + mostAtOnce).map(send))));
  }
  return results;
}
