/** How much is done at once. */
export interface LaneLimits {
  /** In one lane. */
  perLane: number;
  /** In all lanes together. */
  overall: number;
  /** How many items may wait in one lane, for its sake or for that of all. */
  waitingPerLane: number;
}

export type Lanes<Item> = ReturnType<typeof createLanes<Item>>;

/**
 * Does `work` for items in lanes, so that one lane, however slow or full, never holds up another: each has places of its
 * own, and lanes take turns for the places of all. Within a lane items start in the order in which they came.
 *
 * @param work never rejects
 * @param ended called after each item, when its place is free or has been taken by the next
 */
export function createLanes<Item>(limits: LaneLimits, work: (item: Item) => Promise<void>, ended: () => void) {
  /** In the order of their turns. Lanes with nothing to do are not kept. */
  const lanes = new Map<string, { underWay: number; waiting: Item[] }>();
  const underWay = new Set<Promise<void>>();

  function startWhatCan(): void {
    while (hasPlace()) {
      const next = nextLane();
      if (!next) return;
      start(...next);
    }
  }

  function nextLane(): [name: string, item: Item] | undefined {
    for (const [name, lane] of lanes) {
      if (lane.underWay >= limits.perLane) continue;
      const item = lane.waiting.shift();
      if (item === undefined) continue;
      lane.underWay += 1;
      // To the end: its turn is over.
      lanes.delete(name);
      lanes.set(name, lane);
      return [name, item];
    }
    return undefined;
  }

  function start(name: string, item: Item): void {
    const task = work(item).finally(() => {
      underWay.delete(task);
      const lane = lanes.get(name);
      if (lane) {
        lane.underWay -= 1;
        if (lane.underWay === 0 && lane.waiting.length === 0) lanes.delete(name);
      }
      startWhatCan();
      ended();
    });
    underWay.add(task);
  }

  /** Whether another item could start at once in a lane of its own. */
  const hasPlace = () => underWay.size < limits.overall;

  /** Starts an item, or lets it wait for its place; false, and it is not taken, when too many wait in its lane. */
  function add(name: string, item: Item): boolean {
    const lane = lanes.get(name) ?? { underWay: 0, waiting: [] };
    if (lane.waiting.length >= limits.waitingPerLane) return false;
    lane.waiting.push(item);
    lanes.set(name, lane);
    startWhatCan();
    return true;
  }

  /** Takes out and returns what waits. */
  function clear(): Item[] {
    return [...lanes.values()].flatMap((lane) => lane.waiting.splice(0));
  }

  /** Resolves when nothing is under way and nothing waits. */
  async function idle(): Promise<void> {
    while (underWay.size > 0) await Promise.all(underWay);
  }

  return { add, clear, hasPlace, isBusy: () => underWay.size > 0, idle };
}
