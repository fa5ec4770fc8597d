// Changes after which a request is still right: HTTP and JSON write the same in several ways, and path, query and body are signed as sent.

import { needText } from '../../check/expect.ts';
import { isObject } from '../../contract/json.ts';
import type { ContractOperation } from '../../contract/operations.ts';
import { escapeOf, percentEncoded } from '../../contract/percent-encoding.ts';
import { type Answer, field } from '../../wire/exchange.ts';
import type { SignedRequest } from '../requests/signed-client.ts';
import { furtherHeaders } from '../requests/ways-to-send.ts';

/** A character whose escape has a letter, which may be a capital or a small one. */
const escapedWithLetter = /[j-oz_-]/i;

/**
 * Writes the first character of percent-encoded text that is no escape, and the next whose escape has a letter, as escapes that are not
 * needed: the text means the same. Text that has escapes only gets them in small letters.
 */
function escaped(text: string): string {
  const parts = text.match(/%[0-9A-F]{2}|[^%]/g) ?? [];
  const first = parts.findIndex((part) => part.length === 1);
  if (first === -1) return escapesInSmallLetters(text);
  const second = parts.findIndex((part, index) => index > first && part.length === 1 && escapedWithLetter.test(part));
  return parts.map((part, index) => (index === first || index === second ? escapeOf(part) : part)).join('');
}

/** Whether the needless escapes of an id have a letter. */
export const hasLetterInEscapes = (id: string): boolean => escapedWithLetter.test(id);

/** Percent-encoded text with the letters of its escapes in the other case. */
export const escapesInSmallLetters = (text: string): string =>
  text.replace(/%[0-9A-F]{2}/g, (each) => each.toLowerCase());

/** The request with a needless escape in the merchantId of its path, and in the id at its end where it has one. */
export function pathEscaped(request: SignedRequest): SignedRequest {
  const path = request.path.replace(/(?<=\/merchants\/)[^/]+|(?<=\/orders\/)[^/]+/g, escaped);
  return { ...request, path };
}

/** The query of a refund with two of its ids, out of alphabetical order. `answer` is that of the query by its refundOrderId. */
export function queryOfTwo(request: SignedRequest, answer: Answer): SignedRequest {
  const id = percentEncoded(needText(answer, 'data.merchantRefundOrderId'));
  return { ...request, query: `${request.query ?? ''}&merchantRefundOrderId=${id}` };
}

/** The ids, beside the one of the right request, by which a refund is asked for. */
const otherIds = ['merchantRefundOrderId', 'acquiringOrderId'] as const;

/** The queries of a refund by each of its other ids alone, with the name of the id. `answer` is that of the query by its refundOrderId. */
export function queriesByOtherIds(answer: Answer): readonly { name: string; query: string }[] {
  return otherIds.map((name) => ({ name, query: `${name}=${percentEncoded(needText(answer, `data.${name}`))}` }));
}

/** What asks for the same thing by another id, in words and as a change of the request by its usual one. */
interface OtherAddress {
  words: string;
  change: (request: SignedRequest) => SignedRequest;
}

/** The ways to ask for an order or a refund by each other id that an answer shows, that of the query by its usual one. */
export function otherAddresses({ name: operation }: ContractOperation, answer: Answer): readonly OtherAddress[] {
  if (!operation.endsWith('.query')) return [];
  const isOfRefund = operation === 'refunds.query';
  return (isOfRefund ? otherIds : ['orderId']).flatMap((name): OtherAddress[] => {
    const shown = field(answer, `data.${name}`);
    if (typeof shown !== 'string') return [];
    const id = percentEncoded(shown);
    const change: OtherAddress['change'] = isOfRefund
      ? (request) => ({ ...request, query: `${name}=${id}` })
      : (request) => ({ ...request, path: request.path.replace(/[^/]+$/, id) });
    return [{ words: `by its ${name}`, change }];
  });
}

