import type { OutgoingHttpHeaders } from 'node:http';
import { type Answer, send } from '../../tests/support/http.ts';

/** The path of an order's page. */
export function pathOf({ checkoutUrl }: { checkoutUrl: string }): string {
  return new URL(checkoutUrl).pathname;
}

/** The token in the forms of a page. Fails if there is none. */
export function tokenOf({ text }: Answer): string {
  const token = /name="token" value="([^"]+)"/.exec(text)?.[1];
  if (token === undefined) throw new Error(`the page has no form:\n${text}`);
  return token;
}

/** A customer whose browser has no scripts and keeps all cookies, whatever their path. */
export function customer(server: { url: string }) {
  const cookies = new Map<string, string>();

  async function request(method: string, target: string, body?: string, headers: OutgoingHttpHeaders = {}) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await send(server.url, {
      method,
      target,
      headers: { ...(cookie && { Cookie: cookie }), ...headers },
      ...(body === undefined ? {} : { body }),
    });
    for (const each of answer.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(each) ?? [];
      cookies.set(name, value);
    }
    return answer;
  }

  /** Opens a page. */
  const get = (path: string) => request('GET', path);

  /** Sends a form as browsers do, with exactly these fields. */
  const post = (path: string, fields: Record<string, string>, headers: OutgoingHttpHeaders = {}) =>
    request('POST', path, new URLSearchParams(fields).toString(), {
      'Content-Type': 'application/x-www-form-urlencoded',
      ...headers,
    });

  return {
    cookies,
    get,
    post,
    /** Opens a page, and sends a form of that page. */
    submit: async (page: string, form: string, fields: Record<string, string> = {}) =>
      post(`${page}/${form}`, { token: tokenOf(await get(page)), ...fields }),
  };
}
