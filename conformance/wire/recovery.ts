import { setTimeout as delay } from 'node:timers/promises';
import { systemErrorCodes } from '../contract/error-codes.ts';
import { Inconclusive } from '../errors/outcomes.ts';
import { type Answer, field } from './exchange.ts';
import { isUnexplained } from './interruptions.ts';
import type { LimitGuard } from './limits.ts';
import type { RateRefusals } from './rate-refusals.ts';
import type { RateWaits } from './rate-waits.ts';
import type { Transport } from './transport.ts';

/** Sends over this transport a query that the target has carried out. */
export type KnownQuery = (transport: Transport) => Promise<Answer>;

/** A request that was refused, and the ways to find out whether that was because of the request. */
export interface RefusedRequest {
  merchantId: string;
  /** The area of its operation. */
  area: string;
  answer: Answer;
  /** Sends a query that the target has carried out before, of whichever merchant. Absent: there is none yet. */
  askKnown?: (() => Promise<Answer>) | undefined;
  /** Sends one of the same merchant. Absent: there is none yet. */
  askKnownOfMerchant?: (() => Promise<Answer>) | undefined;
  /** Sends a query for something that does not exist. */
  askUnknown(): Promise<Answer>;
  /** Sends the request again. `undefined`: it must not be sent again, because it has had its effect. */
  sendAgain(): Promise<Answer | undefined>;
  /** Waits while other checks may ask. */
  aside<Result>(work: Promise<Result>): Promise<Result>;
}

/**
 * How a run goes on after a refusal that may say nothing about the request. A target that is asked too often or is down for a moment may refuse
 * with the code of a system error or a code of its own, because only refund operations have a status for too many requests.
 */
export interface Recovery {
  /** Keeps a query of a merchant that was carried out, by the area that it belongs to. */
  keepKnown(merchantId: string, area: string, query: KnownQuery): void;
  /** The last query of a merchant in an area that was carried out; where it has none, that of another merchant, and then that of any area. */
  known(merchantId: string, area: string): KnownQuery | undefined;
  /** The last query of a merchant in an area that was carried out. */
  knownOfMerchant(merchantId: string, area: string): KnownQuery | undefined;
  /** Resolves when no refused request is looked at for which others may be refused as well, so that the target is asked no more than it can bear. */
  admitted(): Promise<void>;
  /** Resolves when no refused request of a merchant is looked at. `undefined`: none is. */
  pending(merchantId: string): Promise<unknown> | undefined;
  /**
   * Finds out whether the target refuses for the moment or because of the request. It sends the request again once it carries out known ones
   * again. Resolves with the answer that belongs to the request; throws `Inconclusive` when the target goes on to refuse for the moment.
   */
  recover(refused: RefusedRequest): Promise<Answer>;
}

/** The pauses before a request is sent again, in milliseconds: none at first, and a minute in all. */
const pauses = [0, 250, 500, 1000, 2000, 4000, 8000, 16_000, 29_000] as const;

/** After so many requests for which all these pauses were in vain, others that are refused with the same name are given the shortest ones only. */
const enoughInVain = 2;
const pausesAfterVainOnes = pauses.slice(0, 2);

/** A request is sent again once, at once: also after so many for which the shortest pauses were in vain, so that they do not add up to minutes. */
const withoutPause = pauses.slice(0, 1);
const manyInVain = 40;

/** After so many requests that a code refused for good, no others with this code are sent again. */
const enoughForGood = 3;

/**
 * How often a request is sent again before its refusal counts as one for good. A service that fails itself is given some pauses, after which
 * the rules over the run may say that it fails at this request again and again.
 */
const triesOf = ({ status, json }: Answer) =>
  status >= 500 || systemErrorCodes.includes(String(field({ json }, 'code'))) ? 3 : 1;

/** Under so many further names a request is refused before it is judged. */
const mostNames = 2;

/** How a refusal is told from others: its code, or its status where it has none. */
const nameOf = ({ status, json }: Answer) => {
  const code = field({ json }, 'code');
  return typeof code === 'string' ? `code ${code}` : `HTTP ${status}`;
};

/** The pauses before a request is sent again that is refused as so many others were for good. */
function pausesFor(refusedInVain: number, hasCarriedOut: boolean): readonly number[] {
  if (refusedInVain >= manyInVain) return withoutPause;
  if (refusedInVain >= enoughInVain) return pausesAfterVainOnes;
  // Before anything was carried out, nothing tells a target that refuses for a moment from one that never works: it is not waited for.
  return hasCarriedOut ? pauses : withoutPause;
}

