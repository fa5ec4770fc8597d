import { printable } from '../text/printable.ts';

/** Text within a line. Every character that could be markup is written as a character reference. */
export function inline(text: string): string {
  return printable(text).replace(
    /[^\p{L}\p{M}\p{N} ,.;'"()/-]|(?<=www)\.|^-/giu,
    (character) => `&#${character.codePointAt(0)};`,
  );
}

/** Text within a line, shown as code. */
export function code(text: string): string {
  return `<code>${inline(text)}</code>`;
}
