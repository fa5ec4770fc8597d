import type { Exchange } from '../wire/exchange.ts';

/** What a check does when the target is ended and started again. */
export interface PartInRestart {
  /** Begins what is to be under way when the target ends. It is called when all checks are ready, and it is the turn of this one. */
  begin(): void;
  /** Has the target ended and started again, and resolves with the exchanges in which that was asked for. Only one of the checks is asked. */
  restart(): Promise<readonly Exchange[]>;
}

/** What one of several checks, which run side by side, has of the restarts of the target. */
export interface Restarts {
  /**
   * Waits until it is the turn of this check and all that share its restart are ready, and has the target ended and started again. Resolves
   * with the exchanges of another check in which that was asked for. Rejects with the error of that check.
   */
  take(part: PartInRestart): Promise<readonly Exchange[]>;
  /** The check has ended, and waits for no restart any more. */
  ended(): void;
}

/** The restarts of a check that runs alone. */
export const restartsAtOnce: Restarts = {
  take: async ({ begin, restart }) => {
    begin();
    await restart();
    return [];
  },
  ended: () => undefined,
};

/** The restarts of a run. The checks get ready for them side by side, while other checks still ask the target. */
export interface RestartPlan {
  /** What each check has of them, in the order of the checks. */
  readonly parts: readonly Restarts[];
  /** Resolves when every check waits for its restart or has ended. */
  readonly prepared: Promise<void>;
  /** Lets the restarts begin, one after the other. `most`: how many checks share one at most. */
  begin(most: number): void;
}

interface Waiting extends PartInRestart {
  resolve(done: Promise<readonly Exchange[]>): void;
}

/** A check that has not ended. `waiting`: for its restart. */
interface Member {
  waiting?: Waiting | undefined;
  hasEnded: boolean;
}

/** Plans the restarts for a number of checks. */
export function planRestarts(checks: number): RestartPlan {
  const members = Array.from({ length: checks }, (): Member => ({ hasEnded: false }));
  /** Members that restart together. The first group that has not ended has its turn. Absent: no restart may begin. */
  let groups: Member[][] | undefined;
  let resolvePrepared: () => void = () => undefined;
  const prepared = new Promise<void>((resolve) => {
    resolvePrepared = resolve;
  });
  const isReady = ({ waiting, hasEnded }: Member) => waiting !== undefined || hasEnded;

  function goOn(): void {
    if (members.every(isReady)) resolvePrepared();
    const group = groups?.find((each) => !each.every(({ hasEnded }) => hasEnded));
    if (!group?.every(isReady)) return;
    const [first, ...others] = group.flatMap(({ waiting }) => waiting ?? []);
    if (!first) return;
    for (const member of group) member.waiting = undefined;
    for (const { begin } of [first, ...others]) begin();
    const restarted = first.restart();
    first.resolve(restarted.then(() => []));
    for (const { resolve } of others) resolve(restarted);
  }
  goOn();

  return {
    prepared,
    parts: members.map((member) => ({
      take: (part) =>
        new Promise((resolve) => {
          member.waiting = { ...part, resolve };
          goOn();
        }),
      ended: () => {
        member.hasEnded = true;
        goOn();
      },
    })),
    begin: (most) => {
      groups = groupsOf(members, most);
      goOn();
    },
  };
}

/** As few groups as possible of `most` items at most, about equally large. */
function groupsOf<Item>(items: readonly Item[], most: number): Item[][] {
  const groups: Item[][] = Array.from({ length: Math.ceil(items.length / most) }, () => []);
  for (const [index, item] of items.entries()) groups[index % groups.length]?.push(item);
  return groups;
}
