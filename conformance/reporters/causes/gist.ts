import { parseJson, valueAt } from '../../contract/json.ts';
import { successCode } from '../../contract/success-code.ts';
import { shorten } from '../../text/shorten.ts';
import { type Exchange, redirectIn } from '../../wire/exchange.ts';

/** How much of an answer a cause shows, in characters. */
const longestGist = 80;

/** What an answer says: where it redirects to, the message of an envelope, the title of a page, or else the beginning of its body. */
export function gist({ status, headers, body }: NonNullable<Exchange['response']>): string {
  const redirect = redirectIn({ status, headers });
  if (redirect !== undefined) return shorten(redirect, longestGist);
  const parsed = parseJson(body);
  const message = valueAt(parsed, ['code']) === successCode ? undefined : valueAt(parsed, ['message']);
  if (typeof message === 'string') return shorten(message, longestGist);
  if (/^\s*</.test(body)) return `a page, "${shorten(pageText(body), longestGist)}"`;
  return shorten(body, longestGist) || 'an empty body';
}

/** The title of a page in HTML, or else its text. */
function pageText(page: string): string {
  const title = /<title[^>]*>([^<]+)/i.exec(page)?.[1];
  return (title ?? page.replace(/<[^>]*>/g, ' ')).replace(/\s+/g, ' ').trim();
}
