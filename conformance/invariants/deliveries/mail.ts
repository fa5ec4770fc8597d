import { isObject, type JsonObject, parseJson } from '../../contract/json.ts';
import { readingsOf } from '../../contract/readings.ts';
import type { WebhookRecord } from '../../history/records.ts';

/** A webhook as rules read it. */
export interface Mail {
  record: WebhookRecord;
  /** The mailbox that it came to. */
  box: string;
  /** The path of its request line. */
  path: string;
  /** The query of its request line, with its `?`; empty: there is none. */
  query: string;
  /** False for a body that is compressed or cut: nothing can be said of it. */
  readable: boolean;
  /** The body in every form in which it can be read, and the values of the headers. */
  text: string;
  /** The words of `text`, and the values of a JSON body. */
  words: ReadonlySet<string>;
  /** The body's JSON object, and the one under its `data`. */
  objects: readonly JsonObject[];
}

/** The parts of an address: the folder in front of the mailbox, the mailbox, and the query with its `?`. */
export function partsOf(address: string): { folder: string; box: string; query: string } {
  const [withoutFragment = ''] = address.split('#', 1);
  const [place = ''] = withoutFragment.split('?', 1);
  const query = withoutFragment.slice(place.length);
  // An address without a path leads to a mailbox that has a port of its own.
  const [bare] = /^([a-z]+:\/\/[^/]*)?(?=\/?$)/i.exec(place) ?? [];
  if (bare !== undefined) return { folder: `${bare}/`, box: bare, query };
  // A proxy may change the path, but its last segment that is not empty leads to the mailbox.
  const [, folder = '', box = ''] = /^(.*\/)?([^/]+)\/?$/.exec(place) ?? [];
  return { folder, box, query };
}

/** The path of an address or of a request line, whose escapes may be written in small letters, and which may escape letters that need no escape. */
export function pathOf(address: string): string {
  const [place = ''] = address.split(/[?#]/, 1);
  const path = place.replace(/^https?:\/\/[^/]*/i, '') || '/';
  return path.replace(/%[0-9a-f]{2}/gi, (each) => {
    const letter = String.fromCharCode(Number.parseInt(each.slice(1), 16));
    return /[A-Za-z0-9._~-]/.test(letter) ? letter : each.toUpperCase();
  });
}

/** Reads a webhook. */
export function readMail(record: WebhookRecord): Mail {
  const { address, target, headers, body } = record;
  const json = body.cut ? undefined : parseJson(body.text);
  const values = leavesOf(json);
  const text = [...readingsOf(body.text), ...Object.values(headers)];
  const encoding = headers['content-encoding'] ?? 'identity';
  return {
    record,
    box: partsOf(address).box,
    path: pathOf(target),
    // A fragment is no part of what is asked for: one in a request line was sent by mistake.
    query: /\?.*$/s.exec(target)?.[0] ?? '',
    // The receiver has decoded a body that it could decode.
    readable: !body.cut && (encoding === 'identity' || json !== undefined),
    text: text.join('\n'),
    words: new Set([...values, ...text.flatMap((each) => each.split(/[^A-Za-z0-9._:@~-]+/))]),
    objects: isObject(json) ? [json, json.data].filter(isObject) : [],
  };
}

/** The status that a JSON body names for its entity; `undefined`: none. A body with an object under `data` has it there. */
export function statusIn({ objects }: Mail): string | undefined {
  const status = objects.at(-1)?.status;
  return typeof status === 'string' ? status : undefined;
}

/** Every text and number in a JSON value, as text. */
function leavesOf(value: unknown): string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [];
}