/** The same query with needless escapes in both ids. */
export function queryEscaped(request: SignedRequest, answer: Answer): SignedRequest {
  const { query = '' } = queryOfTwo(request, answer);
  return { ...request, query: query.replace(/(?<==)[^&]+/g, escaped) };
}

/** A text of JSON, which may hold any sign, or one of its other signs. */
const textOrSign = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g;

/** The request with space around its JSON, a line end behind it, and space on both sides of each of its signs. */
export function spacedBody(request: SignedRequest): SignedRequest {
  if (request.body === undefined) return request;
  const value: unknown = JSON.parse(Buffer.from(request.body).toString('utf8'));
  const spaced = JSON.stringify(value).replace(textOrSign, (part) => (part.length > 1 ? part : ` ${part}\n\t`));
  return { ...request, body: Buffer.from(`${spaced}\n`) };
}

/** Text as JSON with its first character, and every slash, written as an escape that is not needed. */
function escapedText(text: string): string {
  const [first = ''] = text;
  const isPlain = /[\x21-\x7e]/.test(first);
  const rest = JSON.stringify(isPlain ? text.slice(1) : text).replaceAll('/', '\\/');
  return isPlain ? `"\\u${first.charCodeAt(0).toString(16).padStart(4, '0')}${rest.slice(1)}` : rest;
}

function escapedJson(value: unknown): string {
  if (typeof value === 'string') return escapedText(value);
  if (Array.isArray(value)) return `[${value.map(escapedJson).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, each]) => `${escapedText(name)}:\t${escapedJson(each)}`);
  return `{${members.reverse().join(',\r\n')}}`;
}

/** The request with escapes in every name and text of its JSON, tabs and line ends between them, and its fields in the other order. */
export function escapedBody(request: SignedRequest): SignedRequest {
  if (request.body === undefined) return request;
  const value: unknown = JSON.parse(Buffer.from(request.body).toString('utf8'));
  return { ...request, body: Buffer.from(escapedJson(value)) };
}

/** The request with the names of its headers in small letters, and with blanks around their values. */
export const headersInSmallLetters = (request: SignedRequest): SignedRequest => ({
  ...request,
  written: (name, value) => [name.toLowerCase(), ` ${value} `],
});

/** The request with tabs around the values of its headers, which are blanks of HTTP too. */
export const headersWithTabs = (request: SignedRequest): SignedRequest => ({
  ...request,
  written: (name, value) => [name, `\t${value}\t`],
});

/** The request with the names of its headers in capitals. */
export const headersInCapitals = (request: SignedRequest): SignedRequest => ({
  ...request,
  written: (name, value) => [name.toUpperCase(), value],
});

const withHeaders = (request: SignedRequest, headers: Readonly<Record<string, string>>): SignedRequest => ({
  ...request,
  headers: { ...request.headers, ...headers },
});

/** A form in which HTTP carries one and the same request, in words that follow the noun of an operation. */
export interface OuterForm {
  words: string;
  change(request: SignedRequest): SignedRequest;
  /** A target may refuse it for the form itself. */
  otherRefusals?: true;
}

/** Forms of any request. */
export const outerForms: readonly OuterForm[] = [
  {
    words: 'with the headers that browsers and proxies add',
    change: (request) => withHeaders(request, furtherHeaders),
  },
  { words: 'with its headers in small letters', change: headersInSmallLetters },
];

/** The same request with this content type. */
const asType = (type: string): OuterForm => ({
  words: `with Content-Type ${type}`,
  change: (request) => withHeaders(request, { 'Content-Type': type }),
});

/** Forms of a request with a body: a target may have another reader for some of them, at which it forgets a rule. */
export const outerFormsOfBodies: readonly OuterForm[] = [
  asType('application/json; charset=utf-8'),
  asType('APPLICATION/JSON'),
  { ...asType('application/json;charset="UTF-8"'), otherRefusals: true },
  { words: 'in chunks', change: (request) => ({ ...request, inParts: 'in chunks' }), otherRefusals: true },
];
