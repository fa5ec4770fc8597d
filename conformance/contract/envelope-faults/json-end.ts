import { printParseErrorCode, visit } from 'jsonc-parser';
import { jsonExcess } from '../json-size.ts';

/**
 * How far a text is JSON. `whole`: the JSON has its end at this place, whatever follows. `wrong`: what stands at this place cannot stand
 * there. `cut`: the text ends in the middle of something, which is told in words.
 */
export type JsonEnd = { is: 'whole'; at: number } | { is: 'wrong'; at: number } | { is: 'cut'; within: string };

/** Tells how far a text is JSON that begins as JSON does. `undefined`: it is too large, or nests too deep, to be looked into. */
export function jsonEnd(text: string): JsonEnd | undefined {
  if (jsonExcess(text) !== undefined) return undefined;
  const open: string[] = [];
  let isWhole = false;
  let first: JsonEnd | undefined;
  const begins = (what: string) => () => {
    open.push(what);
  };
  const ends = () => {
    isWhole = open.length === 0;
  };
  const closes = () => {
    open.pop();
    ends();
  };
  visit(
    text,
    {
      onObjectBegin: begins('an object'),
      onArrayBegin: begins('a list'),
      onObjectEnd: closes,
      onArrayEnd: closes,
      onLiteralValue: ends,
      // After its first error the parser guesses.
      onError: (code, at, length) => {
        const rest = at + length === text.length ? text.slice(at) : undefined;
        const within = rest === undefined ? undefined : unfinished(printParseErrorCode(code), rest, open.at(-1));
        first ??= within === undefined ? { is: isWhole ? 'whole' : 'wrong', at } : { is: 'cut', within };
      },
    },
    { disallowComments: true },
  );
  return first ?? { is: 'whole', at: text.length };
}

/** What the end of a text leaves unfinished: `rest` is the last thing in it, and `around` the list or object that it stands in. */
function unfinished(error: string, rest: string, around: string | undefined): string | undefined {
  switch (error) {
    case 'UnexpectedEndOfString':
      return 'a text';
    case 'UnexpectedEndOfNumber':
      return 'a number';
    // The parser has closed these already.
    case 'CloseBraceExpected':
      return 'an object';
    case 'CloseBracketExpected':
      return 'a list';
    default:
      if (rest === '') return around;
      return ['true', 'false', 'null'].some((word) => word.startsWith(rest)) ? 'a word' : undefined;
  }
}
