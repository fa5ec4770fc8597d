import { quotedWord, shellWord } from './shell-word.ts';

/** The body of a curl command: a file, or bytes in the command itself. */
export type CurlBody = { readonly file: string } | { readonly bytes: Uint8Array };

/** A request for `curlCommand`. */
export interface CurlRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** `undefined`: the request has no body. */
  readonly body: CurlBody | undefined;
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '%': '%%', '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const octal = (byte: string): string => `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`;

/**
 * Bytes as the quoted format of `printf`. Every byte that a terminal, an editor or a shell could change is written as an
 * escape. A hyphen at the start is an escape too, because `printf` would read it as an option.
 */
function printfFormat(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString('latin1');
  return `'${text.replace(/[^ -~]|[\\%']|^-/g, (byte) => escapes[byte] ?? octal(byte))}'`;
}

/** The part of the command before curl, and curl's options for the body. */
function bodyWords(body: CurlBody | undefined): { before: string; words: string[] } {
  if (body === undefined) return { before: '', words: [] };
  if ('file' in body) return { before: '', words: [`--data-binary ${quotedWord(`@${body.file}`)}`] };
  if (body.bytes.length === 0) return { before: '', words: ["--data-binary ''"] };
  return { before: `printf ${printfFormat(body.bytes)} | `, words: ['--data-binary @-'] };
}

/**
 * A command for a POSIX shell that sends exactly this request, with dot segments of the path, brackets of the query and every
 * byte of the body unchanged.
 */
export function curlCommand({ method, url, headers, body }: CurlRequest): string {
  const { before, words } = bodyWords(body);
  const lines = [
    `${before}curl --path-as-is --globoff --request ${shellWord(method)}`,
    ...headers.map(([name, value]) => `--header ${quotedWord(`${name}: ${value}`)}`),
    ...words,
    quotedWord(url),
  ];
  return lines.join(' \\\n  ');
}
