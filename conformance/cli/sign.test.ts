import { execFile, spawnSync } from 'node:child_process';
import { createHash, createHmac } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { CommanderError } from 'commander';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { signatureMistakes } from '../../generated/catalogue.ts';
import { UsageError } from '../errors/usage-errors.ts';
import {
  bodyOf,
  type Vector,
  vectorNamed,
  vectors,
  type WrongVector,
  wrongVectors,
} from '../wire/signing/testing/vectors.ts';
import { signCommand } from './sign.ts';

const secret = 'test_secret_merchant_0001';
const now = 1767225600000;
const folder = mkdtempSync(join(tmpdir(), 'assay-sign-'));

afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => {
  process.exitCode = undefined;
});

interface Given {
  env?: Record<string, string>;
  stdin?: Uint8Array;
  isTTY?: boolean;
}

/** Runs the command; whatever it is asked, it never shows the secret. */
async function run(args: string[], { env = { ASSAY_API_SECRET: secret }, stdin, isTTY = false }: Given = {}) {
  let stdout = '';
  let stderr = '';
  const command = signCommand({
    stdout: { isTTY, write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
    stdin: Readable.from(stdin === undefined ? [] : [stdin]),
    env,
    now: () => now,
  });
  let thrown = '';
  try {
    await command.parseAsync(args, { from: 'user' });
  } catch (error) {
    // As the program does for each of its commands.
    if (error instanceof UsageError) {
      stderr += `assay: ${error.message}`;
      process.exitCode = 2;
    } else if (error instanceof CommanderError) thrown = error.message;
    else throw error;
  }
  const exitCode = process.exitCode ?? 0;
  process.exitCode = undefined;

  const atSecret = args.indexOf('--api-secret');
  const used = atSecret < 0 ? env.ASSAY_API_SECRET : args[atSecret + 1];
  if (used) expect(stdout + stderr + thrown).not.toContain(used);
  return { stdout, stderr, exitCode };
}

/** A vector as arguments, its body in a file. */
function argumentsOf(vector: Vector | WrongVector): string[] {
  const { method, path, query, timestamp } = vector;
  const body = bodyOf(vector);
  const file = join(folder, 'body.json');
  if (body !== undefined) writeFileSync(file, body);
  return [
    ...[method, query === null ? path : `${path}?${query}`, '--timestamp', timestamp],
    ...(body === undefined ? [] : ['--body', file]),
  ];
}

const environmentOf = ({ secret }: { secret: string }) => ({ env: { ASSAY_API_SECRET: secret } });

describe('the explanation', () => {
  test.each(['orders-create', 'refunds-query', 'orders-query'].map(vectorNamed))(
    '$id: shows each step',
    async (vector) => {
      const { stdout, stderr, exitCode } = await run(argumentsOf(vector));
      expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });

      ['timestamp', 'method', 'path', 'hash'].slice(0, vector.components.length).forEach((name, index) => {
        expect(stdout).toMatch(new RegExp(`^  ${index + 1} ${name} +`, 'm'));
        expect(stdout).toContain(` ${vector.components[index]}\n`);
      });
      expect(stdout).toContain(`\n  ${vector.components.join('␊')}\n`);
      expect(stdout).toContain(`\n${vector.signatureString}\n`);
      expect(stdout).toContain(`\n  X-Signature: ${vector.signature}\n`);
      if (vector.sha256Hex !== null) expect(stdout).toContain(`hex     ${vector.sha256Hex} `);
      if (vector.sha256Base64 !== null) expect(stdout).toContain(`Base64  ${vector.sha256Base64} `);
    },
  );

  test('shows what is hashed: the body, with what cannot be seen made visible', async () => {
    const { stdout } = await run(['POST', '/a', '--body', '-'], {
      stdin: Buffer.from('\uFEFF{"é":\t1}\r\n\u001b[31m'),
    });
    expect(stdout).toContain('body (bytes: 19)\n  of      <U+FEFF>{"é":␉1}␍␊␛[31m\n');
  });

  test('shows what is hashed: the query', async () => {
    expect((await run(['GET', '/a?b=%20'])).stdout).toContain('  of      b=%20\n');
  });

  test('shows a body that is no text in Base64', async () => {
    expect((await run(['POST', '/a', '--body', '-'], { stdin: Buffer.from([0xff]) })).stdout).toContain('/w==\n');
  });

  test('cuts a body that is long, and says by how much', async () => {
    const { stdout } = await run(['POST', '/a', '--body', '-'], { stdin: Buffer.from('é'.repeat(2500)) });
    expect(stdout).toContain(`${'é'.repeat(2000)} … (500 characters more)\n`);
  });

  test('says that the query of a POST is not signed', async () => {
    expect((await run(['POST', '/a?b=1'])).stdout).toContain('The query is not signed');
    expect((await run(['POST', '/a'])).stdout).not.toContain('The query is not signed');
  });

  test('takes the present time where none is given', async () => {
    expect((await run(['GET', '/a'])).stdout).toContain(`X-Timestamp: ${now}\n`);
  });

  test('splits a query off PATH, as if --query had given it', async () => {
    const split = await run(['GET', '/a?b=1?&c']);
    expect(split).toEqual(await run(['GET', '/a', '--query', 'b=1?&c']));
    expect(split.stdout).toContain(' /a\n');
  });
});

