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

/** The JSON with something in front of its fields. */
const withInFront = (json: string, front: string) => `{${front}${json.slice(1)}`;

/**
 * Bodies that are no JSON by RFC 8259, and that have a meaning all the same: readers in common use take them as they come, for a reader "MAY
 * accept non-JSON forms or extensions".
 */
function extendedJson(json: string): [what: string, json: string][] {
  return [
    ['a comment within it', withInFront(json, '/* made by hand */')],
    ['a comment of one line within it', withInFront(json, '// made by hand\n')],
    ['a comma behind its last field', `${json.slice(0, -1)},}`],
    ['a comma behind the last entry of a list', withInFront(json, '"extra":[1,],')],
    ['single quotes', json.replaceAll('"', "'")],
    ['names without quotation marks', json.replace(/"([A-Za-z]+)":/g, '$1:')],
    ['a raw tab in a text', withInFront(json, '"extra":"\t",')],
    ['a raw NUL in a text', withInFront(json, '"extra":"\0",')],
    ['a brace more behind it', `${json}}`],
    ['a second object behind it', `${json}\n${json}`],
    ['a NUL behind it', `${json}\0`],
    ['an escape of JavaScript in a text', withInFront(json, '"extra":"\\x41",')],
    ['a zero before a number', withInFront(json, '"extra":01,')],
    ['NaN as a value', withInFront(json, '"extra":NaN,')],
    ['-Infinity as a value', withInFront(json, '"extra":-Infinity,')],
  ];
}

/** Malformed and unusual bodies, made from a right one. */
export function hostileBodies(right: Readonly<Record<string, unknown>>): HostileBody[] {
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
    refused('a comma too few', withInFront(text, '"extra":1 ')),
    refused('a quotation mark that is not escaped in a text', withInFront(text, '"extra":"x"x",')),
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
