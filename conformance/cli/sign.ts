import { readFile } from 'node:fs/promises';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { messageOf } from '../errors/message-of.ts';
import { coloursFor } from '../text/colours.ts';
import { type CurlBody, curlCommand } from '../text/curl.ts';
import {
  explainSignature,
  methodsWithBody,
  methodsWithoutBody,
  type RequestToSign,
  type SignatureSteps,
  timestampForm,
} from '../wire/signing/signature.ts';
import { withoutValue } from './arguments.ts';
import { explanation, type Style, section, verdict } from './sign-text.ts';

/** What the command reads and writes beside its arguments. */
export interface Surroundings {
  readonly stdout: { write(text: string): unknown; readonly isTTY?: boolean };
  readonly stderr: { write(text: string): unknown };
  readonly stdin: AsyncIterable<Uint8Array | string>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since 1970. */
  now(): number;
}

interface Options {
  query?: string;
  body?: string;
  timestamp?: string;
  target?: string;
  apiKey?: string;
  apiSecret?: string;
  check?: string;
}

/** The command was called wrongly; the message says how to call it. */
class WrongUsage extends Error {}

const methods: readonly string[] = [...methodsWithoutBody, ...methodsWithBody];

/** Stands where no target is known. Names under .example lead nowhere. */
const placeholder = 'https://target.example';

const ofThisProcess: Surroundings = {
  stdout: process.stdout,
  stderr: process.stderr,
  // Opened only when it is read.
  get stdin() {
    return process.stdin;
  },
  env: process.env,
  now: Date.now,
};

/**
 * `assay sign`: shows how a request is signed, step by step, or what is wrong with a signature.
 *
 * Sets `process.exitCode`: 0 fine, 1 the signature given with --check is wrong, 2 wrong usage. After wrong usage and
 * after --help it throws commander's `CommanderError`; its message is written by then.
 */
export function signCommand(from: Surroundings = ofThisProcess): Command {
  const command = new Command('sign')
    .helpGroup('Build against the sandbox:')
    .summary('show how a request is signed, or what is wrong with a signature')
    .description('Show every step of a request’s signature, its headers and a curl command, or check a signature.')
    .argument('<method>', methods.join(', '), methodOf)
    .argument('<path>', 'the path as it stands in the request line; a query may follow it')
    .option('--query <query>', 'the query as sent, without its question mark')
    .option('--body <file>', 'the file whose bytes are the body; - reads them from standard input')
    .option('--timestamp <ms>', 'what X-Timestamp carries; default: now', timestampOf)
    .option('--target <url>', 'scheme and host for the curl command (environment: ASSAY_TARGET)')
    .option('--api-key <key>', 'what X-Api-Key carries (environment: ASSAY_API_KEY)')
    .option(
      '--api-secret <secret>',
      'the API secret (environment: ASSAY_API_SECRET, which is better: flags show in process lists)',
    )
    .option('--check <signature>', 'say whether this signature is right and, if not, name the mistake')
    .addHelpText('after', '\nExit codes: 0 fine, 1 the signature given with --check is wrong, 2 wrong usage.')
    .configureOutput({
      writeOut: (text) => from.stdout.write(text),
      writeErr: (text) => from.stderr.write(withoutValue(text)),
    })
    .exitOverride((error) => {
      if (error.exitCode === 0) throw error;
      process.exitCode = 2;
      throw new CommanderError(2, error.code, withoutValue(error.message));
    });

  return command.action(async (method: string, target: string, options: Options) => {
    try {
      await sign(method, target, options, from);
    } catch (error) {
      if (error instanceof WrongUsage) command.error(`error: ${error.message}`);
      throw error;
    }
  });
}

async function sign(method: string, target: string, options: Options, from: Surroundings): Promise<void> {
  const secret = secretFrom(options, from);
  const apiKey = apiKeyFrom(options, from);
  const origin = originFrom(options, from);
  if (options.check !== undefined && options.timestamp === undefined) {
    throw new WrongUsage('--check needs --timestamp: the X-Timestamp that was sent with the signature');
  }
  const request = {
    timestamp: options.timestamp ?? String(from.now()),
    method,
    ...pathAndQuery(target, options.query),
    body: await bodyFrom(method, options.body, from),
  };

  const steps = explainSignature(request, secret);
  const style = styleFor(from);
  const given = options.check?.trim();
  const parts =
    given === undefined
      ? howToSend(style, request, steps, { apiKey, origin, bodyFile: options.body })
      : [verdict(style, { request, secret, steps, given }, { origin })];
  from.stdout.write(`${[explanation(style, request, steps), ...parts].join('\n\n')}\n`);
  if (given !== undefined && given !== steps.signature) process.exitCode = 1;
}

