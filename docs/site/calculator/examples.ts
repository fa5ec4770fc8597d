import { base64 } from '../../../conformance/wire/signing/digests.ts';
import file from '../../../openapi/vectors/vectors.json' with { type: 'json' };
import type { Entry } from './calculator.ts';

/** A signature vector of the contract that the form can be filled with. */
export interface Example {
  id: string;
  title: string;
  entry: Entry;
}

type Vector = (typeof file.vectors)[number];

/** A text area cannot contain arbitrary bytes or carriage returns. Such bodies are filled in as Base64. */
function bodyOf({ body, bodyEncoding }: Vector): Pick<Entry, 'body' | 'bodyForm'> {
  const text = body === null ? '' : typeof body === 'string' ? body : body.repeat.repeat(body.times);
  if (bodyEncoding === 'base64') return { body: text, bodyForm: 'base64' };
  return text.includes('\r') ? { body: base64(text), bodyForm: 'base64' } : { body: text, bodyForm: 'text' };
}

/** Every vector of a request in the contract. */
const requests = file.vectors.filter(({ kind }) => kind === 'request');

export const examples: readonly Example[] = requests.map((vector) => ({
  id: vector.id,
  title: vector.title,
  entry: {
    method: vector.methodSigned,
    target: vector.path + (vector.query === null ? '' : `?${vector.query}`),
    timestamp: vector.timestamp,
    ...bodyOf(vector),
    secret: vector.secret,
    given: '',
    otherTimestamp: '',
    otherSecret: '',
    origin: '',
  },
}));
