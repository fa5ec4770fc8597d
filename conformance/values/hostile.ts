/** A body that is sent in the place of a right JSON object. */
export interface HostileBody {
  what: string;
  bytes: Buffer;
  /** The body must be refused: it is no JSON object, or has no field. Otherwise the contract leaves the answer open. */
  refused: boolean;
  /**
   * False: the refusal need not have the envelope of the area. A gateway before the target may refuse a large body itself, and
   * a body without a byte may fail as authentication, in the form that this has.
   */
  envelope?: false;
}

const levels = 10_000;

/** The bodies that are the same for every operation and take long to make. */
const nestedLists = Buffer.from('['.repeat(levels) + ']'.repeat(levels));
const nestedObjects = Buffer.from(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);
const longText = Buffer.from(JSON.stringify({ text: 'a'.repeat(2_000_000) }));

/** Where a free text begins in JSON: one that has no rule of its own, or else the first text of a list. */
function beginOfFreeText(json: string): number {
  const found = /"(?:description|refundReason)":"/.exec(json) ?? /\["/.exec(json);
  return found ? found.index + found[0].length : -1;
}

/** The JSON with something in front of its fields. */
const withInFront = (json: string, front: string) => `{${front}${json.slice(1)}`;

/** What JSON does not have in a text, and lenient readers take. A DEL, which JSON has, is not among it. */
const noPartsOfTexts: readonly (readonly [what: string, part: string])[] = [
  ['a raw NUL in a text', '\0'],
  ['a raw control character in a text', '\u0001'],
  ['a raw tab in a text', '\t'],
  ['a raw line feed in a text', '\n'],
  ['a raw line end of two characters in a text', '\r\n'],
  ['a text that goes on in the next line behind a backslash', '\\\n'],
  ['an escape that breaks off in a text', '\\u12'],
  ['a quotation mark that is not escaped in a text', 'x"x'],
];

/** What JSON does not have as a number, and lenient readers take for 1 or 10. */
const noNumbers: readonly string[] = ['01', '+1', '1.', '1.e0', '0x1', '1_0', '1n'];

/** What JSON does not have as a value, and lenient readers take for one. */
const noValues: readonly string[] = ['.5', '-01', 'True', 'None', 'undefined', "'x'", ''];

/**
 * Bodies that are no JSON by RFC 8259, which readers of JSON5, of JavaScript and of configuration files take all the same: in
 * the body itself, in an object and in a list within it, in a text, and for a number. `full` is a body with as many kinds of fields as there are.
 */
function lenientJson(full: Readonly<Record<string, unknown>>): [what: string, json: string][] {
  const json = JSON.stringify(full);
  const begin = beginOfFreeText(json);
  const inText = (part: string) =>
    begin < 0 ? withInFront(json, `"text":"${part}",`) : json.slice(0, begin) + part + json.slice(begin);
  // What the body has no place for stands in a field that the contract does not name.
  const numbered = /"quantity":[0-9]+/.test(json);
  const asNumber = (number: string) =>
    numbered
      ? json.replace(/("quantity":)[0-9]+/, (_all, name) => name + number)
      : withInFront(json, `"extra":${number},`);
  const within = (front: string, ends: RegExp, end: string) =>
    ends.test(json) ? json.replace(ends, end) : withInFront(json, front);
  const all: [what: string, json: string][] = [
    ['a comma too many within an object of it', within('"extra":{"a":1,},', /\}(?=[,}\]])/, ',}')],
    ['a comma too many within a list of it', within('"extra":[1,],', /\](?=[,}\]])/, ',]')],
    ['a comma in front of its fields', withInFront(json, ',')],
    ['two commas between its fields', json.replace(',"', ',,"')],
    ['a comma too few', json.replace(',"', ' "')],
    ['a semicolon for a comma', json.replace(',"', ';"')],
    ['an equals sign for a colon', json.replace('":', '"=')],
    ['names without quotation marks', json.replace(/"([A-Za-z]+)":/g, '$1:')],
    ['a form feed between its fields', withInFront(json, '\f')],
    ['a no-break space between its fields', withInFront(json, '\u00a0')],
    ...noPartsOfTexts.map(([what, part]): [string, string] => [what, inText(part)]),
    ...noNumbers.map((number): [string, string] => [`${number} as a number`, asNumber(number)]),
    ...noValues.map((value): [string, string] => [
      `${value || 'nothing'} as a value`,
      withInFront(json, `"extra":${value},`),
    ]),
  ];
  return all.filter(([, made]) => made !== json);
}

/**
 * Bodies that are no JSON by RFC 8259 either, and that readers in common use take as they come with their languages: such a reader "MAY accept
 * non-JSON forms or extensions".
 */
function extendedJson(json: string): [what: string, json: string][] {
  return [
    ['a comment within it', withInFront(json, '/* made by hand */')],
    ['a comment of one line within it', withInFront(json, '// made by hand\n')],
    ['a second object behind it', `${json}\n${json}`],
    ['a NUL behind it', `${json}\0`],
    ['an escape of JavaScript in a text', withInFront(json, '"extra":"\\x41",')],
    ['NaN as a value', withInFront(json, '"extra":NaN,')],
    ['-Infinity as a value', withInFront(json, '"extra":-Infinity,')],
  ];
}

