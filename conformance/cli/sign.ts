import { Command, CommanderError } from 'commander';
import { UsageError } from '../errors/usage-errors.ts';
import { coloursFor } from '../text/colours.ts';
import { type CurlBody, curlCommand } from '../text/curl.ts';
import {
  explainSignature,
  methodsWithBody,
  type RequestToSign,
  type SignatureSteps,
} from '../wire/signing/signature.ts';
import { withoutValue } from './arguments.ts';
import {
  apiKeyFrom,
  bodyFrom,
  methodOf,
  methods,
  type Options,
  originFrom,
  pathAndQuery,
  type Surroundings,
  secretFrom,
  timestampOf,
} from './sign-input.ts';
import { explanation, rightVerdict, type Style, section, wrongVerdict } from './sign-text.ts';

/** The origin in the curl command when no target is given. Names under .example lead nowhere. */
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
 * `assay sign`: shows each step of a request's signature, or names the mistake in a wrong signature.
 *
 * Sets `process.exitCode`: 0 success, 1 the signature given with --check is wrong, 2 wrong usage. After wrong usage and
 * after --help it throws commander's `CommanderError`, whose message has been printed already.
 */
export function signCommand(from: Surroundings = ofThisProcess): Command {
  const command = new Command('sign')
    .description(
      'Show every step of a request’s or a webhook’s signature, its headers and a curl command, or check a signature.',
    )
    .argument('<method>', methods.join(', '), methodOf)
    .argument('<path>', 'the path of the request line; a query may follow it')
    .option('--query <query>', 'the query as sent, without its question mark')
    .option('--body <file>', 'the file with the body; - reads standard input')
    .option('--timestamp <milliseconds>', 'the value of X-Timestamp; default: now', timestampOf)
    .option('--target <url>', 'scheme and host for the curl command (environment: ASSAY_TARGET)')
    .option('--api-key <key>', 'the value of X-Api-Key (environment: ASSAY_API_KEY)')
    .option(
      '--api-secret <secret>',
      'the API secret (environment: ASSAY_API_SECRET, which is better: flags show in process lists)',
    )
    .option('--check <signature>', 'say whether this signature is right and, if not, name the mistake')
    .option(
      '--webhook',
      'the signature of a webhook, whose string begins with the line "webhook"; PATH is that of the callback address',
    )
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
    await sign(method, target, options, from);
  });
}

async function sign(method: string, target: string, options: Options, from: Surroundings): Promise<void> {
  const secret = secretFrom(options, from);
  const apiKey = apiKeyFrom(options, from);
  const origin = originFrom(options, from);
  if (options.check !== undefined && options.timestamp === undefined) {
    throw new UsageError('--check needs --timestamp: the X-Timestamp that was sent with the signature');
  }
  const request = {
    timestamp: options.timestamp ?? String(from.now()),
    method,
    ...pathAndQuery(target, options.query),
    body: await bodyFrom(method, options.body, from),
  };
  const isWebhook = options.webhook === true;
  if (isWebhook && method !== 'POST') throw new UsageError('--webhook goes with POST, the method of every webhook');

  const signed = isWebhook ? asWebhook(request) : request;
  const steps = explainSignature(signed, secret);
  const style = styleFor(from);
  const given = options.check?.trim();
  // There are several signatures, separated by spaces, while keys overlap.
  const isRight = given?.split(/ +/).includes(steps.signature) === true;
  const parts =
    given === undefined
      ? howToSend(style, request, steps, { apiKey, origin, bodyFile: options.body, isWebhook })
      : [
          isRight
            ? rightVerdict(style)
            : wrongVerdict(style, { request: signed, secret, steps, given }, { origin, apiKey }, hint(given)),
        ];
  from.stdout.write(`${[explanation(style, signed, steps, isWebhook), ...parts].join('\n\n')}\n`);
  if (given !== undefined && !isRight) process.exitCode = 1;

  /** A signature of the other kind, of a request where a webhook was meant or the other way round. */
  function hint(signature: string): string | undefined {
    const other = explainSignature(isWebhook ? request : asWebhook(request), secret).signature;
    if (!signature.split(/ +/).includes(other)) return undefined;
    return isWebhook
      ? 'It lacks the first line, `webhook`: it is the signature of a request.'
      : 'It has `webhook` as its first line: it is the signature of a webhook. Check it with --webhook.';
  }
}

/** The request with the first line of a webhook's signature string before its first component. */
function asWebhook(request: RequestToSign): RequestToSign {
  return { ...request, timestamp: `webhook\n${request.timestamp}` };
}

/** The headers of the request, and a curl command that sends it. */
function howToSend(
  style: Style,
  request: RequestToSign,
  steps: SignatureSteps,
  known: { apiKey: string | undefined; origin: string | undefined; bodyFile: string | undefined; isWebhook: boolean },
): string[] {
  const { timestamp, method, path, query } = request;
  const hasBody = methodsWithBody.includes(method);
  const headers = Object.entries({
    ...(known.apiKey === undefined || known.isWebhook ? {} : { 'X-Api-Key': known.apiKey }),
    'X-Timestamp': timestamp,
    'X-Signature': steps.signature,
    ...(hasBody ? { 'Content-Type': 'application/json' } : {}),
  });
  const keyNote =
    known.apiKey === undefined && !known.isWebhook
      ? ['(X-Api-Key is left out: neither --api-key nor ASSAY_API_KEY is given)']
      : [];
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
