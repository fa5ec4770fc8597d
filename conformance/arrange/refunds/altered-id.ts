/**
 * An id that no record has, made from one that the platform gave by replacing one character in the middle of its longest run
 * of letters and digits. The new character occurs in the id and is of the same kind, where there is such a one. A server may
 * answer malformed ids in another way than unknown ones (open point `query-malformed-id`), so separators, prefixes, the
 * version of a UUID and the alphabet stay as they are. Only a short number becomes a longer one.
 */
export function alteredId(id: string): string {
  const runs = [...id.matchAll(/[a-z0-9]+/gi)].reverse();
  const [longest] = runs.sort((one, other) => other[0].length - one[0].length);
  if (!longest) return `${id}0`;
  const [run] = longest;
  // A short number counts what was made, so that every other short one may be an id too.
  if (run.length < shortest && /^[0-9]+$/.test(run)) return `${id.slice(0, longest.index)}97${id.slice(longest.index)}`;
  const middle = Math.floor((run.length - 1) / 2);
  const at = longest.index + middle;
  return `${id.slice(0, at)}${otherCharacter(run, run.charAt(middle))}${id.slice(at + 1)}`;
}

/** How many digits a number has at least that does not count what was made. */
const shortest = 4;

/** Another character for the place of `character` in `run`. A digit of a number becomes a distant one, and never zero. */
function otherCharacter(run: string, character: string): string {
  if (/^[0-9]+$/.test(run)) return String(((Number(character) + 4) % 9) + 1);
  const others = [...run].filter((each) => each !== character);
  const kind = [/[0-9]/, /[a-z]/, /[A-Z]/].find((each) => each.test(character));
  return others.find((each) => kind?.test(each)) ?? others[0] ?? (character === 'a' ? 'b' : 'a');
}
