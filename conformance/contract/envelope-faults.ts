import { isNamedCode } from './error-codes.ts';
import { isObject, type JsonObject, parseJson } from './json.ts';
import { cut } from './show.ts';
import { successCode } from './success-code.ts';

/** What keeps a reader from an answer that shows something of the contract. */
export interface EnvelopeFault {
  /** What the answer is or has, as the rest of a sentence that begins with `an answer that`. The same for each answer with this fault. */
  kind: string;
  /** The same sentence with what there is to see in this answer. What it quotes of the answer stands at the end. */
  words: string;
  /** What to do about it. */
  cure: string;
}

/** An answer as its fault is looked for. */
interface Readable {
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  text: string;
}

/** How much of an answer is quoted, in characters. */
const longestQuote = 80;

/** What an envelope consists of, as the end of a sentence. */
const due = 'code, message and data are due';

/**
 * What keeps a reader from the code of an answer, where something of the contract is seen in it. `undefined`: it has a code, or nothing of it is
 * of the contract, such as a page, an empty body or the answer of a server that knows no such path.
 */
export function envelopeFault({ headers, text: whole }: Readable): EnvelopeFault | undefined {
  const { text, isCut } = withoutCut(whole);
  const value = parseJson(text);
  if (isObject(value)) return faultOfObject(value);
  if (Array.isArray(value)) return faultOfList(value);
  if (typeof value === 'string') {
    const inside = parseJson(value);
    if (!isObject(inside) || !showsContract(inside)) return undefined;
    return fault('twice', { quoted: text });
  }
  return value === undefined ? faultOfText(headers, text, isCut) : undefined;
}

/** The faults by their names, each with its kind and its cure. */
const faults = {
  compressed: [
    'is compressed, which no request asked for',
    'send answers as they are: a server, or a proxy before it, may compress one only if the request has Accept-Encoding',
  ],
  byteOrderMark: [
    'begins with a byte order mark',
    'write answers in UTF-8 without a byte order mark: JSON begins with its first bracket',
  ],
  utf16: ['is in UTF-16', 'write answers in UTF-8'],
  xml: ['is XML', 'answer with JSON, whatever the request accepts'],
  brokenOff: [
    'is no JSON, because it breaks off',
    'send the whole body: Content-Length counts bytes and not characters, and a proxy may have cut it',
  ],
  before: [
    'has something before its JSON',
    'begin the body with the JSON: something else writes into the answer before it',
  ],
  after: ['has something after its JSON', 'end the body with the JSON: something else writes into the answer after it'],
  noJson: ['is no JSON', 'have a library write the JSON'],
  twice: [
    'is a JSON text that holds JSON: it is encoded twice',
    'encode the object once: what is handed to the framework as a text is encoded again',
  ],
  list: ['is a list', 'answer with the object itself, and not with a list around it'],
  noText: ['has a code that is no text', 'write each code as text, in quotation marks and with all of its digits'],
  nested: ['has its envelope within another object', 'answer with the envelope itself, and with nothing around it'],
  otherNames: [
    'has other names than code, message and data',
    'give the envelope the names of the contract: code, message and data',
  ],
  bare: ['has no envelope', 'put what is there into data, with code and message beside it'],
} as const;

/** A fault; `words` are those of its kind unless more is known, and `quoted` is what is to be seen of the answer. */
function fault(name: keyof typeof faults, { words, quoted }: { words?: string; quoted?: string } = {}): EnvelopeFault {
  const [kind, cure] = faults[name];
  const said = words ?? kind;
  return { kind, words: quoted === undefined ? said : `${said}: ${cut(quoted.trim(), longestQuote)}`, cure };
}

/** A report does not show a long body whole. */
function withoutCut(whole: string): { text: string; isCut: boolean } {
  const mark = /…(?: \(\d+ characters\))?$/.exec(whole.slice(-40));
  return mark ? { text: whole.slice(0, -mark[0].length), isCut: true } : { text: whole, isCut: false };
}

// --- What is no JSON ----------------------------------------------------------------------------------------------------