describe('headers', () => {
  test('X-Api-Key stands there when it is known; a flag beats the environment', async () => {
    const env = { ASSAY_API_SECRET: secret, ASSAY_API_KEY: 'key-of-the-environment' };
    expect((await run(['GET', '/a'], { env })).stdout).toContain('X-Api-Key: key-of-the-environment\n');
    const { stdout } = await run(['GET', '/a', '--api-key', 'key-of-the-flag'], { env });
    expect(stdout).toContain('X-Api-Key: key-of-the-flag\n');
    expect(stdout).not.toContain('key-of-the-environment');
    expect((await run(['GET', '/a'])).stdout).not.toContain('X-Api-Key:');
  });

  test('Content-Type stands there with a body', async () => {
    expect((await run(['POST', '/a'])).stdout).toContain('  Content-Type: application/json\n');
    expect((await run(['GET', '/a'])).stdout).not.toContain('Content-Type');
  });
});

test('a secret given as a flag beats the environment', async () => {
  const vector = vectorNamed('secret-non-ascii');
  const { stdout } = await run([...argumentsOf(vector), '--api-secret', vector.secret]);
  expect(stdout).toContain(vector.signature);
});

test('white space around a secret is used, and told', async () => {
  const { stderr, exitCode } = await run(['GET', '/a'], { env: { ASSAY_API_SECRET: `${secret}\n` } });
  expect({ stderr, exitCode }).toEqual({ stderr: expect.stringContaining('white space'), exitCode: 0 });
});

