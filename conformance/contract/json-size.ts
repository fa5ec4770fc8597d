/** The deepest nesting of a JSON text that is parsed. Functions that walk through a value call themselves once for each level. */
const deepest = 200;

/** The most values in a JSON text that is parsed. A value takes up to twenty times the memory of its text. */
const mostValues = 100_000;

/**
 * Why a text must not be parsed as JSON: it nests too deep, or holds too many values, for the memory and the stack of a run. `undefined`:
 * it may be parsed, or it is no JSON at all. Takes time linear in the length of the text.
 */
export function jsonExcess(text: string): string | undefined {
  // A shorter text can exceed neither bound.
  if (text.length <= deepest) return undefined;
  let depth = 0;
  let values = 0;
  let inText = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (inText) {
      if (character === backslash) at += 1;
      else if (character === quote) inText = false;
    } else if (character === quote) inText = true;
    else if (character === comma || character === colon) values += 1;
    else if (character === openBracket || character === openBrace) {
      depth += 1;
      values += 1;
      if (depth > deepest) return `it nests deeper than ${deepest} levels`;
    } else if (character === closeBracket || character === closeBrace) depth -= 1;
    if (values > mostValues) return `it holds more than ${mostValues} values`;
  }
  return undefined;
}

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];