/** Malformed and unusual bodies, made from a right one, and from one with more fields where the kind of a field matters. */
export function hostileBodies(
  right: Readonly<Record<string, unknown>>,
  full: Readonly<Record<string, unknown>> = right,
): HostileBody[] {
  const text = JSON.stringify(right);
  const first = Object.keys(right)[0] ?? '';
  const within = (bytes: Buffer) => Buffer.concat([Buffer.from(text.slice(0, -2)), bytes, Buffer.from(text.slice(-2))]);
  const bytesOf = (body: string | Buffer) => (typeof body === 'string' ? Buffer.from(body) : body);
  const refused = (what: string, body: string | Buffer): HostileBody => ({ what, bytes: bytesOf(body), refused: true });
  const open = (what: string, body: string | Buffer): HostileBody => ({ what, bytes: bytesOf(body), refused: false });
  return [
    { ...refused('no bytes at all', ''), envelope: false },
    refused('space only', ' \n'),
    refused('JSON that breaks off', text.slice(0, -1)),
    refused('JSON with more behind it', `${text}}`),
    refused('a comma too many', `${text.slice(0, -1)},}`),
    refused('single quotes', text.replaceAll('"', "'")),
    ...lenientJson(full).map(([what, json]) => refused(what, json)),
    refused('text', '"text"'),
    refused('a number', '17'),
    refused('null', 'null'),
    refused('true', 'true'),
    refused('a list', `[${text}]`),
    refused('an object without fields', '{}'),
    refused('form data', 'merchantOrderId=order-0000000000001&orderAmount=1'),
    refused('XML', '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/hostname">]><a>&b;</a>'),
    refused('NUL bytes', Buffer.alloc(64)),
    refused('bytes that are no text', Buffer.from('fffe00d8ff00ff80c0af', 'hex')),
    refused(`${levels} lists within each other`, nestedLists),
    refused(`${levels} objects within each other`, nestedObjects),
    {
      ...refused('an object of two million characters', longText),
      envelope: false,
    },
    ...extendedJson(text).map(([what, json]) => open(what, json)),
    open('a byte that is no UTF-8 in a text', within(Buffer.from([0xff]))),
    open('a byte order mark in front', `\uFEFF${text}`),
    open('a field that stands there twice', `{${JSON.stringify(first)}:"x",${text.slice(1)}`),
    open('the field __proto__', `{"__proto__":{"code":"00000"},${text.slice(1)}`),
    open('the field constructor', `{"constructor":{"prototype":{"code":"00000"}},${text.slice(1)}`),
    open('a number beyond all bounds', `{"extra":${'9'.repeat(400)},${text.slice(1)}`),
  ];
}

/** Path segments that cannot be ids, already encoded. */
export const hostileSegments: readonly string[] = [
  '%00',
  'order%00-0000000000001',
  '%E0%A4%A',
  '%',
  '%ff%fe',
  '..%2f..%2f..%2fetc%2fhostname',
  '%2e%2e',
  "'%20or%20'1'='1",
  '%3Cscript%3Ealert(1)%3C%2Fscript%3E',
  '%F0%9F%A7%BE%F0%9F%A7%BE%F0%9F%A7%BE%F0%9F%A7%BE%F0%9F%A7%BE',
  '$%7Bjndi:ldap:%2F%2F127.0.0.1%2Fa%7D',
  'a'.repeat(4000),
];

/** Texts in JSON that cannot be ids, and that databases and objects do not take for ordinary ones. */
export const hostileIds: readonly string[] = [
  'order\u0000-0000000000001',
  'order-000000000000\ud800',
  '\u202e🧾🧾🧾🧾🧾🧾🧾🧾',
  '__proto__',
  'constructor',
  '-1',
];

/** UTF-8 as the bytes of a header carry it. */
const asHeaderBytes = (text: string) => Buffer.from(text).toString('latin1');

/** Values of headers that no merchant has: a server that decodes, compares or looks one up has to expect it all the same. */
export const hostileHeaders: readonly { name: 'X-Api-Key' | 'X-Timestamp' | 'X-Signature'; value: string }[] = [
  ...['é'.repeat(44), asHeaderBytes('€'.repeat(44)), '='.repeat(44), '%', 'null', 'A'.repeat(3000)].map((value) => ({
    name: 'X-Signature' as const,
    value,
  })),
  ...['é', asHeaderBytes('１７９９９９９９９９９９９'), '9'.repeat(400), '-1', 'NaN', 'Infinity', '1e999'].map(
    (value) => ({
      name: 'X-Timestamp' as const,
      value,
    }),
  ),
  ...['é', asHeaderBytes('key-€'), '__proto__', 'constructor', '%00', 'A'.repeat(3000)].map((value) => ({
    name: 'X-Api-Key' as const,
    value,
  })),
];
