/** How many requests of one check are under way at the same time. */
const mostAtOnce = 16;

/** The same of requests whose bodies come in parts: each keeps its connection while it pauses, and other checks would wait for one. */
export const mostInParts = 4;

/** The results of sending each of `items`, in their order. So many of them are sent side by side. */
export async function someAtOnce<Item, Result>(
  items: readonly Item[],
  send: (item: Item) => Promise<Result>,
  atOnce = mostAtOnce,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = items.entries();
  const sendInTurn = async () => {
    for (const [index, item] of waiting) results[index] = await send(item);
  };
  await Promise.all(Array.from({ length: atOnce }, sendInTurn));
  return results;
}
