/** How many items are worked on at once. */
export interface LaneLimits {
  /** In one lane. */
  perLane: number;
  /** In all lanes together. */
  overall: number;
  /** How many items may wait in one lane. */
  waitingPerLane: number;
}

export type Lanes<Item> = ReturnType<typeof createLanes<Item>>;

/**
 * Does `work` for items in lanes, so that a slow or full lane never holds up another one. Each lane has places of its own,
 * and lanes take turns for the places that all share. Within a lane, items start in the order in which they came.
 *
 * @param work never rejects
 * @param ended is called after each item, when its place is free or the next item has taken it
 */
export function createLanes<Item>(limits: LaneLimits, work: (item: Item) => Promise<void>, ended: () => void) {
  /** The lanes with work, in the order of their turns. */
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
      // The lane goes to the end, because its turn is over.
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

  /** Starts an item or lets it wait for a place. False, and the item is not taken, when too many wait in its lane. */
  function add(name: string, item: Item): boolean {
    const lane = lanes.get(name) ?? { underWay: 0, waiting: [] };
    if (lane.waiting.length >= limits.waitingPerLane) return false;
    lane.waiting.push(item);
    lanes.set(name, lane);
    startWhatCan();
    return true;
  }

  /** Removes and returns the waiting items. */
  function clear(): Item[] {
    return [...lanes.values()].flatMap((lane) => lane.waiting.splice(0));
  }

  /** Resolves when nothing is under way and nothing waits. */
  async function idle(): Promise<void> {
    while (underWay.size > 0) await Promise.all(underWay);
  }

  return { add, clear, hasPlace, isBusy: () => underWay.size > 0, idle };
}
