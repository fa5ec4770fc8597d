/** Control and format characters, line separators, lone surrogates and code points that are no characters. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Noncharacter_Code_Point}]/gu;

const escaped = (character: string) => `\\u{${character.codePointAt(0)?.toString(16)}}`;

/** Text of a target on one line. Characters that a terminal or a page would act on are written as escapes. */
export function printable(text: string): string {
  return text.replace(unprintable, escaped);
}

/** Text of a target with its line feeds and tabs. All other such characters are written as escapes. */
export function printableLines(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(unprintable, (character) => (character === '\n' || character === '\t' ? character : escaped(character)));
}
