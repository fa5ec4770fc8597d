import { bytesOf, fromBase64 } from '../../../conformance/wire/signing/digests.ts';
import {
  explainSignatureBy,
  methodsWithBody,
  type RequestToSign,
  type SignatureSteps,
  timestampForm,
} from '../../../conformance/wire/signing/steps.ts';
import { wrongSignaturesBy } from '../../../conformance/wire/signing/wrong-signatures.ts';
import { type SignatureMistake, signatureMistakes } from '../../../generated/catalogue.ts';
import { withWebDigests } from './web-digests.ts';

/** The values in the form, as text. Empty fields are empty text. */
export interface Entry {
  method: string;
  /** The path and, if there is one, the query, as in the request line. */
  target: string;
  timestamp: string;
  body: string;
  /** Whether `body` is the text that is sent, or the Base64 of the bytes that are sent. */
  bodyForm: 'text' | 'base64';
  secret: string;
  /** A signature to check. */
  given: string;
  /** Values that may have been used by mistake: another timestamp, another merchant's secret, scheme and host. */
  otherTimestamp: string;
  otherSecret: string;
  origin: string;
}

/** The problems that prevent a calculation, by the field to correct. */
export type Problems = Partial<Record<keyof Entry, string>>;

/** The verdict on the given signature. `none` means that no signature is given. */
export type Verdict =
  | { kind: 'none' }
  | { kind: 'right' }
  | { kind: 'mistake'; mistake: SignatureMistake }
  | { kind: 'unknown' };

export interface Calculation {
  /** Every value on the way. */
  steps: SignatureSteps;
  /** The number of hashed bytes. Undefined if there is no hash. */
  hashedBytes: number | undefined;
  verdict: Verdict;
}

/** The fields to correct before anything can be calculated. No text contains the value of a secret. */
export function problemsOf({ method, target, timestamp, body, bodyForm, secret }: Entry): Problems {
  const problems: Problems = {};
  if (!target.startsWith('/')) {
    problems.target = 'The path starts with a slash. Scheme and host are not signed.';
  } else if (!/^[!"$-~]*$/.test(target)) {
    problems.target = 'Write path and query as they are sent: percent-encoded, without spaces and without #.';
  }
  if (!timestampForm.test(timestamp)) {
    const seconds = /^[0-9]{10}$/.test(timestamp) ? ` In milliseconds these seconds are ${timestamp}000.` : '';
    problems.timestamp = `The timestamp is milliseconds, in 13 digits.${seconds}`;
  }
  if (secret === '') problems.secret = 'Without a secret there is no signature.';
  if (bodyForm === 'base64' && !/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(body)) {
    problems.body = 'This is not Base64 with the characters + and / and with = at the end.';
  } else if (body !== '' && !methodsWithBody.includes(method)) {
    problems.body = `The contract has no rule for a ${method} with a body.`;
  }
  return problems;
}

/** The request to sign. The entry must have no problems. */
export function requestOf({ method, target, timestamp, body, bodyForm }: Entry): RequestToSign {
  const mark = target.indexOf('?');
  return {
    method,
    timestamp,
    path: mark < 0 ? target : target.slice(0, mark),
    query: mark < 0 ? undefined : target.slice(mark + 1),
    body: methodsWithBody.includes(method) ? bytesOf(bodyForm === 'base64' ? fromBase64(body) : body) : undefined,
  };
}

/** Signs the request by Web Crypto and checks the given signature. The entry must have no problems. */
export function calculate(entry: Entry): Promise<Calculation> {
  const request = requestOf(entry);
  const given = entry.given.trim();
  const other = {
    timestamp: entry.otherTimestamp.trim() || undefined,
    secret: entry.otherSecret || undefined,
    origin: entry.origin.trim().replace(/\/$/, '') || undefined,
  };
  return withWebDigests((digests) => {
    const steps = explainSignatureBy(digests, request, entry.secret);
    const wrong = wrongSignaturesBy(digests);
    const verdict = (): Verdict => {
      if (given === '') return { kind: 'none' };
      if (given === steps.signature) return { kind: 'right' };
      // All mistakes are made before the search for a match, so that all digests are requested in one round.
      const made = signatureMistakes.map(({ code }) => wrong[code](request, entry.secret, other));
      const mistake = signatureMistakes.find((_, index) => made[index]?.includes(given));
      return mistake ? { kind: 'mistake', mistake } : { kind: 'unknown' };
    };
    const hashed = { body: request.body?.length ?? 0, query: bytesOf(request.query ?? '').length, none: undefined };
    return { steps, hashedBytes: hashed[steps.hashInput], verdict: verdict() };
  });
}
