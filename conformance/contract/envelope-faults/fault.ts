import { cut } from '../show.ts';

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
export interface Readable {
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  text: string;
}

/** How much of an answer is quoted, in characters. */
const longestQuote = 80;

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
export function fault(
  name: keyof typeof faults,
  { words, quoted }: { words?: string; quoted?: string } = {},
): EnvelopeFault {
  const [kind, cure] = faults[name];
  const said = words ?? kind;
  return { kind, words: quoted === undefined ? said : `${said}: ${cut(quoted.trim(), longestQuote)}`, cure };
}