/** The headers, and a curl command that sends them. */
function howToSend(
  style: Style,
  request: RequestToSign,
  steps: SignatureSteps,
  known: { apiKey: string | undefined; origin: string | undefined; bodyFile: string | undefined },
): string[] {
  const { timestamp, method, path, query } = request;
  const hasBody = methodsWithBody.includes(method);
  const headers = Object.entries({
    ...(known.apiKey === undefined ? {} : { 'X-Api-Key': known.apiKey }),
    'X-Timestamp': timestamp,
    'X-Signature': steps.signature,
    ...(hasBody ? { 'Content-Type': 'application/json' } : {}),
  });
  const keyNote =
    known.apiKey === undefined ? ['(X-Api-Key is left out: neither --api-key nor ASSAY_API_KEY is given)'] : [];
  const urlNote = known.origin === undefined ? ` (put the address of the service in place of ${placeholder})` : '';
  const url = (known.origin ?? placeholder) + path + (query === undefined ? '' : `?${query}`);
  const body = hasBody ? curlBodyOf(known.bodyFile, request.body) : undefined;
  return [
    section(style, 'Headers', [...headers.map(([name, value]) => `${name}: ${value}`), ...keyNote]),
    `${style.heading('curl')}${urlNote}\n${curlCommand({ method, url, headers, body })}`,
  ];
}

function curlBodyOf(file: string | undefined, bytes: Uint8Array = new Uint8Array()): CurlBody {
  return file === undefined || file === '-' ? { bytes } : { file };
}

function styleFor({ stdout, env }: Surroundings): Style {
  const { bold, green, red } = coloursFor(stdout, env);
  return { heading: bold, good: green, bad: red };
}

// --- Arguments, options and environment -----------------------------------------------------------------------------

function methodOf(text: string): string {
  const method = text.toUpperCase();
  if (!methods.includes(method)) throw new InvalidArgumentError(`It is one of ${methods.join(', ')}.`);
  return method;
}

function timestampOf(text: string): string {
  if (timestampForm.test(text)) return text;
  const inSeconds = /^[0-9]{10}$/.test(text) ? ` In milliseconds these seconds are ${text}000.` : '';
  throw new InvalidArgumentError(`It is milliseconds, in 13 digits.${inSeconds}`);
}

/** The messages leave out the address, which could hold a password. */
function originFrom({ target: given }: Options, { env }: Surroundings): string | undefined {
  const target = given ?? env.ASSAY_TARGET;
  if (!target) return undefined;
  const url = URL.canParse(target) ? new URL(target) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new WrongUsage('the target is no URL such as https://sandbox.example.com');
  }
  if (url.href !== `${url.origin}/`) {
    throw new WrongUsage(
      'the target is scheme and host only; a path before /api/v1 is signed, so it belongs into PATH',
    );
  }
  return url.origin;
}

function secretFrom({ apiSecret }: Options, { env, stderr }: Surroundings): string {
  const secret = apiSecret ?? env.ASSAY_API_SECRET;
  if (!secret) {
    throw new WrongUsage(
      'an API secret is needed: set ASSAY_API_SECRET in the environment, or give --api-secret. ' +
        'The environment is better, since flags show in process lists',
    );
  }
  if (secret.trim() !== secret) {
    stderr.write('note: the API secret has white space at its start or end, and is used with it\n');
  }
  return secret;
}

function apiKeyFrom({ apiKey: given }: Options, { env }: Surroundings): string | undefined {
  const apiKey = given ?? env.ASSAY_API_KEY;
  if (!apiKey) return undefined;
  if (!/^[!-~]+$/.test(apiKey)) throw new WrongUsage('the API key is not printable ASCII, so no header can carry it');
  return apiKey;
}

function pathAndQuery(target: string, queryOption: string | undefined): { path: string; query: string | undefined } {
  if (!target.startsWith('/')) throw new WrongUsage('PATH starts with a slash; scheme and host belong into --target');
  if (queryOption?.startsWith('?')) throw new WrongUsage('--query goes without its question mark');

  const at = target.indexOf('?');
  if (at >= 0 && queryOption !== undefined) throw new WrongUsage('the query is given twice, in PATH and with --query');

  const path = at < 0 ? target : target.slice(0, at);
  const query = at < 0 ? queryOption : target.slice(at + 1);
  if (!/^[!"$-~]*$/.test(path + (query ?? ''))) {
    throw new WrongUsage('PATH and query are given as sent: percent-encoded, no space, no fragment');
  }
  return { path, query };
}

async function bodyFrom(method: string, file: string | undefined, { stdin }: Surroundings) {
  if (file === undefined) return undefined;
  if (methodsWithoutBody.includes(method)) {
    throw new WrongUsage(`the contract has no rule for a ${method} with a body: leave out --body`);
  }
  if (file === '-') {
    const chunks: Uint8Array[] = [];
    for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
    return Buffer.concat(chunks);
  }
  try {
    return await readFile(file);
  } catch (error) {
    throw new WrongUsage(`the body cannot be read: ${messageOf(error)}`);
  }
}
