/** A text without one layer of escapes. */
export interface Peeled {
  text: string;
  /** For each character, the place in the escaped text at which it begins. The last entry is the length of the escaped text. */
  places: Uint32Array;
}

const [backslash, percent, ampersand] = [0x5c, 0x25, 0x26];
/** What follows a backslash and is an escape by itself. */
const shortEscapes = '"\'`\\/bfnrtBFNRT';
const backslashEscape = /\\(?:u([0-9a-f]{4})|u\{([0-9a-f]{1,6})\}|x([0-9a-f]{2}))/iy;
const entity = /&(?:#([0-9]{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));/iy;
const percentEscapes = /(?:%[0-9a-f]{2}){1,4}/iy;
const named: Readonly<Record<string, string>> = {
  ...{ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' },
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" },
};

/**
 * Removes one layer of the escapes of JSON and JavaScript, of URLs, and of HTML, all in one pass. Text that only looks like an
 * escape stays. `undefined`: the text has no escape. Takes time linear in the length of the text.
 */
export function peel(text: string): Peeled | undefined {
  if (!/[\\%&]/.test(text)) return undefined;
  const units = new Uint16Array(text.length);
  const places = new Uint32Array(text.length + 1);
  let length = 0;
  let from = 0;
  let hasEscape = false;
  const put = (unit: number) => {
    units[length] = unit;
    places[length] = from;
    length += 1;
  };
  while (from < text.length) {
    const unit = text.charCodeAt(from);
    const found = unit === backslash || unit === percent || unit === ampersand ? escapeAt(text, from, unit) : undefined;
    if (found === undefined) {
      put(unit);
      from += 1;
      continue;
    }
    for (let each = 0; each < found.means.length; each += 1) put(found.means.charCodeAt(each));
    from += found.length;
    hasEscape = true;
  }
  if (!hasEscape) return undefined;
  places[length] = text.length;
  return {
    text: Buffer.from(units.buffer, 0, length * 2).toString('utf16le'),
    places: places.subarray(0, length + 1),
  };
}

function escapeAt(text: string, at: number, first: number): { means: string; length: number } | undefined {
  if (first === percent) return asciiEscapeAt(text, at) ?? percentEscapeAt(text, at);
  const short = first === backslash ? text[at + 1] : undefined;
  if (short !== undefined && shortEscapes.includes(short)) return { means: named[short] ?? short, length: 2 };
  const form = first === backslash ? backslashEscape : entity;
  form.lastIndex = at;
  const found = form.exec(text);
  if (!found) return undefined;
  const [whole, ...groups] = found;
  if (first === backslash) {
    const [unit, point, byte] = groups;
    return { means: characterOf(unit ?? point ?? byte, 16) ?? whole, length: whole.length };
  }
  const [decimal, hexadecimal, name = ''] = groups;
  const means = characterOf(decimal, 10) ?? characterOf(hexadecimal, 16) ?? named[name.toLowerCase()] ?? whole;
  return { means, length: whole.length };
}

/** A percent-encoded character of ASCII, for which no bytes need to be put together: nearly all of those in a text that has many. */
function asciiEscapeAt(text: string, at: number): { means: string; length: number } | undefined {
  const code = hexDigit(text.charCodeAt(at + 1)) * 16 + hexDigit(text.charCodeAt(at + 2));
  return code < 0x80 ? { means: String.fromCharCode(code), length: 3 } : undefined;
}

/** The value of a hexadecimal digit; not a number for any other character. */
function hexDigit(unit: number): number {
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30;
  const letter = unit | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : Number.NaN;
}

/** One character of a percent-encoded text, which is written as the bytes of its UTF-8. */
function percentEscapeAt(text: string, at: number): { means: string; length: number } | undefined {
  percentEscapes.lastIndex = at;
  const bytes = Buffer.from((percentEscapes.exec(text)?.[0] ?? '').replaceAll('%', ''), 'hex');
  const [first = 0] = bytes;
  const count = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (bytes.length < count) return undefined;
  return { means: bytes.toString('utf8', 0, count).slice(0, 2), length: count * 3 };
}

function characterOf(digits: string | undefined, radix: number): string | undefined {
  if (digits === undefined) return undefined;
  const point = Number.parseInt(digits, radix);
  return point <= 0x10ffff ? String.fromCodePoint(point) : '\ufffd';
}
