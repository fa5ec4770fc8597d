import { hostileSegments } from '../values/hostile.ts';
import { signatureOf } from '../wire/signing/signature.ts';
import { changedBytes, fuzzBody } from './bodies.ts';
import { type Dice, diceOf } from './dice.ts';
import { type Intent, intentOf } from './intents.ts';
import { bytesOf, type FuzzRequest } from './request.ts';
import type { FuzzWorld } from './world.ts';

/** What may be changed of a request. */
type Change = 'body' | 'target' | 'header' | 'signature' | 'raw' | 'sending';

/** How often each is changed, with a body and without. */
const shares: Readonly<Record<'withBody' | 'without', readonly (readonly [Change, number])[]>> = {
  withBody: [
    ['body', 60],
    ['target', 8],
    ['header', 14],
    ['signature', 10],
    ['raw', 4],
    ['sending', 4],
  ],
  without: [
    ['body', 4],
    ['target', 50],
    ['header', 22],
    ['signature', 14],
    ['raw', 5],
    ['sending', 5],
  ],
};

/** Headers that a server must take or refuse, whatever they hold. */
const oddHeaders: readonly (readonly [name: string, value: string])[] = [
  ['Content-Type', ''],
  ['Content-Type', ';;;'],
  ['Content-Type', 'text/plain'],
  ['Content-Type', 'application/json; charset=utf-16'],
  ['Content-Type', 'multipart/form-data; boundary=a'],
  ['Content-Encoding', 'gzip'],
  ['Content-Encoding', 'br, gzip'],
  ['X-Api-Key', ''],
  ['X-Api-Key', '__proto__'],
  ['X-Api-Key', "' or 1=1 --"],
  ['X-Api-Key', 'k'.repeat(9_000)],
  ['X-Timestamp', ''],
  ['X-Timestamp', '-1'],
  ['X-Timestamp', '1e12'],
  ['X-Timestamp', '9'.repeat(400)],
  ['X-Timestamp', 'NaN'],
  ['X-Signature', ''],
  ['X-Signature', '===='],
  ['X-Signature', '\u00ff\u0080'],
  ['X-Signature', 'A'.repeat(9_000)],
  ['Authorization', ''],
  ['Authorization', 'Bearer '],
  ['Authorization', 'Basic Og=='],
  ['Authorization', `Bearer ${'a'.repeat(9_000)}`],
  ['Accept', 'text/html'],
  ['Accept', '\u00e9;q=2'],
  ['Origin', 'https://evil.example'],
  ['Origin', 'null'],
  ['Cookie', `a=${'b'.repeat(4_000)}`],
  ['X-Http-Method-Override', 'DELETE'],
  ['X-Forwarded-For', '127.0.0.1'],
  ['Range', 'bytes=0-1'],
  ['If-None-Match', '*'],
  ['__proto__', 'a'],
  ['Host', 'evil.example'],
  ['Host', '[::1'],
  ['Host', ''],
  ['Connection', 'close'],
  ['Expect', '100-continue'],
  ['Expect', 'tea'],
  ['Upgrade', 'websocket'],
  ['Transfer-Encoding', 'chunked'],
  ['Transfer-Encoding', 'gzip, chunked'],
  ['Content-Length', '0'],
  ['Content-Length', '7'],
  ['Content-Length', '99999999'],
  ['Content-Length', '-1'],
  ['X-Long', 'x'.repeat(20_000)],
];

/** Headers that decide where a request ends or whether its connection lasts. */
const ofConnection = /^(host|connection|expect|upgrade|transfer-encoding|content-length|x-long)$/i;

/** Headers by which a request is authenticated. */
const ofAuthentication = /^(x-timestamp|x-signature|authorization)$/i;

