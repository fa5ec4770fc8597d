/**
 * An id that no record has, of the same form as one that a platform gave: one character in the middle of its longest run of
 * letters and digits is another, of the same kind where there is one, and one that the id shows to be in use. A server may
 * tell ids that it could never give from those of nothing (open point `query-malformed-id`), so separators, prefixes, the
 * version of a UUID and alphabets that leave characters out are kept.
 */
export function alteredId(id: string): string {
  const runs = [...id.matchAll(/[a-z0-9]+/gi)].reverse();
  const [longest] = runs.sort((one, other) => other[0].length - one[0].length);
  if (!longest) return `${id}0`;
  const [run] = longest;
  const middle = Math.floor((run.length - 1) / 2);
  const at = longest.index + middle;
  return `${id.slice(0, at)}${otherCharacter(run, run.charAt(middle))}${id.slice(at + 1)}`;
}

/** A character that can stand for `character` in `run`. In a number it leads far from the next ones, and is never a zero. */
function otherCharacter(run: string, character: string): string {
  if (/^[0-9]+$/.test(run)) return String(((Number(character) + 4) % 9) + 1);
  const others = [...run].filter((each) => each !== character);
  const kind = [/[0-9]/, /[a-z]/, /[A-Z]/].find((each) => each.test(character));
  return others.find((each) => kind?.test(each)) ?? others[0] ?? (character === 'a' ? 'b' : 'a');
}
