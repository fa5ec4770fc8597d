import { isObject, parseJson } from '../json.ts';
import { faultOfText } from './broken-json.ts';
import { type EnvelopeFault, fault, type Readable } from './fault.ts';
import { faultOfList, faultOfObject } from './missing-envelope.ts';
import { showsContract } from './shown-contract.ts';

export type { EnvelopeFault };

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

/** A report does not show a long body whole. */
function withoutCut(whole: string): { text: string; isCut: boolean } {
  const mark = /…(?: \(\d+ characters\))?$/.exec(whole.slice(-40));
  return mark ? { text: whole.slice(0, -mark[0].length), isCut: true } : { text: whole, isCut: false };
}