/** The request with this number of the list, made from the seed and the number alone, but for ids of the server and the time. */
export function requestOf(number: number, world: FuzzWorld): FuzzRequest {
  const dice = diceOf(`${world.seed} request ${number}`);
  const { intent, isStep } = intentOf(number, world, dice);
  const changes = new Set<Change>();
  if (dice.chance(isStep ? 0.15 : 0.85)) changes.add(chosen(intent, dice));
  if (changes.size > 0 && dice.chance(0.1)) changes.add(chosen(intent, dice));
  const notes: string[] = [];

  const fuzzed = changes.has('body') ? fuzzBody(intent.body ?? {}, intent.values, dice) : undefined;
  const body = fuzzed?.bytes ?? Buffer.from(intent.body ? JSON.stringify(intent.body) : '');
  const isForbidden = fuzzed?.isForbidden === true && changes.size === 1;
  if (fuzzed) notes.push(...fuzzed.changes);
  let { method } = intent;
  let target = intent.query === undefined ? intent.path : `${intent.path}?${intent.query}`;
  if (changes.has('target')) {
    ({ method, target } = changedTarget(method, target, dice));
    notes.push('target');
  }
  const wrong = changes.has('signature') ? dice.pick(['secret', 'timestamp', 'byte', 'absent'] as const) : undefined;
  const authentication = authenticated(intent, { method, target, body, wrong }, world);
  if (wrong) notes.push(`wrong signature or token: ${wrong}`);
  const headers: FuzzRequest['headers'] = [['Host', world.host], ...authentication];
  if (body.length > 0 || method !== 'GET')
    headers.push(['Content-Type', 'application/json'], ['Content-Length', String(body.length)]);

  const request: FuzzRequest = {
    ...{ number, what: '', method, target, headers, body },
    sending: changes.has('sending') ? dice.pick(['alone', 'alone', 'cut']) : 'kept',
    isOddHead: false,
    mustBeRefused: isForbidden || wrong !== undefined,
  };
  if (changes.has('header')) {
    const [name, value] = dice.pick(oddHeaders);
    const others = dice.chance(0.2) ? headers : headers.filter((each) => each[0].toLowerCase() !== name.toLowerCase());
    request.headers = dice.chance(0.5) ? [...others, [name, value]] : [[name, value], ...others];
    request.isOddHead = true;
    if (ofConnection.test(name)) request.sending = 'alone';
    if (ofAuthentication.test(name)) request.mustBeRefused = false;
    notes.push(`${name}: ${value.slice(0, 30)}`);
  }
  if (/[^\x21-\x7e]/.test(target)) Object.assign(request, { sending: 'alone', isOddHead: true });
  if (changes.has('raw')) {
    const whole = bytesOf(request);
    Object.assign(request, { raw: changedBytes(whole, dice), sending: 'alone', isOddHead: true, mustBeRefused: false });
    notes.push('bytes of the whole request');
  }
  return { ...request, what: [intent.what, ...notes].join('; ') };
}

function chosen({ body }: Intent, dice: Dice): Change {
  let left = dice.below(100);
  for (const [change, share] of body ? shares.withBody : shares.without) {
    if (left < share) return change;
    left -= share;
  }
  return 'header';
}

/** The headers that authenticate a request, rightly or in one of the wrong ways. */
function authenticated(
  { as }: Intent,
  request: {
    method: string;
    target: string;
    body: Buffer;
    wrong: 'secret' | 'timestamp' | 'byte' | 'absent' | undefined;
  },
  world: FuzzWorld,
): FuzzRequest['headers'] {
  const { method, target, body, wrong } = request;
  if (as === 'control') {
    if (wrong === 'absent') return [];
    return [['Authorization', `Bearer ${wrong ? 'a wrong token of the control API' : world.controlToken}`]];
  }
  if (wrong === 'absent')
    return [
      ['X-Api-Key', as.apiKey],
      ['X-Timestamp', String(Date.now())],
    ];
  const timestamp = String(Date.now() - (wrong === 'timestamp' ? 600_000 : 0));
  const mark = target.indexOf('?');
  const [path, query] = mark < 0 ? [target] : [target.slice(0, mark), target.slice(mark + 1)];
  const secret = wrong === 'secret' ? `${as.apiSecret}x` : as.apiSecret;
  const right = signatureOf({ timestamp, method, path, query, body }, secret);
  const signature = wrong === 'byte' ? `${right.startsWith('A') ? 'B' : 'A'}${right.slice(1)}` : right;
  return [
    ['X-Api-Key', as.apiKey],
    ['X-Timestamp', timestamp],
    ['X-Signature', signature],
  ];
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'PROPFIND', 'TRACE'];

const queries = [
  '',
  '&&&',
  '=',
  '__proto__=1',
  '__proto__[a]=b',
  'constructor[prototype][a]=1',
  `${'a&'.repeat(2_000)}`,
  `${'a[b]'.repeat(1_000)}=1`,
  ...['refundOrderId', 'merchantRefundOrderId', 'acquiringOrderId'].flatMap((name) =>
    ['', '=', '=%', '=%00', '=%ff', '=%ED%A0%80', '[]=a', '[a]=b', `=a&${name}=b`, `=${'a'.repeat(9_000)}`, "='--"].map(
      (end) => `${name}${end}`,
    ),
  ),
];

/** Another method, or another path or query. */
function changedTarget(method: string, target: string, dice: Dice): { method: string; target: string } {
  const [path = '', query] = target.split('?', 2);
  const withPath = (changed: string) => ({ method, target: query === undefined ? changed : `${changed}?${query}` });
  const segments = path.split('/');
  const kind = dice.below(100);
  if (kind < 12) return { method: dice.pick(methods), target };
  if (kind < 45)
    return withPath(segments.with(1 + dice.below(segments.length - 1), dice.pick(hostileSegments)).join('/'));
  if (kind < 75) return { method, target: `${path}?${dice.pick(queries)}` };
  if (kind < 85) {
    const at = 1 + dice.below(segments.length);
    return withPath(
      segments.toSpliced(at, dice.below(2), dice.pick(['', '.', '..', '%2e', ';', 'a', '{id}', '*', '%'])).join('/'),
    );
  }
  if (kind < 92) return withPath(path + dice.pick(['/', '//', '.json', '%20', '#a', ';a=b', '\\']));
  return withPath(
    changedBytes(Buffer.from(path), dice)
      .toString('latin1')
      .replace(/[\r\n]/g, ''),
  );
}
