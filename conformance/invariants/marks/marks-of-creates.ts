import { isObject } from '../../contract/json.ts';
import { type Exchanged, merchantIdField } from '../book.ts';

/** From how many characters a text is long, and from how many entries a list. */
const [longText, longList] = [300, 100];

/** The lengths up to which an id is short, and from which it is long. */
const [shortId, longId] = [20, 50];

/** Fields that stand in every create, and differ in their value. */
const choices = ['currency', 'network'];

/** Fields that stand in every create of a product, and so tell none from others. */
const everywhere = [
  'orderAmount',
  'orderAmount.value',
  'paymentMethodType',
  'returnUrl',
  'acquiringOrderId',
  'refundReason',
];

/**
 * What tells a create from others of its kind, each in words that follow "has": its optional fields, what is unusual about their values, the form of
 * its id, and how it was written.
 */
export function marksOf({ area, sent, record }: Exchanged): ReadonlySet<string> {
  if (!isObject(sent)) return new Set();
  const { [merchantIdField[area]]: id, expiresAt, ...fields } = sent;
  return new Set([
    ...marksIn(fields),
    ...(typeof id === 'string' ? marksOfId(id) : []),
    ...(/:\d\dZ$/.test(String(expiresAt)) ? ['an expiresAt in whole seconds'] : []),
    ...marksOfWriting(record),
  ]);
}

/** How deep fields are looked at, and how long their names are: those of the contract lie within, and a hostile body goes on for ever. */
const [deepest, longestName] = [2, 40];

function marksIn(fields: Readonly<Record<string, unknown>>, within: readonly string[] = []): string[] {
  return Object.entries(fields).flatMap(([field, value]) => {
    if (field.length > longestName || within.length === deepest) return [];
    const path = [...within, field];
    const name = path.join('.');
    if (value === null) return [`${name} = null`];
    if (Array.isArray(value)) {
      if (value.length === 0) return [`${name} = []`];
      return value.length < longList ? [name] : [name, `${name} of ${longList} entries or more`];
    }
    const own = everywhere.includes(name) ? [] : [name];
    if (isObject(value)) return [...own, ...marksIn(value, path)];
    const text = String(value);
    if (choices.includes(field)) return [`${name} = ${text}`];
    return [
      ...own,
      ...(text.length >= longText ? [`${name} of ${longText} characters or more`] : []),
      ...(/["'\\]/.test(text) ? [`a quotation mark in ${name}`] : []),
    ];
  });
}

function marksOfId(id: string): string[] {
  const [beginning] = /^([_-]|ref_|ord-)/.exec(id) ?? [];
  return [
    ...(beginning === undefined ? [] : [`an id that begins with ${beginning}`]),
    ...(/^\d+$/.test(id) ? ['an id of digits'] : []),
    ...(id.length <= shortId ? [`an id of ${shortId} characters or fewer`] : []),
    ...(id.length >= longId ? [`an id of ${longId} characters or more`] : []),
  ];
}

function marksOfWriting({ headers, body }: Exchanged['record']): string[] {
  const names = Object.keys(headers);
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  return [
    ...(names.includes('X-TIMESTAMP') ? ['header names in capitals'] : []),
    ...(String(type).includes('charset') ? ['a charset in its Content-Type'] : []),
    ...(names.some((name) => name.toLowerCase() === 'traceparent') ? ['headers of tracers and proxies'] : []),
    ...(/^\{\s*\n/.test(body?.text ?? '') ? ['a body on several lines'] : []),
  ];
}
