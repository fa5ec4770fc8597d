/** A value as a finding shows it: text as it is, everything else as JSON, cut to 300 characters. */
export function show(value: unknown): string {
  if (value === undefined) return 'absent';
  const text = typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
  return cut(text, 300);
}

/** Two values that differ, as a finding shows them: both as JSON where they would read the same, as the text 0 and the number do. */
export function showApart(one: unknown, other: unknown): [one: string, other: string] {
  const words = [one, other].map(show);
  const [first = '', second = ''] = words[0] === words[1] ? [one, other].map(asJson) : words;
  return [first, second];
}

const asJson = (value: unknown): string => (value === undefined ? 'absent' : cut(JSON.stringify(value), 300));

/** Text cut to `longest` characters. The cut is marked, so that redaction recognises half a secret there. */
export function cut(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest)}… (${text.length} characters)` : text;
}