function faultOfText(headers: Readable['headers'], text: string, isCut: boolean): EnvelopeFault | undefined {
  const encoding = headers['content-encoding']?.trim();
  if (encoding && !/^identity$/i.test(encoding)) {
    return fault('compressed', {
      words: `is compressed (Content-Encoding: ${cut(encoding, 40)}), which no request asked for`,
    });
  }
  // The first bytes of gzip, of which the second is no UTF-8.
  if (text.startsWith('\u{1f}\u{fffd}')) {
    return fault('compressed', { words: 'is compressed (gzip, without Content-Encoding), which no request asked for' });
  }
  if (/^(\u{fffd}\u{fffd})?\0?[{[]\0/u.test(text)) {
    return fault('utf16', { words: 'is in UTF-16, where UTF-8 is due' });
  }
  if (text.startsWith('\u{feff}')) {
    return /^[[{"]/.test(text.slice(1).trimStart())
      ? fault('byteOrderMark', { words: 'begins with a byte order mark, with which it is no JSON' })
      : undefined;
  }
  if (/^\s*<(\?xml|\w+>)/.test(text) && /<code>/i.test(text))
    return fault('xml', { words: 'is XML, where JSON is due', quoted: text });
  if (!/^\s*["{[]/.test(text)) return faultBefore(text, isCut);
  return faultWithin(headers, text, isCut);
}

/** The fault of a text that has an envelope in it and begins with something else. */
function faultBefore(text: string, isCut: boolean): EnvelopeFault | undefined {
  const start = text.search(/\{\s*"/);
  if (start === -1) return undefined;
  const rest = text.slice(start);
  const { end } = scan(rest);
  const value = parseJson(rest.slice(0, end));
  const shows = value === undefined ? isCut && /^\{[^{}]*"code"\s*:/.test(rest) : isObject(value) && hasEnvelope(value);
  return shows ? fault('before', { quoted: text.slice(0, start) }) : undefined;
}

/** The fault of a text that begins as JSON does. */
function faultWithin(headers: Readable['headers'], text: string, isCut: boolean): EnvelopeFault | undefined {
  const { end, lacking } = scan(text);
  const rest = text.slice(end);
  if (lacking === undefined) return fault('after', { quoted: rest });
  if (rest.trim() !== '') {
    return fault('noJson', { words: `is no JSON from character ${end + 1} on`, quoted: rest });
  }
  if (isCut) return faultOfBeginning(text);
  const length = headers['content-length'];
  const isAsSaid = length !== undefined && Number(length) === Buffer.byteLength(text);
  const where = isAsSaid ? ` at its Content-Length of ${length} bytes` : '';
  return fault('brokenOff', {
    words: `is no JSON, because it breaks off${where}, in the middle of ${lacking}`,
    quoted: text,
  });
}

/** The fault of a long answer of which only the beginning is known. */
function faultOfBeginning(text: string): EnvelopeFault | undefined {
  if (/^\s*"\s*\{\s*\\"/.test(text)) return fault('twice', { quoted: text });
  const number = /^\s*\{[^{}]*?"code"\s*:\s*(-?\d+)/.exec(text)?.[1];
  return number === undefined ? undefined : codeIsNoText(Number(number));
}

/** How far a text is JSON. */
interface Scan {
  /** The place behind the JSON, or that of the first character that cannot stand there. */
  end: number;
  /** What has begun and has no end, in words. `undefined`: the JSON is whole. */
  lacking?: string;
}

/** What may stand at a place of JSON. */
type Place = 'value' | 'value or end' | 'name' | 'name or end' | 'colon' | 'comma or end';

const words = /\s*(?:("(?:[^"\\\p{Cc}]|\\.)*")|([{}[\],:])|(-?\d[\d.eE+-]*|true|false|null))/uy;

/** Reads the JSON at the beginning of a text, as far as it goes. */
function scan(text: string): Scan {
  const open: string[] = [];
  let place: Place = 'value';
  let end = 0;
  for (;;) {
    words.lastIndex = end;
    const found = words.exec(text);
    const next: Place | null | undefined = found && after(place, found, open);
    if (!found || !next) break;
    end = words.lastIndex;
    place = next;
    if (open.length === 0) return { end };
  }
  const rest = text.slice(end);
  // A text, and a word such as null, may have begun.
  const begun = /^\s*("(?:[^"\\\p{Cc}]|\\.)*\\?|[a-z]{1,4})$/u.exec(rest)?.[1];
  if (begun?.startsWith('"')) return { end: text.length, lacking: 'a text' };
  if (begun && ['true', 'false', 'null'].some((word) => word.startsWith(begun))) {
    return { end: text.length, lacking: 'a word' };
  }
  return { end, lacking: open.at(-1) === '[' ? 'a list' : 'an object' };
}

/** What may stand after a word of JSON. `undefined`: the word may not stand here. `open` are the brackets that have no end yet. */
function after(place: Place, [, text, sign, bare]: RegExpExecArray, open: string[]): Place | undefined {
  const mayBeValue = place === 'value' || place === 'value or end';
  if (text !== undefined && place.startsWith('name')) return 'colon';
  if (text !== undefined || bare !== undefined) return mayBeValue ? 'comma or end' : undefined;
  if (sign === ':') return place === 'colon' ? 'value' : undefined;
  if (sign === ',') {
    if (place !== 'comma or end') return undefined;
    return open.at(-1) === '{' ? 'name' : 'value';
  }
  if (sign === '{' || sign === '[') {
    if (!mayBeValue) return undefined;
    open.push(sign);
    return sign === '{' ? 'name or end' : 'value or end';
  }
  const closes = open.at(-1) === (sign === '}' ? '{' : '[');
  if (!closes || !place.endsWith('or end')) return undefined;
  open.pop();
  return 'comma or end';
}

// --- JSON without the envelope ------------------------------------------------------------------------------------------

function faultOfList(list: readonly unknown[]): EnvelopeFault | undefined {
  const [first] = list;
  if (isObject(first) && hasEnvelope(first))
    return fault('list', { words: 'is a list with the envelope in it, where the envelope itself is due' });
  if (!isObject(first) || !showsContract(first)) return undefined;
  return fault('list', { words: 'is a list, where an object with code, message and data is due' });
}

function faultOfObject(value: JsonObject): EnvelopeFault | undefined {
  const { code } = value;
  if (typeof code === 'string') return undefined;
  if (typeof code === 'number' && isCode(code)) return codeIsNoText(code);
  const [outer] = Object.entries(value).filter(([, inner]) => isObject(inner) && hasEnvelope(inner));
  if (code === undefined && outer) {
    return fault('nested', { words: `has its envelope under ${quoted(outer[0])}, where ${due} at the top` });
  }
  if (!showsContract(value)) return undefined;
  if (code !== undefined) return codeIsNoText(code);
  const names = Object.keys(value);
  if (names.some(isTellingName))
    return fault('bare', {
      words: `has no envelope: ${listed(names)} ${names.length > 1 ? 'stand' : 'stands'} where ${due}`,
    });
  return otherNames(value);
}

function codeIsNoText(code: unknown): EnvelopeFault {
  const example = typeof code === 'number' && isCode(code) ? codeOf(code) : successCode;
  const shown = isObject(code) ? 'an object' : Array.isArray(code) ? 'a list' : JSON.stringify(code);
  const what = typeof code === 'number' ? `the number ${shown}` : shown;
  return fault('noText', { words: `has a code that is ${what}, and must be text such as "${example}"` });
}

/** The fault of an object in which something of the contract is seen, and none of it where it belongs. */
function otherNames(value: JsonObject): EnvelopeFault {
  const names = Object.keys(value);
  const code = names.find((name) => isCode(value[name])) ?? names.find((name) => /code$/i.test(name));
  const message = names.find(
    (name) => name !== code && /^(error|status|return)?_?(message|msg|desc|description|text)$/i.test(name),
  );
  const data = names.find((name) => ![code, message].includes(name) && typeof value[name] === 'object');
  const missing = ['code', 'message', 'data'].filter((name) => !names.includes(name));
  const given = { code, message, data };
  const pairs = Object.entries(given).filter(([name, other]) => other !== undefined && missing.includes(name));
  if (code === undefined) return fault('otherNames', { words: `has ${listed(names)} where ${due}` });
  const meant = pairs.map(([name]) => name);
  const found = pairs.map(([, other]) => quotedName(String(other)));
  return fault('otherNames', {
    words: `has ${inWords(found)} where ${inWords(meant)} ${meant.length > 1 ? 'are' : 'is'} due`,
  });
}

/** Whether an object has a code and what goes with it. */
function hasEnvelope(value: JsonObject): boolean {
  return isCode(value.code) && (Object.hasOwn(value, 'message') || Object.hasOwn(value, 'data'));
}

/** A number as the code that it stands for: codes have five digits. */
const codeOf = (code: unknown): string => String(code).padStart(successCode.length, '0');

/** Whether a value is a code of the contract, or the number that is written in it. */
function isCode(code: unknown): boolean {
  if (typeof code !== 'string' && typeof code !== 'number') return false;
  const text = typeof code === 'number' ? codeOf(code) : code;
  return text === successCode || isNamedCode(text);
}

/** The ids by which a thing of the contract is known from one of another API. */
const tellingNames: readonly string[] = [
  'orderId',
  'merchantOrderId',
  'acquiringOrderId',
  'refundOrderId',
  'merchantRefundOrderId',
  'paymentMethods',
];

const isTellingName = (name: string): boolean => tellingNames.includes(name);

/** Whether an object has something of the contract, itself or in what it holds. */
function showsContract(value: JsonObject, depth = 0): boolean {
  return Object.entries(value).some(([name, inner]) => {
    if (isTellingName(name)) return true;
    // A zero stands in the answers of any API.
    if (isCode(inner) && (inner !== 0 || /code$/i.test(name))) return true;
    const held = Array.isArray(inner) ? inner[0] : inner;
    return depth < 3 && isObject(held) && showsContract(held, depth + 1);
  });
}

/** How many names are listed. */
const mostNames = 3;

function listed(names: readonly string[]): string {
  const shown = names.slice(0, mostNames).map(quotedName);
  return names.length > mostNames ? `${shown.join(', ')} and others` : inWords(shown);
}

/** A name as it is where it is a word, and otherwise with its ends marked. */
const quotedName = (name: string): string => (/^\w{1,40}$/.test(name) ? name : quoted(name));

const quoted = (name: string): string => JSON.stringify(cut(name, 40));

function inWords(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
}
