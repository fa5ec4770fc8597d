import { parseJson } from '../contract/json.ts';
import type { CheckReport, Report } from '../run/report.ts';
import { curlCommand } from '../text/curl.ts';
import { shorten } from '../text/shorten.ts';
import type { Exchange } from '../wire/exchange.ts';

/** A request in a form close to the wire. It can hold a target's text, which the caller must escape. */
export function requestText({ request: { method, url, headers, body } }: Exchange): string {
  return message(`${method} ${url}`, headers, body);
}

/** The response in a form close to the wire, or the reason why there is none. It can hold a target's text. */
export function responseText({ response, error }: Exchange): string {
  if (!response) return `no response: ${error ?? 'none came'}`;
  return message(`HTTP ${response.status}`, response.headers, response.body);
}

function message(first: string, headers: Record<string, string>, body: string): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [first, ...lines, ...(body === '' ? [] : ['', readable(body)])].join('\n');
}

/** An exchange in one line. */
export function exchangeTitle(exchange: Exchange): string {
  const { response, error } = exchange;
  return `${requestTitle(exchange)} → ${response ? `HTTP ${response.status}` : (error ?? 'no response')}`;
}

/** Path and query of an address, cut at 120 characters. */
function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return shorten(`${pathname}${search}`, 120);
}

/** The request of an exchange in one line, with the size of a long body: it may be what the target cannot take. */
export function requestTitle({ request: { method, url, body } }: Exchange): string {
  const size = cutBody.exec(body)?.[1];
  return `${method} ${pathOf(url)}${size === undefined ? '' : ` with a body of ${size} characters`}`;
}

/** The mark at the end of a body that a report does not show whole, and how long the body is. */
const cutBody = /… \((\d+) characters\)$/;

/** The exchange that shows the broken requirement. */
export function decisive({ exchanges, decisiveExchange }: CheckReport): Exchange | undefined {
  return decisiveExchange === null ? undefined : exchanges[decisiveExchange - 1];
}

/** The exchange to show for a check: the decisive one, or the last one of an inconclusive check, which stopped there. */
export function shownExchange(check: CheckReport): Exchange | undefined {
  return decisive(check) ?? (check.verdict === 'inconclusive' ? check.exchanges.at(-1) : undefined);
}

/**
 * A curl command that sends the request of an exchange again, except for redacted values. `undefined`: the target sent the
 * request, or its body was cut.
 */
export function curlOf({ request: { method, url, headers, body } }: Exchange, { target }: Report): string | undefined {
  if (!url.startsWith(target) || cutBody.test(body)) return undefined;
  return curlCommand({ method, url, headers: Object.entries(headers), body: bytesOf(body) });
}

const bytesOf = (body: string) => (body === '' ? undefined : { bytes: Buffer.from(body) });

/** The deepest indentation. A target may nest its JSON without end. */
const deepest = 12;

/** JSON with a line for each value and every token unchanged. Text that is not JSON is returned as it is. */
function readable(text: string): string {
  if (parseJson(text) === undefined) return text;
  let depth = 0;
  const line = () => `\n${'  '.repeat(Math.min(depth, deepest))}`;
  return text.replace(/"(?:[^"\\]|\\.)*"|[{[]\s*[}\]]|[{}[\],:]|\s+/g, (token) => {
    if (token === ':') return ': ';
    if (token === ',') return `,${line()}`;
    if (token === '{' || token === '[') {
      depth += 1;
      return `${token}${line()}`;
    }
    if (token === '}' || token === ']') {
      depth -= 1;
      return `${line()}${token}`;
    }
    return token.trim();
  });
}
