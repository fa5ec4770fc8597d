/** The two parts of a request target, exactly as sent. The query is without its `?`, and `undefined` where there is no `?`. */
export interface RequestTarget {
  path: string;
  query: string | undefined;
}

/** Splits a request target at its first `?`. Nothing is decoded, because signatures cover the text as it was sent. */
export function splitTarget(target: string): RequestTarget {
  const mark = target.indexOf('?');
  if (mark === -1) return { path: target, query: undefined };
  return { path: target.slice(0, mark), query: target.slice(mark + 1) };
}

/** A path segment with its percent-encoding undone; unchanged when the encoding is broken. */
export function decodeSegment(segment: string): string {
  return segment.includes('%') && isDecodable(segment) ? decodeURIComponent(segment) : segment;
}

/** False when the percent-encoding of a part of a request target is broken. */
export function isDecodable(text: string): boolean {
  if (!text.includes('%')) return true;
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
