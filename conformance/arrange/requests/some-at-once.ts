/** How many requests of one check are under way at the same time. */
const mostAtOnce = 16;

/** The results of sending each of `items`, in their order. Some of them are sent side by side. */
export async function someAtOnce<Item, Result>(
  items: readonly Item[],
  send: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = items.entries();
  const sendInTurn = async () => {
    for (const [index, item] of waiting) results[index] = await send(item);
  };
  await Promise.all(Array.from({ length: mostAtOnce }, sendInTurn));
  return results;
}
