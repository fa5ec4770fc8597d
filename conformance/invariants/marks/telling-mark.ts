/** Something that was looked at: whether it is of the kind that is asked about, and what else is known of it, in words. */
export interface Marked {
  isMeant: boolean;
  marks: ReadonlySet<string>;
}

/** A mark that goes with a kind, in words with the counts. `times`: how many of the kind have it. */
export interface TellingMark {
  times: number;
  words: string;
}

/** The part that is nearly all, and the part up to which something is not usual. */
const [nearlyAll, usual] = [0.95, 0.5];

/** The part of those with a mark that must be of the kind at least: of a mark that many have, a few of the kind may have it by chance. */
const telling = 0.15;

/**
 * The mark that nearly all of the kind that is asked about have and most others have not, and not only by chance, or with which nearly all are of the kind and without
 * which most are not; of several the one that tells best. `fewest`: how many of the kind must have it, and how many others there must be.
 * `undefined`: there is none.
 */
export function tellingMark(looks: readonly Marked[], fewest: number): TellingMark | undefined {
  const meant = looks.filter(({ isMeant }) => isMeant).length;
  // Bodies of checks may have thousands of fields, which are counted once, and of which each is seldom.
  const [hits, all] = [new Map<string, number>(), new Map<string, number>()];
  for (const look of looks) {
    for (const mark of look.marks) {
      all.set(mark, (all.get(mark) ?? 0) + 1);
      if (look.isMeant) hits.set(mark, (hits.get(mark) ?? 0) + 1);
    }
  }
  let best: (TellingMark & { difference: number }) | undefined;
  for (const [mark, hit] of hits) {
    const having = all.get(mark) ?? hit;
    const [others, elsewhere] = [looks.length - having, meant - hit];
    if (hit < fewest || others < fewest) continue;
    const [ofMeant, ofOthers] = [hit / meant, (having - hit) / Math.max(1, looks.length - meant)];
    const isNeeded = ofMeant >= nearlyAll && ofOthers <= usual && hit >= having * telling;
    const isEnough = hit >= having * nearlyAll && elsewhere <= others * usual;
    const difference = ofMeant - ofOthers;
    if ((!isNeeded && !isEnough) || difference <= (best?.difference ?? 0)) continue;
    const words = `where ${mark}: ${hit} of ${having} times; where not: ${elsewhere} of ${others} times`;
    best = { times: hit, words, difference };
  }
  return best;
}