describe('the curl command', () => {
  interface Received {
    method: string | undefined;
    url: string | undefined;
    headers: IncomingMessage['headers'];
    body: Buffer;
  }
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method, url, headers } = request;
    received.push({ method, url, headers, body: Buffer.concat(chunks) });
    response.writeHead(204).end();
  });
  let target: string;

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the server has no port');
    target = `http://127.0.0.1:${address.port}`;
    if (spawnSync('curl', ['--version']).status !== 0) writeStandIn();
  });
  afterAll(() => server.close());

  /** A curl that knows what the command uses, for machines without one. */
  function writeStandIn(): void {
    const file = join(folder, 'curl');
    writeFileSync(
      file,
      `#!${process.execPath}
      const { readFileSync } = require('node:fs');
      const args = process.argv.slice(2);
      const url = args.pop();
      const headers = [];
      let method, body;
      for (let name; (name = args.shift()) !== undefined; ) {
        if (name === '--request') method = args.shift();
        else if (name === '--header') headers.push(args.shift().split(': ', 2));
        else if (name === '--data-binary') body = args.shift();
        else if (name !== '--path-as-is' && name !== '--globoff') throw new Error(name);
      }
      if (body !== undefined) body = body[0] === '@' ? readFileSync(body === '@-' ? 0 : body.slice(1)) : Buffer.from(body);
      const [, hostname, port, path] = /^http:..([^:]+):([0-9]+)(.*)$/.exec(url);
      const length = body === undefined ? [] : [['Content-Length', body.length]];
      require('node:http').request({ hostname, port, path, method, headers: Object.fromEntries([...headers, ...length]) }).end(body);
      `,
    );
    chmodSync(file, 0o755);
  }

  /** Pastes the command into a shell and returns what arrived. */
  async function sent(args: string[], given: Given = {}): Promise<Received> {
    const { stdout } = await run([...args, '--target', target], given);
    const script = join(folder, 'command.sh');
    writeFileSync(script, stdout.slice(stdout.indexOf('\ncurl\n') + '\ncurl\n'.length));
    received.length = 0;
    await promisify(execFile)('sh', [script], { cwd: folder, env: { PATH: `${process.env.PATH}:${folder}` } });
    expect(received).toHaveLength(1);
    const [request] = received;
    if (request === undefined) throw new Error('nothing arrived');
    return request;
  }

  const requests = vectors.filter(({ kind }) => kind === 'request');

  test.each(requests)('$id: sends the headers, the target and the body that are signed', async (vector) => {
    const apiKey = 'it\'s"$HOME"`';
    const request = await sent([...argumentsOf(vector), '--api-key', apiKey], environmentOf(vector));
    expect(request).toMatchObject({
      method: vector.methodSigned,
      url: vector.query === null ? vector.path : `${vector.path}?${vector.query}`,
      headers: {
        'x-api-key': apiKey,
        'x-timestamp': vector.timestamp,
        'x-signature': vector.signature,
      },
    });
    expect(request.body.equals(bodyOf(vector) ?? Buffer.alloc(0))).toBe(true);
    expect(request.headers['content-type']).toBe(vector.hashInput === 'body' ? 'application/json' : undefined);
  });

  test.each([
    ['every byte there is', Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))],
    ['what a shell or printf would change', Buffer.from('-n \'"$HOME" `id` \\101 \\n %s %% !! ~ *\\')],
    ['a name with an at sign', Buffer.from('@body.json')],
    ['line ends at the end', Buffer.from('{}\r\n\n')],
    ['digits after an escape', Buffer.from('\u00011é123')],
    ['about 200 kB', bodyOf(vectorNamed('body-large'))],
  ])('a body from standard input keeps its bytes: %s', async (_, stdin) => {
    const request = await sent(['POST', '/a', '--body', '-'], { stdin: stdin ?? Buffer.alloc(0) });
    expect(request.body.equals(stdin ?? Buffer.alloc(0))).toBe(true);
  });

  test('a body without bytes is sent as such', async () => {
    expect((await sent(['POST', '/a'])).headers).toMatchObject({ 'content-length': '0' });
  });

  test('a file is named as it was given, and quoted', async () => {
    const file = join(folder, "it's a {body}.json");
    writeFileSync(file, '{"a":1}\n');
    expect((await sent(['PUT', '/a', '--body', file])).body.toString()).toBe('{"a":1}\n');
  });

  test.each([
    '/a/../b/./c',
    '//a',
    '/a?b[0]={1,2}&c=[1-3]',
    '/!"$&\'()*+,;<=>@[\\]^_`{|}~?/!"$&\'()*+,;<=>@[\\]^_`{|}~',
  ])('the target arrives as it was given: %s', async (path) => {
    expect((await sent(['GET', path])).url).toBe(path);
  });

  test('goes to a placeholder where no target is known', async () => {
    const { stdout } = await run(['GET', '/a']);
    expect(stdout).toContain("'https://target.example/a'\n");
    expect(stdout).toContain('in place of https://target.example');
  });

  test('takes the target of the environment; a flag beats it', async () => {
    const env = { ASSAY_API_SECRET: secret, ASSAY_TARGET: 'https://sandbox.example.com/' };
    expect((await run(['GET', '/a'], { env })).stdout).toContain("'https://sandbox.example.com/a'\n");
    const { stdout } = await run(['GET', '/a', '--target', 'http://127.0.0.1:8080'], { env });
    expect(stdout).toContain("'http://127.0.0.1:8080/a'\n");
  });
});

