/** How far apart a webhook and the end of the connection that it did not need can be, in milliseconds. */
const longestApart = 1000;

/** How many webhooks over connections in use are remembered at most. */
const mostRemembered = 64;

/** Tells the connections to one port that a sender breaks off because it needs them no longer from those whose webhook is lost. */
export interface SurplusConnections {
  /** A webhook came over a connection that had carried one before. */
  reused(): void;
  /** A connection was broken off before it was secure. */
  brokenOff(code: string): void;
}

/**
 * Clients such as Go's open a connection for a request and break it off when another one becomes free first: the request comes over that
 * one, shortly before or after. Each such request explains one connection that was broken off.
 *
 * @param lost is called with the error code of each connection that no request has explained within a second
 */
export function createSurplusConnections(lost: (code: string) => void): SurplusConnections {
  let explaining: number[] = [];
  const unexplained: NodeJS.Timeout[] = [];
  return {
    reused: () => {
      const timer = unexplained.shift();
      if (timer) clearTimeout(timer);
      else explaining = [...explaining, performance.now()].slice(-mostRemembered);
    },
    brokenOff: (code) => {
      const earliest = performance.now() - longestApart;
      explaining = explaining.filter((at) => at >= earliest);
      if (explaining.shift() !== undefined) return;
      const timer = setTimeout(() => {
        unexplained.splice(unexplained.indexOf(timer), 1);
        lost(code);
      }, longestApart);
      unexplained.push(timer.unref());
    },
  };
}
