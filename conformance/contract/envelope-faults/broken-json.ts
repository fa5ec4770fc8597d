import { isObject, parseJson } from '../json.ts';
import { cut } from '../show.ts';
import { type EnvelopeFault, fault, type Readable } from './fault.ts';
import { jsonEnd } from './json-end.ts';
import { codeIsNoText } from './missing-envelope.ts';
import { hasEnvelope } from './shown-contract.ts';

/** The fault of a text that is no JSON. `isCut`: a report shows its beginning only. `undefined`: nothing of the contract is seen in it. */
export function faultOfText(headers: Readable['headers'], text: string, isCut: boolean): EnvelopeFault | undefined {
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
  const end = jsonEnd(rest);
  const value = end?.is === 'whole' ? parseJson(rest.slice(0, end.at)) : undefined;
  const shows = value === undefined ? isCut && /^\{[^{}]*"code"\s*:/.test(rest) : isObject(value) && hasEnvelope(value);
  return shows ? fault('before', { quoted: text.slice(0, start) }) : undefined;
}

/** The fault of a text that begins as JSON does. */
function faultWithin(headers: Readable['headers'], text: string, isCut: boolean): EnvelopeFault | undefined {
  const end = jsonEnd(text);
  if (!end) return undefined;
  if (end.is === 'whole') return fault('after', { quoted: text.slice(end.at) });
  if (end.is === 'wrong') {
    return fault('noJson', { words: `is no JSON from character ${end.at + 1} on`, quoted: text.slice(end.at) });
  }
  if (isCut) return faultOfBeginning(text);
  const length = headers['content-length'];
  const isAsSaid = length !== undefined && Number(length) === Buffer.byteLength(text);
  const where = isAsSaid ? ` at its Content-Length of ${length} bytes` : '';
  return fault('brokenOff', {
    words: `is no JSON, because it breaks off${where}, in the middle of ${end.within}`,
    quoted: text,
  });
}

/** The fault of a long answer of which only the beginning is known. */
function faultOfBeginning(text: string): EnvelopeFault | undefined {
  if (/^\s*"\s*\{\s*\\"/.test(text)) return fault('twice', { quoted: text });
  const number = /^\s*\{[^{}]*?"code"\s*:\s*(-?\d+)/.exec(text)?.[1];
  return number === undefined ? undefined : codeIsNoText(Number(number));
}