describe('--check', () => {
  test.each(vectors)('$id: is right', async (vector) => {
    const { stdout, exitCode } = await run(
      [...argumentsOf(vector), '--check', ` ${vector.signature}\n`],
      environmentOf(vector),
    );
    expect(stdout).toMatch(/\nThe signature is right\.\n$/);
    expect(exitCode).toBe(0);
  });

  const guessed = wrongVectors.filter(({ used }) => used?.secret !== undefined || used?.timestamp !== undefined);

  test.each(wrongVectors.filter((vector) => !guessed.includes(vector)))('$id: names the mistake', async (vector) => {
    const target = vector.used?.origin === undefined ? [] : ['--target', vector.used.origin];
    const { stdout, exitCode } = await run(
      [...argumentsOf(vector), ...target, '--check', vector.wrong.signature],
      environmentOf(vector),
    );
    const mistake = signatureMistakes.find(({ code }) => code === vector.mistake);
    expect(stdout).toContain(`The signature is wrong: ${vector.mistake}\n  ${mistake?.what}\n  ${mistake?.cure}\n`);
    expect(stdout).toContain(`  given  ${vector.wrong.signature}\n  right  ${vector.right.signature}\n`);
    expect(exitCode).toBe(1);
  });

  test.each(guessed)('$id: cannot be guessed; says what was tried and where to look', async (vector) => {
    const { stdout, exitCode } = await run(
      [...argumentsOf(vector), '--check', vector.wrong.signature],
      environmentOf(vector),
    );
    expect(stdout).toContain('The signature is wrong, and no single known mistake explains it.\n');
    expect(stdout).toMatch(/^ {2}Tried: signature-hex, .*trailing-line-feed\.$/m);
    expect(stdout).toMatch(new RegExp(`^ {2}Cannot be tried: .*${vector.mistake}`, 'm'));
    expect(stdout).toMatch(/Is --timestamp the X-Timestamp that was sent/);
    expect(stdout).toMatch(/Is the secret the one/);
    expect(exitCode).toBe(1);
  });

  test.each([
    ['with a line end that the given one has not', secret, `${secret}\n`],
    ['without the line end that the given one has', `${secret}\n`, secret],
  ])('names a secret %s', async (_what, given, used) => {
    const signature = createHmac('sha256', used).update(`${now}\nGET\n/a`).digest('base64');
    const env = { ASSAY_API_SECRET: given };
    const { stdout } = await run(['GET', '/a', '--timestamp', `${now}`, '--check', signature], { env });
    expect(stdout).toContain('The signature is wrong: secret-white-space\n');
  });

  test('a full URL counts as tried once the target is known', async () => {
    const args = ['GET', '/a', '--timestamp', `${now}`, '--check', 'x'];
    expect((await run(args)).stdout).toMatch(/Cannot be tried: .*path-full-url \(give --target to try it\)\.$/m);
    expect((await run([...args, '--target', 'https://a.example'])).stdout).toMatch(/ Tried: .*path-full-url/);
  });
});

describe('--webhook', () => {
  const body = Buffer.from('{"eventId":"evt.1"}');
  const hash = createHash('sha256').update(body).digest('base64');
  const hmac = (text: string) => createHmac('sha256', secret).update(text).digest('base64');
  const ofRequest = hmac([now, 'POST', '/hooks', hash].join('\n'));
  const ofWebhook = hmac(['webhook', now, 'POST', '/hooks', hash].join('\n'));
  const check = (signature: string, ...flags: string[]) =>
    run(['POST', '/hooks', '--body', '-', '--timestamp', `${now}`, '--check', signature, ...flags], { stdin: body });

  test('shows the signature with its first line, and no API key', async () => {
    const { stdout } = await run(['POST', '/hooks', '--body', '-', '--api-key', 'ak-1', '--webhook'], { stdin: body });
    expect(stdout).toContain(`\n  webhook␊${now}␊POST␊/hooks␊${hash}\n`);
    expect(stdout).toMatch(new RegExp(`^ {2}1 line +webhook\n {2}2 timestamp +${now}$`, 'm'));
    expect(stdout).toContain(`\n  X-Signature: ${ofWebhook}\n`);
    expect(stdout).not.toMatch(/api-key/i);
  });

  test.each([ofWebhook, `${'A'.repeat(43)}= ${ofWebhook}`])('takes %s for right', async (signature) => {
    expect(await check(signature, '--webhook')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/is right\.\n$/),
    });
  });

  test.each([
    ['the signature of a request', [ofRequest, '--webhook'], /wrong\.\n {2}It lacks the first line, `webhook`/],
    ['the signature of a webhook for a request', [ofWebhook], /wrong\.\n {2}It has `webhook` .* --webhook/],
    ['hexadecimal', [Buffer.from(ofWebhook, 'base64').toString('hex'), '--webhook'], /wrong: signature-hex/],
  ] as const)('refuses %s, and says what it is', async (_what, [signature, ...flags], verdict) => {
    const { stdout, exitCode } = await check(signature, ...flags);
    expect(stdout).toMatch(verdict);
    expect(exitCode).toBe(1);
  });
});