/** Makes the recovery of a run. `onRefusedForRate` is told of each request that was refused only for the moment, and not under a limit of its merchant; `rateWaits` counts all of them. */
export function createRecovery(
  limits: Pick<LimitGuard, 'mayWait' | 'hasWaitedWell' | 'stopping'>,
  rateRefusals: Pick<RateRefusals, 'mayBeOwn' | 'refused'>,
  onRefusedForRate: () => void,
  rateWaits?: Pick<RateWaits, 'add'>,
): Recovery {
  /** Refusals after which a known or the same request was carried out. */
  const passing = new Set<string>();
  const forGood = new Map<string, number>();
  /** Refusals that pass for other requests, and did not for so many. */
  const inVain = new Map<string, number>();
  /** By area and merchant, by area alone, and the last of all. */
  const known = new Map<string, KnownQuery>();
  const keyOf = (...parts: string[]) => JSON.stringify(parts);
  let last: Promise<unknown> = Promise.resolve();
  const lastOf = new Map<string, Promise<unknown>>();

  const isForGood = (name: string) => !passing.has(name) && (forGood.get(name) ?? 0) >= enoughForGood;

  /** Whether every query is refused, with this name; `passed`: that has just ended; `known-alone`: the known one is refused, and no others are. */
  async function refusesAll(name: string, askKnown: () => Promise<Answer>, askUnknown: () => Promise<Answer>) {
    const refuses = async (ask: () => Promise<Answer>) => nameOf(await ask()) === name;
    if (!(await refuses(askKnown))) return 'no';
    if (await refuses(askUnknown)) return 'yes';
    // The known query may be one that is refused for good.
    return (await refuses(askKnown)) ? 'known-alone' : 'passed';
  }

  /** `isOwn`: its merchant may have a limit of its own, so that others are asked meanwhile. */
  async function lookAt(
    { merchantId, area, answer, askKnown, askKnownOfMerchant, askUnknown, sendAgain, aside }: RefusedRequest,
    isOwn: boolean,
  ): Promise<Answer> {
    const start = performance.now();
    let refusal = answer;
    let name = nameOf(refusal);
    if (isForGood(name)) return refusal;
    // Checks that begin now take another merchant.
    if (isOwn) rateRefusals.refused(merchantId);
    // What another merchant is answered says nothing about a limit of this one.
    const ask = (isOwn ? askKnownOfMerchant : askKnown) ?? askUnknown;
    let refusedAll = false;
    let wasCarriedOut = false;
    let hadEffect = false;
    let tries = 0;
    for (const pause of pausesFor(inVain.get(name) ?? 0, isOwn || askKnown !== undefined)) {
      if (pause > 0) {
        if (!limits.mayWait(pause, performance.now())) break;
        const over = delay(pause, undefined, { signal: limits.stopping });
        await (isOwn ? aside(over) : over);
      }
      // A limit may leave room for one request only, so others are sent once, and only while nothing shows that the refusal passes.
      if (!passing.has(name) && tries === 0) {
        const refusing = await refusesAll(name, ask, askUnknown);
        if (refusing === 'passed' || (refusing !== 'yes' && refusedAll)) passing.add(name);
        refusedAll ||= refusing === 'yes';
        if (refusing === 'yes') continue;
        wasCarriedOut = refusing === 'no';
      }
      const again = await sendAgain();
      if (again && nameOf(again) !== name && isUnexplained(again, area) && tries < mostNames) {
        // Under another name it says as little of the request.
        refusal = again;
        name = nameOf(again);
        tries += 1;
        continue;
      }
      if (again && nameOf(again) !== name) {
        passing.add(name);
        limits.hasWaitedWell();
        rateWaits?.add({ start, end: performance.now() });
        if (!rateRefusals.refused(merchantId)) onRefusedForRate();
        return again;
      }
      tries += 1;
      if (!passing.has(name)) {
        if (again && tries < triesOf(refusal)) continue;
        if (again && wasCarriedOut && nameOf(await ask()) === name) {
          // The query was carried out before, and may have taken the last place under a limit.
          passing.add(name);
          continue;
        }
        // What was carried out already was not sent again, and so was not refused again either.
        if (again) forGood.set(name, (forGood.get(name) ?? 0) + 1);
        return refusal;
      }
      if (!again) {
        hadEffect = true;
        break;
      }
    }
    if (!passing.has(name) && !isOwn) {
      // The target is down for good, which the answer shows.
      if (askKnown) forGood.set(name, enoughForGood);
      return refusal;
    }
    // What was carried out already tells nothing about how long the target refuses.
    if (!hadEffect) inVain.set(name, (inVain.get(name) ?? 0) + 1);
    throw new Inconclusive(
      `the target refuses with ${name} what it carries out at other times, as one that is asked too often; slow the run with limits.requestsPerSecond`,
      { isNoChoice: true },
    );
  }

  return {
    keepKnown: (merchantId, area, query) => {
      known.set(keyOf(area, merchantId), query);
      known.set(keyOf(area), query);
      known.set(keyOf(), query);
    },
    known: (merchantId, area) => known.get(keyOf(area, merchantId)) ?? known.get(keyOf(area)) ?? known.get(keyOf()),
    knownOfMerchant: (merchantId, area) => known.get(keyOf(area, merchantId)),
    admitted: async () => {
      await last;
    },
    pending: (merchantId) => lastOf.get(merchantId),
    recover(refused) {
      const { merchantId, aside } = refused;
      if (!rateRefusals.mayBeOwn(merchantId)) {
        const turn = last.then(() => lookAt(refused, false));
        last = turn.catch(() => undefined);
        return turn;
      }
      const before = lastOf.get(merchantId);
      const turn = (before ? aside(before) : Promise.resolve()).then(() => lookAt(refused, true));
      const ended = turn
        .catch(() => undefined)
        .then(() => {
          if (lastOf.get(merchantId) === ended) lastOf.delete(merchantId);
        });
      lastOf.set(merchantId, ended);
      return turn;
    },
  };
}
