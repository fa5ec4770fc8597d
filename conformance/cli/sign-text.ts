import { type SignatureMistakeCode, signatureMistakes } from '../../generated/catalogue.ts';
import { findMistake, type SignedInstead, wrongSignatures } from '../wire/signing/mistakes.ts';
import type { RequestToSign, SignatureSteps } from '../wire/signing/signature.ts';

/** The look of headings and verdicts. Without colours, each function returns its text. */
export interface Style {
  readonly heading: (text: string) => string;
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
}

/** A heading with indented lines below it. */
export const section = (style: Style, heading: string, lines: readonly string[]): string =>
  [style.heading(heading), ...lines.map((line) => `  ${line}`)].join('\n');

/** The longest text that is shown, in characters. */
const longestShown = 2000;

/** Text with visible control and format characters, such as ␊ for a line feed. Long text is cut. */
function visible(text: string): string {
  const shown = text.slice(0, longestShown).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code < 0x20
      ? String.fromCodePoint(0x2400 + code)
      : `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
  });
  return text.length > longestShown ? `${shown} … (${text.length - longestShown} characters more)` : shown;
}

function visibleBytes(bytes: Uint8Array): string {
  try {
    return visible(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return `not UTF-8 text; in Base64: ${visible(Buffer.from(bytes).toString('base64'))}`;
  }
}

function hashSection(style: Style, request: RequestToSign, steps: SignatureSteps): string {
  const { hashInput, sha256Hex, sha256Base64 } = steps;
  const method = request.method.toUpperCase();
  if (sha256Hex === undefined || sha256Base64 === undefined) {
    return section(style, 'Hash', [`none: this ${method} has no query`]);
  }
  const body = request.body ?? new Uint8Array();
  const [what, input] =
    hashInput === 'body'
      ? [`body (bytes: ${body.length})`, visibleBytes(body)]
      : ['query (without the question mark)', visible(request.query ?? '')];
  return section(style, `SHA-256 of the ${what}`, [
    `of      ${input}`,
    `hex     ${sha256Hex}   for comparison only`,
    `Base64  ${sha256Base64}   the fourth component`,
    ...(hashInput === 'body' && request.query !== undefined
      ? [`The query is not signed: a ${method} signs its body (open point signature-edges).`]
      : []),
  ]);
}

/** The steps to a signature as text for people. */
export function explanation(style: Style, request: RequestToSign, steps: SignatureSteps, isWebhook: boolean): string {
  const names = [...(isWebhook ? ['line     '] : []), 'timestamp', 'method   ', 'path     ', 'hash     '];
  const components = steps.signatureString.split('\n');
  return [
    section(
      style,
      'Components',
      components.map((component, index) => `${index + 1} ${names[index]}  ${component}`),
    ),
    hashSection(style, request, steps),
    section(style, 'Signature string, with ␊ for each line feed', [components.join('␊')]),
    `${style.heading('Signature string, as it is')}\n${steps.signatureString}`,
    section(style, 'Signature', [steps.signature]),
  ].join('\n\n');
}

/** Mistakes that use a value which is not part of the request. */
const cannotBeGuessed: readonly SignatureMistakeCode[] = [
  'timestamp-of-another-request',
  'secret-of-another-merchant',
  'path-full-url',
];

/** The verdict on a right signature as text for people. */
export const rightVerdict = (style: Style): string => style.good('The signature is right.');

/** The verdict on a wrong signature as text for people, with the mistake that led to it. `hint` says what it is instead, if that is known. */
export function wrongVerdict(
  style: Style,
  { request, secret, steps, given }: { request: RequestToSign; secret: string; steps: SignatureSteps; given: string },
  other: SignedInstead,
  hint: string | undefined,
): string {
  const compared = [`given  ${visible(given)}`, `right  ${steps.signature}`];
  if (hint !== undefined) return section(style, style.bad('The signature is wrong.'), [hint, ...compared]);

  const mistake = findMistake(request, secret, given, other);
  if (mistake !== undefined) {
    return section(style, style.bad(`The signature is wrong: ${mistake.code}`), [
      mistake.what,
      mistake.cure,
      ...compared,
    ]);
  }

  const tried = signatureMistakes
    .map(({ code }) => code)
    .filter((code) => wrongSignatures[code](request, secret, other).length > 0);
  const notTried = cannotBeGuessed
    .filter((code) => !tried.includes(code))
    .map((code) => (code === 'path-full-url' ? `${code} (give --target to try it)` : code));
  return section(style, style.bad('The signature is wrong, and no single known mistake explains it.'), [
    ...compared,
    `Tried: ${tried.join(', ')}.`,
    `Cannot be tried: ${notTried.join(', ')}.`,
    'Is --timestamp the X-Timestamp that was sent, and was that same text signed?',
    'Is the secret the one that belongs to the API key?',
    'Are method, path, query and body exactly what was sent?',
  ]);
}
