// For tests: the signature vectors of the contract, as requests to sign.
import mustNotVerify from '../../../../openapi/vectors/must-not-verify.json' with { type: 'json' };
import mustVerify from '../../../../openapi/vectors/vectors.json' with { type: 'json' };
import type { RequestToSign } from '../signature.ts';

export type Vector = (typeof mustVerify.vectors)[number];
export type WrongVector = (typeof mustNotVerify.vectors)[number];

const isRequest = ({ kind }: Vector | WrongVector) => kind === 'request';

export const vectors: Vector[] = mustVerify.vectors.filter(isRequest);
export const wrongVectors: WrongVector[] = mustNotVerify.vectors.filter(isRequest);
export const webhookVectors: Vector[] = mustVerify.vectors.filter((vector) => !isRequest(vector));
export const wrongWebhookVectors: WrongVector[] = mustNotVerify.vectors.filter((vector) => !isRequest(vector));

/** The vector with that id; throws when there is none. */
export function vectorNamed(id: string): Vector {
  const found = vectors.find((vector) => vector.id === id);
  if (found === undefined) throw new Error(`there is no vector ${id}`);
  return found;
}

/** The bytes of a vector's body. `undefined`: the vector has no body. */
export function bodyOf({ body, bodyEncoding }: Vector | WrongVector): Uint8Array | undefined {
  if (body === null) return undefined;
  const text = typeof body === 'string' ? body : body.repeat.repeat(body.times);
  return Buffer.from(text, bodyEncoding === 'base64' ? 'base64' : 'utf8');
}

/** The request of a vector, as `signatureOf` takes it. */
export function requestOf(vector: Vector | WrongVector): RequestToSign {
  const { timestamp, method, path, query } = vector;
  return { timestamp, method, path, query: query ?? undefined, body: bodyOf(vector) };
}
