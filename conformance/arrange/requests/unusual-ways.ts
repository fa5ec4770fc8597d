import { pathEscaped } from '../authentication/as-sent.ts';
import { everyWay, plainly, type WayToSend } from './ways-to-send.ts';

/** A way to send, and its name behind the words for a request. */
export interface NamedWay extends WayToSend {
  words: string;
}

/** The JSON of a body with the first letter of each name of a field written as an escape. */
const withEscapedNames = (body: unknown): string =>
  JSON.stringify(body).replace(
    /"([a-zA-Z])(\w*)":/g,
    (_all, letter: string, rest: string) => `"\\u00${letter.charCodeAt(0).toString(16)}${rest}":`,
  );

/** Ways that few libraries choose. A target may refuse a body in chunks. */
export const unusualWays: readonly NamedWay[] = [
  {
    ...plainly,
    words: 'with needless escapes in its address',
    address: (path) => pathEscaped({ method: 'POST', path }).path,
  },
  { ...plainly, words: 'whose body comes in two parts', inParts: 'with length' },
  { ...plainly, words: 'whose body comes in chunks', inParts: 'in chunks' },
  { serialize: withEscapedNames, words: 'with escapes in the names of its fields' },
];

/** Every way there is, the most usual one first. */
export const allWays: readonly NamedWay[] = [
  ...everyWay.map((way, index) => ({ ...way, words: index === 0 ? 'as it was' : 'written otherwise' })),
  ...unusualWays,
];
