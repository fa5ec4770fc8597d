import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import { listen, startForwardProxy } from '../tests/support/loopback.ts';
import { merchantEnvironment, startTarget } from '../tests/support/target.ts';
import { assayHere } from './testing/assay-here.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-canaries-'));
const opened: { close(): Promise<unknown> }[] = [];
afterAll(async () => {
  await Promise.all(opened.map((each) => each.close()));
  rmSync(folder, { recursive: true });
});

/** Secrets that nothing may show, each recognisable in any part of six characters. */
const canaries = {
  defaultKey: 'ak-CanaryOne-7f3a9d',
  defaultSecret: 'sk-CanaryTwo/81+c2=e4?',
  otherKey: 'ak-CanaryThree-55d0b1',
  otherSecret: 'sk-CanaryFour-"quoted"-09fe',
  control: 'CanaryFive-token-3c4d5e',
  proxy: 'CanarySix-proxy-a1b2c3',
};

const formats = ['json', 'junit', 'html', 'markdown', 'history'] as const;
const at = (name: string) => join(folder, name);

/** A secret in every way in which it could have been written down. */
function disguises(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString('hex');
  const escaped = JSON.stringify(secret).slice(1, -1);
  const unicode = [...secret].map((each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
  const percent = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  const slashes = escaped.replaceAll('/', '\\/').replaceAll('+', '\\u002B');
  return [
    ...[
      secret,
      escaped,
      slashes,
      unicode,
      unicode.toUpperCase().replaceAll('\\U', '\\u'),
      JSON.stringify(unicode).slice(1, -1),
    ],
    ...[encodeURIComponent(secret), percent, percent.toUpperCase(), encodeURIComponent(encodeURIComponent(secret))],
    ...[bytes.toString('base64'), bytes.toString('base64url'), Buffer.from(unicode).toString('base64')],
    ...[hex, hex.toUpperCase()],
  ];
}

/** What gives it away: the same, and its Base64 behind anything, without what its neighbours have a part in. */
function traces(secret: string): string[] {
  const base64 = ['', '-', '--'].map((before) =>
    Buffer.from(before + secret)
      .toString('base64')
      .slice(4, -4),
  );
  return [...disguises(secret), ...base64];
}

/** Runs assay with every secret planted that it can be told, and gives everything that it wrote anywhere. */
async function written(
  { target, control }: { target: string; control?: { url: string; token: string } },
  secrets: readonly string[],
  flags: readonly string[] = [],
  environment: Record<string, string> = {},
): Promise<{ code: number | null; texts: Map<string, string> }> {
  for (const format of formats) rmSync(at(`report.${format}`), { force: true });
  const merchant = (merchantId: string, apiKey: string, apiSecret: string) => ({ merchantId, apiKey, apiSecret });
  const configuration = {
    target,
    ...(control && { control: { url: control.url, token: '${CONTROL}' } }),
    merchants: {
      default: merchant('M-1', canaries.defaultKey, canaries.defaultSecret),
      other: merchant('M-2', canaries.otherKey, canaries.otherSecret),
    },
    timing: { settleMs: 50, webhookMs: 50 },
  };
  writeFileSync(at('assay.yaml'), JSON.stringify(configuration));
  const reports = formats.flatMap((format) => ['--report', `${format}=${at(`report.${format}`)}`]);
  const { code, stdout, stderr } = await assayHere(
    ['run', ...reports, ...flags],
    { CONTROL: control?.token ?? '', ...environment },
    folder,
  );
  const texts = new Map([
    ['stdout', stdout],
    ['stderr', stderr],
  ]);
  for (const format of formats) {
    const text = readIfThere(at(`report.${format}`));
    if (text !== undefined) texts.set(format, text);
  }
  expectNone(texts, secrets);
  return { code, texts };
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function expectNone(texts: ReadonlyMap<string, string>, secrets: readonly string[]): void {
  for (const [where, text] of texts) {
    // Of markup, what a reader sees counts.
    const plain = text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');
    const found = secrets.filter((secret) =>
      traces(secret).some((form) => text.includes(form) || plain.includes(form)),
    );
    expect({ where, found }).toEqual({ where, found: [] });
  }
}

const all = Object.values(canaries);
const few = [
  'orders.query.by-*',
  'orders.query.unknown',
  'auth.orders.create.signed',
  'auth.orders.create.another-*',
].flatMap((glob) => ['--check', glob]);

describe('no secret is shown', () => {
  it('by a good run', async () => {
    const server = await startTarget(undefined, { controlToken: canaries.control });
    opened.push(server);
    const merchant = await server.newMerchant();
    const { apiKey, apiSecret } = merchant;
    const credentials = merchantEnvironment(merchant);
    const secrets = [...all, apiKey, apiSecret];
    const told = { target: server.url, control: { url: server.control, token: canaries.control } };
    const { code, texts } = await written(told, secrets, [...few, '--report', 'json=-'], credentials);
    expect(code, texts.get('stderr')).toBe(0);
    expect([...texts.keys()]).toEqual(['stdout', 'stderr', ...formats]);
    // What was asked for on stdout is a report too.
    expect(JSON.parse(texts.get('stdout') ?? '')).toMatchObject({ outcome: 'incomplete' });
  });

  it('by a run against a target that sends back all that it gets, and all that it knows, in every disguise', async () => {
    let calls = 0;
    const echo = createServer(async (request, response) => {
      calls += 1;
      // The run breaks off a request whose answer it does not wait for any more.
      const body = await text(request).catch(() => undefined);
      if (body === undefined) return;
      const got = JSON.stringify({ url: request.url, headers: request.headers, body });
      const told = [got, ...all.flatMap(disguises)];
      // Behind texts of every length: wherever what is shown is cut, a secret stands there.
      const message = `${'.'.repeat((calls * 7) % 120)}${told.join(' ')} \u001b[2J`;
      response.setHeader('x-echo', Buffer.from(got).toString('base64'));
      response.setHeader('content-type', 'application/json');
      const disguised = [Buffer.from(message).toString('base64'), Buffer.from(message).toString('hex')];
      response.end(
        JSON.stringify({
          code: '00000',
          message,
          data: { status: message, [message]: disguised, url: encodeURI(message) },
        }),
      );
    });
    const server = await listen(echo);
    const proxy = await startForwardProxy();
    opened.push(server, proxy);
    const { code, texts } = await written(
      { target: `http://echo.example:${server.port}` },
      all.filter((secret) => secret !== canaries.control),
      few,
      { HTTP_PROXY: `http://user:${canaries.proxy}@127.0.0.1:${proxy.port}`, NO_PROXY: '' },
    );
    expect(code, texts.get('stderr')).toBe(1);
    expect(proxy.asked[0]?.authorization).toBe(`Basic ${Buffer.from(`user:${canaries.proxy}`).toString('base64')}`);
    // The echo did come through.
    for (const format of formats) expect(texts.get(format)).toContain('[redacted]');
    for (const [where, text] of texts) expect(text, where).not.toContain('\u001b[2J');
  });

  it('by what a run shows of a control API that makes merchants in a form of its own', async () => {
    const given = 'sk-CanarySeven-nobody-knows-me';
    const server = await listen(
      createServer((request, response) => {
        const isMerchant = request.method === 'POST';
        response.setHeader('content-type', 'application/json').setHeader('x-given', isMerchant ? given : 'nothing');
        response.end(JSON.stringify(isMerchant ? { merchant: { key: given } } : { capabilities: ['merchants'] }));
      }),
    );
    opened.push(server);
    const target = `http://127.0.0.1:${server.port}`;
    const { texts } = await written(
      { target, control: { url: `${target}/sandbox/v1`, token: canaries.control } },
      [...all, given],
      ['--check', 'orders.state.closed-is-final'],
    );
    expect([...texts.keys()]).toContain('history');
  });

  it('though a token that is a word of the address leaves addresses alone', async () => {
    const server = await listen(createServer((_request, response) => response.end('{"capabilities":[]}')));
    opened.push(server);
    const target = `http://127.0.0.1:${server.port}/sandbox`;
    const { texts } = await written({ target, control: { url: `${target}/v1`, token: 'sandbox' } }, [], few);
    expect(texts.get('stderr')).toContain(`against ${target}`);
    const report = JSON.parse(texts.get('json') ?? '');
    expect(report.checks[0].exchanges[0].request.url).toContain(`${target}/api/v1/merchants/M-1`);
    const { code } = await assayHere(['judge', at('report.history')], {}, folder);
    expect([0, 1, 3]).toContain(code);
  });

  it('by what stands of the command line of a driver', async () => {
    const driver = `command:TOKEN='${canaries.control}' node -e 'process.exit(3)' '${canaries.proxy}'`;
    const { code, texts } = await written({ target: 'http://127.0.0.1:9' }, all, ['--driver', driver]);
    expect(code, texts.get('stderr')).toBe(3);
  });

  it('where the target cannot be reached', async () => {
    const proxy = await startForwardProxy(407);
    opened.push(proxy);
    const environment = {
      HTTP_PROXY: `http://user:${canaries.proxy}@127.0.0.1:${proxy.port}`,
      HTTPS_PROXY: `http://user:${canaries.proxy}@127.0.0.1:${proxy.port}`,
      NO_PROXY: '',
    };
    const control = { url: 'https://nowhere.example/control', token: canaries.control };
    const proxied = await written({ target: 'https://nowhere.example', control }, all, [], environment);
    expect(proxied.code).toBe(3);
    const closed = await written(
      { target: 'http://127.0.0.1:9', control: { ...control, url: 'http://127.0.0.1:9' } },
      all,
    );
    expect(closed.code).toBe(3);
    expect(closed.texts.get('stderr')).toContain('ECONNREFUSED');
  });

  it.each([
    ['an unknown key', `{ merchants: { default: { merchantId: M, apiKey: k, apiSecert: ${canaries.otherKey} } } }`],
    ['a secret where a map belongs', `{ control: ${canaries.control} }`],
    ['a secret where a number belongs', `{ timing: { settleMs: ${canaries.control} } }`],
    ['an address with a password', `{ target: "https://user:${canaries.proxy}@a.example" }`],
    ['a tag', `control: { token: !secret ${canaries.control} }`],
    ['a tag of YAML', `control: { token: !!binary ${canaries.control} }`],
    ['an alias to nothing', `control: { token: *${canaries.control} }`],
    ['aliases without end', `a: &a [${canaries.control}]\nb: &b [*a, *a]\nc: [*b, *b]`],
    ['a map as a key', `{ ? { token: ${canaries.control} } : 1 }`],
    ['a value as a key', `control: { ${canaries.control}: 1 }`],
    ['nesting without end', `control: ${'['.repeat(50_000)}${canaries.control}`],
    ['an address that is none', `target: "http://[${canaries.control}"`],
    ['broken YAML', `control: { token: ${canaries.control}\n  url: [`],
  ])('by what is said of a configuration with %s', async (_what, text) => {
    writeFileSync(at('bad.yaml'), text);
    const { code, stdout, stderr } = await assayHere(['run', '--config', at('bad.yaml')], {}, folder);
    expect(code, stderr).toBe(2);
    expectNone(
      new Map([
        ['stdout', stdout],
        ['stderr', stderr],
      ]),
      all,
    );
  });

  it.each([
    ['a misspelt flag', ['--control-tokn', canaries.control]],
    ['a misspelt flag with its value', [`--api-secrt=${canaries.defaultSecret}`]],
    ['an address with a password', ['--target', `https://user:${canaries.proxy}@a.example`]],
    ['half of the credentials', ['--target', 'http://127.0.0.1:9', '--api-secret', canaries.defaultSecret]],
  ])('by what is said of %s', async (_what, flags) => {
    const { code, stdout, stderr } = await assayHere(['run', '--config', '/dev/null', ...flags]);
    expect(code, stderr).toBe(2);
    expectNone(
      new Map([
        ['stdout', stdout],
        ['stderr', stderr],
      ]),
      all,
    );
  });

  it('by what is said of a proxy that is none', async () => {
    const environment = { HTTPS_PROXY: `ftp://user:${canaries.proxy}@proxy.example`, NO_PROXY: '' };
    const { code, texts } = await written({ target: 'https://a.example' }, all, [], environment);
    expect(code).toBe(2);
    expect(texts.get('stderr')).toContain('proxy');
  });
});
