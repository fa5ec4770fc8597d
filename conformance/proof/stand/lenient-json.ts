import { bodyOf, isRightlySigned, onlyFor } from './changes.ts';
import type { Make } from './fault.ts';
import { type ProxyRequest, resigned } from './proxy.ts';

export const isNoObject = (request: ProxyRequest): boolean => bodyOf(request) === undefined;

/** The bodies of checks are shorter, in bytes, except those that test length or depth. */
const longestMended = 10_000;

/** A server that reads what is no JSON, in the requests `of` which, as `mend` writes it, and processes that. */
export const mendingBodies = (
  of: (request: ProxyRequest) => boolean,
  mend: (text: string) => string,
): Make & Required<Pick<Make, 'merchantApi'>> => ({
  merchantApi: onlyFor(of, (request, server) => {
    const owner = server.owner(request.headers['x-api-key'] ?? '');
    if (!owner || !isNoObject(request) || request.body.length > longestMended) return server.forward(request);
    const mended = Buffer.from(mend(request.body.toString('utf8')));
    const mends = bodyOf({ body: mended }) && isRightlySigned(request, server);
    return server.forward(mends ? resigned({ ...request, body: mended }, owner) : request);
  }),
});

/** A text of JSON, so that what is outside of texts can be told from what is inside. */
const texts = /"(?:[^"\\]|\\.)*"/gs;

/** Changes the texts within what is written like JSON, each with its quotation marks. */
export const inTexts = (change: (text: string) => string) => (json: string) => json.replace(texts, change);

/** Replaces what is wrong outside of the texts. */
export const outsideTexts = (wrong: RegExp, right: string) => (json: string) =>
  json.replace(new RegExp(`("(?:[^"\\\\]|\\\\.)*")|${wrong.source}`, 'gs'), (_all, text?: string) => text ?? right);
