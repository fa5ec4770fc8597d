import { ownValue } from '../contract/json.ts';

/** One HTTP request and its response, as sent. */
export interface Exchange {
  request: { method: string; url: string; headers: Record<string, string>; body: string };
  /** Absent: no response came. */
  response?: { status: number; headers: Record<string, string>; body: string };
  /** Why there is no response. */
  error?: string;
  /** From the request's first byte to the response's last, in milliseconds. */
  durationMs: number;
}

/** How the error of an exchange begins whose answer did not come in time. */
export const lateAnswer = 'it did not come within';

/** How an exchange's error begins when the other side closed the connection and did not answer. */
export const closedConnection = 'the connection was closed in place of an answer';

/** What the error of an exchange says whose connection had carried others before: the other side may have closed it at that moment. */
export const overKeptConnection = '(over a kept connection)';

/** Counts what a check judges of its exchanges, so that a check that has judged nothing does not pass. */
export interface Tally {
  judged: number;
}

/** The place of an exchange among those of a check. */
export interface Entry {
  /** Counted from 1. */
  exchange: number;
  /** That of the check. Absent: nobody asks what is judged. */
  tally?: Tally;
}

/** A response, with its place among the exchanges of the check. */
export interface Answer extends Entry {
  status: number;
  /** Names in lower case; a repeated header joined by commas. */
  headers: Record<string, string>;
  text: string;
  /** The value of the body. `undefined`: the body is not JSON. */
  json: unknown;
}

/** The value at `path`, such as `data.status`, of an answer's body. `undefined`: the body has no such value. */
export function field(answer: Pick<Answer, 'json'>, path: string): unknown {
  return path.split('.').reduce(ownValue, answer.json);
}

/** Where an answer redirects to, in words. `undefined`: it is no redirect. */
export function redirectIn({ status, headers }: Pick<Answer, 'status' | 'headers'>): string | undefined {
  const { location } = headers;
  return status >= 300 && status < 400 && location !== undefined ? `a redirect to ${location}` : undefined;
}

/**
 * What to do about a redirect of something that should have answered at the address `asked`. Where it leads to the same path `end` elsewhere, that
 * is the flag which names the other place: that of the target, before the path, or that of the control API, with it.
 */
export function cureOfRedirect(
  { headers: { location = '' } }: Pick<Answer, 'headers'>,
  asked: string,
  end: string,
  flag: '--target' | '--control',
): string {
  const to = URL.canParse(location, asked) ? new URL(location, asked) : undefined;
  const place = to?.pathname.indexOf(end) ?? -1;
  const before = to && place >= 0 ? `${to.origin}${to.pathname.slice(0, place)}` : undefined;
  if (before === undefined || asked.startsWith(`${before}${end}`)) {
    return 'the contract knows no redirect, and a run follows none: check the address, and what stands before the target';
  }
  return `give ${flag} ${before}${flag === '--control' ? end : ''}, since a run follows no redirect`;
}

/** HTTP headers as a report shows them: names as given, the values of a repeated header joined by commas. */
export function joinedHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name] ?? '';
    joined[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return joined;
}
