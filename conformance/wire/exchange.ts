/** One HTTP request and its response, as sent. */
export interface Exchange {
  request: { method: string; url: string; headers: Record<string, string>; body: string };
  /** Absent: none came. */
  response?: { status: number; headers: Record<string, string>; body: string };
  /** Why there is no response. */
  error?: string;
  /** From the request's first byte to the response's last, in milliseconds. */
  durationMs: number;
}

/** A response, with its place among the check's exchanges. */
export interface Answer {
  /** Counted from 1. */
  exchange: number;
  status: number;
  /** Names in lower case; a repeated header joined by commas. */
  headers: Record<string, string>;
  text: string;
  /** The body as JSON; `undefined` when it is none. */
  json: unknown;
}

/** The value at `path`, such as `data.status`, of an answer's body; `undefined` where there is none. */
export function field(answer: Pick<Answer, 'json'>, path: string): unknown {
  let value: unknown = answer.json;
  for (const step of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = Reflect.get(value, step);
  }
  return value;
}
