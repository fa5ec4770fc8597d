/** Control and format characters, separators of lines, halves of characters, and what is no character at all. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Noncharacter_Code_Point}]/gu;

const escaped = (character: string) => `\\u{${character.codePointAt(0)?.toString(16)}}`;

/** Text that a target may have sent, on one line, without the characters that a terminal or a page would act on. */
export function printable(text: string): string {
  return text.replace(unprintable, escaped);
}

/** The same with its lines and tabs. */
export function printableLines(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(unprintable, (character) => (character === '\n' || character === '\t' ? character : escaped(character)));
}
