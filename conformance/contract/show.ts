/** A value as a finding shows it: text as it is, everything else as JSON, cut to 300 characters. */
export function show(value: unknown): string {
  if (value === undefined) return 'absent';
  const text = typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
  return cut(text, 300);
}

/** Text cut to `longest` characters. The cut is marked, so that redaction recognises half a secret there. */
export function cut(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest)}… (${text.length} characters)` : text;
}
