import { parseJson } from '../contract/json.ts';
import type { CheckReport, Report } from '../run/report.ts';
import { curlCommand } from '../text/curl.ts';
import type { Exchange } from '../wire/exchange.ts';

/** A request as it stood on the wire, more or less: a target's text, to be escaped. */
export function requestText({ request: { method, url, headers, body } }: Exchange): string {
  return message(`${method} ${url}`, headers, body);
}

/** The response as it stood on the wire, or why there is none. */
export function responseText({ response, error }: Exchange): string {
  if (!response) return `no response: ${error ?? 'none came'}`;
  return message(`HTTP ${response.status}`, response.headers, response.body);
}

function message(first: string, headers: Record<string, string>, body: string): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [first, ...lines, ...(body === '' ? [] : ['', readable(body)])].join('\n');
}

/** An exchange in one line. */
export function exchangeTitle({ request: { method, url }, response, error }: Exchange): string {
  return `${method} ${pathOf(url)} → ${response ? `HTTP ${response.status}` : (error ?? 'no response')}`;
}

/** Path and query of an address. */
export function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  const path = `${pathname}${search}`;
  return path.length <= 120 ? path : `${path.slice(0, 119)}…`;
}

/** The exchange that shows what is wrong. */
export function decisive({ exchanges, decisiveExchange }: CheckReport): Exchange | undefined {
  return decisiveExchange === null ? undefined : exchanges[decisiveExchange - 1];
}

/**
 * A command that sends the request of an exchange, but for what is redacted; `undefined` for one that came from the target,
 * or whose body was cut.
 */
export function curlOf({ request: { method, url, headers, body } }: Exchange, { target }: Report): string | undefined {
  if (!url.startsWith(target) || /… \(\d+ characters\)$/.test(body)) return undefined;
  return curlCommand({ method, url, headers: Object.entries(headers), body: bytesOf(body) });
}

const bytesOf = (body: string) => (body === '' ? undefined : { bytes: Buffer.from(body) });

/** How deep lines are indented at most: a target may nest without end. */
const deepest = 12;

/** JSON with a line for each value, every token as it stands; other text as it is. */
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
