import { isObject, type JsonObject } from '../json.ts';
import { cut } from '../show.ts';
import { successCode } from '../success-code.ts';
import { type EnvelopeFault, fault } from './fault.ts';
import { codeOf, hasEnvelope, isCode, isTellingName, showsContract } from './shown-contract.ts';

/** What an envelope consists of, as the end of a sentence. */
const due = 'code, message and data are due';

/** The fault of JSON that is a list. `undefined`: nothing of the contract is seen in it. */
export function faultOfList(list: readonly unknown[]): EnvelopeFault | undefined {
  const [first] = list;
  if (isObject(first) && hasEnvelope(first))
    return fault('list', { words: 'is a list with the envelope in it, where the envelope itself is due' });
  if (!isObject(first) || !showsContract(first)) return undefined;
  return fault('list', { words: 'is a list, where an object with code, message and data is due' });
}

/** The fault of an object without a code that is text. `undefined`: it has one, or nothing of the contract is seen in it. */
export function faultOfObject(value: JsonObject): EnvelopeFault | undefined {
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

/** The fault of a code of another type than text. */
export function codeIsNoText(code: unknown): EnvelopeFault {
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
