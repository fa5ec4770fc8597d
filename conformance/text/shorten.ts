/** Text of at most `longest` characters. An ellipsis stands for what was left out. */
export function shorten(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}
