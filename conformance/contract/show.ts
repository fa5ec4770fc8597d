/** How many characters of a value a finding shows at most. */
const longestShown = 300;

/** A value as a finding shows it: text as it is, everything else as JSON, cut to 300 characters. */
export function show(value: unknown): string {
  if (value === undefined) return 'absent';
  const text = typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
  return cut(text, longestShown);
}

/**
 * Two values that differ, as a finding shows them: both as JSON where one is a text and the other is none, so that `"12"` is told from 12, and
 * where one begins or ends with a blank, which would not be seen; with their letters beyond ASCII as code points where two texts are the same to the eye; and of long texts the part in which they begin to
 * differ.
 */
export function showApart(one: unknown, other: unknown): [one: string, other: string] {
  const texts = typeof one === 'string' && typeof other === 'string' ? textsApart(one, other) : undefined;
  const bothThere = one !== undefined && other !== undefined;
  const oneIsText = (typeof one === 'string') !== (typeof other === 'string');
  if (bothThere && (oneIsText || [one, other].some(hasBlankEnd))) return [asJson(one), asJson(other)];
  const [first, second] = texts ?? [one, other];
  return [show(first), show(second)];
}

/** A text that begins or ends with a blank, and is short enough to be shown whole. */
const hasBlankEnd = (value: unknown): boolean =>
  typeof value === 'string' && value.length < longestShown && /^\s|\s$/.test(value);

/** So much of two long texts stands before their first difference, in characters. */
const before = 40;

function textsApart(one: string, other: string): string[] {
  const looksSame = one !== other && toTheEye(one) === toTheEye(other);
  const texts = looksSame ? [one, other].map(withCodePoints) : [one, other];
  const [first = '', second = ''] = texts;
  const length = Math.max(first.length, second.length);
  if (length <= longestShown) return texts;
  let same = 0;
  while (same < length && first[same] === second[same]) same += 1;
  const from = same - before;
  return from > 0 ? texts.map((text) => `…${text.slice(from)}`) : texts;
}

/** What is seen of a text: its letters in one form, without those that take no place. */
const toTheEye = (text: string): string =>
  text.normalize('NFKC').replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu, '');

/** A text in ASCII: its other letters by their code points. */
const withCodePoints = (text: string): string =>
  text.replace(/[^\x20-\x7e]/gu, (letter) => `\\u{${letter.codePointAt(0)?.toString(16)}}`);

const asJson = (value: unknown): string => (value === undefined ? 'absent' : cut(JSON.stringify(value), longestShown));

/** Text cut to `longest` characters. The cut is marked, so that redaction recognises half a secret there. */
export function cut(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest)}… (${text.length} characters)` : text;
}
