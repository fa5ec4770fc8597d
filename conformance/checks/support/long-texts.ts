import { unseenCharacters } from '../../values/free-fields.ts';

/** A text of full length, and whether a target may refuse it. */
export interface LongText {
  /** What it is made of, as the end of a sentence. */
  of: string;
  text: string;
  /** It has letters beyond ASCII, or characters that JSON does not have as they are: a target may refuse it (open point `field-forms`). */
  isOpen: boolean;
}

/** A JSON object of exactly `length` characters with one value between `before` and `after`: `unit` again and again, never cut, and then `filler`. */
function jsonOf(length: number, unit: string, [before, after] = ['{"a":"', '"}'], filler = 'x'): string {
  const room = length - before.length - after.length;
  const size = [...unit].length;
  const count = Math.floor(room / size);
  return `${before}${unit.repeat(count)}${filler.repeat(room - count * size)}${after}`;
}

/**
 * JSON texts of exactly `length` characters, objects of each kind of character that implementations are known to change or to count
 * otherwise. A character beyond the basic plane is one character, as in the contract's schemas.
 */
export function longJsonTexts(length: number): readonly LongText[] {
  const ascii = (of: string, text: string): LongText => ({ of, text, isOpen: false });
  const beyond = (of: string, unit: string): LongText => ({ of, text: jsonOf(length, unit), isOpen: true });
  return [
    ascii('letters and digits', jsonOf(length, 'aZ9')),
    ascii('quotation marks, backslashes and escapes', jsonOf(length, '\\"\\\\\\/\\n\\b\\f\\r\\t\\u0001\\u0041')),
    ascii('characters that HTML, addresses and databases escape', jsonOf(length, "<b>&amp;%20+'--;${x}</b>")),
    ascii('spaces and line ends', jsonOf(length, ' \r\n\t', ['{"a" :\t1,\r\n', '"b":[ ]}\n'], ' ')),
    ascii('numbers in many forms, in a list', jsonOf(length, '1.50,1e2,', ['{"a":[', '0]}'], ' ')),
    // The text itself is ASCII; a target that refuses other letters may look at what the JSON says.
    beyond('escapes of letters beyond ASCII', '\\u00e9\\ud83d\\ude00'),
    beyond('accented letters, composed and decomposed', 'é\u0065\u0301ł'),
    // Text that fits into bytes of one letter each is what a careless reader encodes once too often.
    beyond('letters of Latin-1', 'éüñß'),
    beyond('letters of other scripts', '日本語العربية'),
    beyond('characters beyond the basic plane', '😀𝄞'),
    beyond('the character DEL', 'ab\u007f'),
    beyond('characters that nobody sees', unseenCharacters.join('a')),
    // Text ends at a NUL where a language keeps it as C does.
    beyond('control characters', 'ab\u0000c\u0007'),
  ];
}
