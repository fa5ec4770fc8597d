/** How many items are worked on at once, and how much may wait. */
export interface LaneLimits {
  /** Items in one lane. */
  perLane: number;
  /** Places in all lanes together. */
  overall: number;
  /** Items that may wait in one lane. */
  waitingPerLane: number;
  /** Bytes that all waiting items may take. */
  waitingBytes: number;
}

/** An item of work and its share of the limits. */
export interface LaneItem<Item> {
  item: Item;
  /** Its owner. Owners share the places first. */
  owner: string;
  /** The lane of the owner in which it waits. */
  lane: string;
  /** The places that it takes while it is worked on, at least 1. */
  places: number;
  /** The bytes that it takes while it waits. */
  bytes: number;
}

interface Lane<Item> {
  underWay: number;
  waiting: LaneItem<Item>[];
}

interface Owner<Item> {
  places: number;
  waitingBytes: number;
  /** The lanes with work, in the order of their turns. */
  lanes: Map<string, Lane<Item>>;
}

export type Lanes<Item> = ReturnType<typeof createLanes<Item>>;

/**
 * Does `work` for items in lanes, so that a slow or full lane never holds up another one. Owners take turns for the places
 * that all share, and so do the lanes of an owner. An owner gets another place only while it has fewer than are free: one
 * busy owner gets half of the places, two get a third each, and a newcomer always finds some. What may wait is shared in
 * the same way. Within a lane, items start in the order in which they came.
 *
 * @param work never rejects
 * @param ended is called after each item, when its place is free or the next item has taken it
 */
export function createLanes<Item>(limits: LaneLimits, work: (item: Item) => Promise<void>, ended: () => void) {
  /** The owners with work, in the order of their turns. */
  const owners = new Map<string, Owner<Item>>();
  const underWay = new Set<Promise<void>>();
  let usedPlaces = 0;
  let waitingBytes = 0;

  function startWhatCan(): void {
    for (let next = takeNext(); next; next = takeNext()) start(next);
  }

  const mayTake = ({ places }: Owner<Item>, more: number) =>
    usedPlaces + more <= limits.overall && (places === 0 || places + more <= limits.overall - usedPlaces);

  /** Takes the next item that may start out of its lane. Its owner and lane go to the end, because their turn is over. */
  function takeNext(): LaneItem<Item> | undefined {
    for (const [ownerName, owner] of owners) {
      if (!mayTake(owner, 1)) continue;
      for (const [laneName, lane] of owner.lanes) {
        const [next] = lane.waiting;
        if (!next || lane.underWay >= limits.perLane || !mayTake(owner, next.places)) continue;
        lane.waiting.shift();
        lane.underWay += 1;
        owner.places += next.places;
        usedPlaces += next.places;
        owner.waitingBytes -= next.bytes;
        waitingBytes -= next.bytes;
        moveToEnd(owner.lanes, laneName, lane);
        moveToEnd(owners, ownerName, owner);
        return next;
      }
    }
    return undefined;
  }

  function start({ item, owner: ownerName, lane: laneName, places }: LaneItem<Item>): void {
    const task = work(item).finally(() => {
      underWay.delete(task);
      usedPlaces -= places;
      const owner = owners.get(ownerName);
      const lane = owner?.lanes.get(laneName);
      if (owner && lane) {
        owner.places -= places;
        lane.underWay -= 1;
        if (lane.underWay === 0 && lane.waiting.length === 0) owner.lanes.delete(laneName);
        if (owner.lanes.size === 0) owners.delete(ownerName);
      }
      startWhatCan();
      ended();
    });
    underWay.add(task);
  }

  /** Whether an owner without work could start an item of one place at once. */
  const hasPlace = () => usedPlaces < limits.overall;

  /** Starts an item or lets it wait for a place. False, and the item is not taken, when too many wait in its lane or for its owner. */
  function add(added: LaneItem<Item>): boolean {
    const owner = owners.get(added.owner) ?? { places: 0, waitingBytes: 0, lanes: new Map<string, Lane<Item>>() };
    const lane = owner.lanes.get(added.lane) ?? { underWay: 0, waiting: [] };
    if (lane.waiting.length >= limits.waitingPerLane) return false;
    if (owner.waitingBytes + added.bytes > limits.waitingBytes - waitingBytes) return false;
    // No item may take so many places that it could never start.
    lane.waiting.push({ ...added, places: Math.min(added.places, limits.overall) });
    owner.waitingBytes += added.bytes;
    waitingBytes += added.bytes;
    owner.lanes.set(added.lane, lane);
    owners.set(added.owner, owner);
    startWhatCan();
    return true;
  }

  /** Removes and returns the waiting items. */
  function clear(): Item[] {
    waitingBytes = 0;
    return [...owners.values()].flatMap((owner) => {
      owner.waitingBytes = 0;
      return [...owner.lanes.values()].flatMap((lane) => lane.waiting.splice(0).map(({ item }) => item));
    });
  }

  /** Resolves when nothing is under way and nothing waits. */
  async function idle(): Promise<void> {
    while (underWay.size > 0) await Promise.all(underWay);
  }

  return { add, clear, hasPlace, isBusy: () => underWay.size > 0, idle };
}

function moveToEnd<Value>(map: Map<string, Value>, name: string, value: Value): void {
  map.delete(name);
  map.set(name, value);
}