describe('wrong usage exits 2 and prints nothing on standard output', () => {
  const check = ['--check', 'HAs9u5gwpySeLlfzjgOXPTSU2EZLFD36WxvVPoFAmg4='];
  test.each<[string, string[], RegExp, Record<string, string>?]>([
    ['a webhook by GET', ['GET', '/a', '--webhook'], /--webhook goes with POST/],
    ['no path', ['GET'], /missing required argument 'path'/],
    ['one argument too many', ['GET', '/a', '/b'], /too many arguments/],
    ['an unknown option', ['GET', '/a', '--url', 'x'], /unknown option '--url'/],
    ['an unknown method', ['HEAD', '/a'], /GET, DELETE, POST, PUT, PATCH/],
    ['a path without its slash', ['GET', 'api/v1'], /PATH starts with a slash/],
    ['a whole URL as path', ['GET', 'https://a.example/b'], /belong into --target/],
    ['a path with a space', ['GET', '/a b'], /percent-encoded/],
    ['a path beyond ASCII', ['GET', '/é'], /percent-encoded/],
    ['a query beyond ASCII', ['GET', '/a', '--query', 'b=é'], /percent-encoded/],
    ['a fragment', ['GET', '/a#b'], /fragment/],
    ['the query twice', ['GET', '/a?b=1', '--query', 'b=1'], /given twice/],
    ['a query with its question mark', ['GET', '/a', '--query', '?b=1'], /without its question mark/],
    ['a GET with a body', ['GET', '/a', '--body', '-'], /GET with a body/],
    ['a body that cannot be read', ['POST', '/a', '--body', join(folder, 'none.json')], /none\.json/],
    ['a timestamp in seconds', ['GET', '/a', '--timestamp', '1767225600'], /these seconds are 1767225600000/],
    ['a timestamp that is a date', ['GET', '/a', '--timestamp', '2026-01-01'], /milliseconds, in 13 digits/],
    ['--check without --timestamp', ['GET', '/a', ...check], /--check needs --timestamp/],
    ['a target that is no URL', ['GET', '/a', '--target', 'sandbox'], /target must be a URL/],
    ['a target of another scheme', ['GET', '/a', '--target', 'ftp://a.example'], /target must be a URL/],
    ['a target with a path', ['GET', '/a', '--target', 'https://a.example/pay'], /belongs into PATH/],
    ['no secret', ['GET', '/a'], /set ASSAY_API_SECRET in the environment, or give --api-secret\b.*process lists/, {}],
    ['an empty secret', ['GET', '/a', '--api-secret', ''], /ASSAY_API_SECRET/],
    ['a key that no header can carry', ['GET', '/a', '--api-key', 'a\nb'], /must be printable ASCII/],
  ])('%s', async (_, args, message, env = { ASSAY_API_SECRET: secret }) => {
    const { stdout, stderr, exitCode } = await run(args, { env });
    expect(stderr).toMatch(/^(error|assay): /);
    expect(stderr).toMatch(message);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
  });

  test('a misspelt flag does not show the secret behind it', async () => {
    const { stderr, exitCode } = await run(['GET', '/a', `--api-secrett=${secret}`]);
    expect(stderr).toMatch(/unknown option '--api-secrett'/);
    expect(exitCode).toBe(2);
  });

  test('an address with a password is not shown', async () => {
    const { stderr } = await run(['GET', '/a', '--target', 'https://user:pass-word@a.example']);
    expect(stderr).not.toContain('pass-word');
  });
});

test('--help prints the usage and is no error', async () => {
  const { stdout, exitCode } = await run(['--help']);
  expect(stdout).toMatch(/^Usage: sign /);
  expect(exitCode).toBe(0);
});

describe('colour', () => {
  const colour = '\u001b[';
  const env = { ASSAY_API_SECRET: secret };

  test.each([
    ['on a terminal', { env, isTTY: true }, true],
    ['not on a terminal', { env, isTTY: false }, false],
    ['not where NO_COLOR is set', { env: { ...env, NO_COLOR: '1' }, isTTY: true }, false],
    ['not on a terminal that has none', { env: { ...env, TERM: 'dumb' }, isTTY: true }, false],
  ])('%s', async (_, given, coloured) => {
    expect((await run(['GET', '/a'], given)).stdout.includes(colour)).toBe(coloured);
  });
});
