import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { attackReceiver, endlessly } from './hostile-webhooks.ts';

/** A target that answers every request but the first in a hostile way. The first one shows a run that the target is there. */
export interface HostileTarget {
  name: string;
  /** Answers one connection. It is called once the head of a request has come; `request` is what has come of it. */
  answer(socket: Socket, request: string): void;
  /** What the reason of a check without a verdict says. */
  reason?: RegExp;
}

const mebibyte = 1024 * 1024;
const head = (fields: string) => `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n${fields}\r\n\r\n`;
const envelope = (data: string) => `{"code":"00000","message":"","data":${data}}`;

/** Writes a piece every few milliseconds. */
function slowly(socket: Socket, begin: string, piece: string): void {
  socket.write(begin);
  const timer = setInterval(() => socket.write(piece), 20);
  socket.on('close', () => clearInterval(timer));
}

const whole =
  (body: string | Buffer, fields = '') =>
  (socket: Socket) => {
    socket.write(head(`Content-Length: ${Buffer.byteLength(body)}${fields}`));
    socket.write(body);
  };

const chunk = Buffer.alloc(64 * 1024, 'a');
const chunked = Buffer.concat([Buffer.from('10000\r\n'), chunk, Buffer.from('\r\n')]);
const bomb = gzipSync(Buffer.alloc(64 * mebibyte, ' '));
const long = envelope(`"${'x'.repeat(4 * mebibyte - 100)}"`);
const manyValues = envelope(`[${'{},'.repeat(mebibyte)}{}]`);
const deep = envelope(`${'['.repeat(mebibyte)}${']'.repeat(mebibyte)}`);
const escapes = envelope(`"${'\\u0061\\\\\\/%25'.repeat(mebibyte / 8)}"`);
const headers = `\r\n${Array.from({ length: 14 }, (_each, index) => `X-Many-${index}: ${'h'.repeat(1000)}`).join('\r\n')}`;

/** One target for each way in which an answer can cost more than it should. */
export const hostileTargets: readonly HostileTarget[] = [
  {
    name: 'an endless body',
    reason: /longer than \d+ KiB, and its rest was not read/,
    answer: (socket) => endlessly(socket, head('Connection: close'), chunk),
  },
  {
    name: 'an endless chunked body',
    reason: /longer than \d+ KiB, and its rest was not read/,
    answer: (socket) => endlessly(socket, head('Transfer-Encoding: chunked'), chunked),
  },
  {
    name: 'a body of gigabytes by its length',
    reason: /longer than \d+ KiB, and its rest was not read/,
    answer: (socket) => endlessly(socket, head('Content-Length: 99999999999'), chunk),
  },
  {
    name: 'endless headers',
    reason: /HEADER|no answer/,
    answer: (socket) => endlessly(socket, 'HTTP/1.1 200 OK\r\n', `X-More: ${'h'.repeat(500)}\r\n`),
  },
  {
    name: 'endless provisional answers',
    answer: (socket) => endlessly(socket, '', 'HTTP/1.1 103 Early Hints\r\n\r\n'),
  },
  {
    name: 'an endless chunk extension',
    answer: (socket) => endlessly(socket, `${head('Transfer-Encoding: chunked')}1;`, chunk),
  },
  {
    name: 'a slow drip',
    reason: /did not come within/,
    answer: (socket) => slowly(socket, head('Content-Length: 100000'), ' '),
  },
  { name: 'slow headers', answer: (socket) => slowly(socket, 'HTTP/1.1 200 OK\r\n', 'X: y\r\n') },
  { name: 'silence', reason: /did not come within/, answer: () => {} },
  { name: 'a compressed bomb', answer: whole(bomb, '\r\nContent-Encoding: gzip') },
  { name: 'the longest text that is read', answer: whole(long) },
  { name: 'a million values', reason: /more than 100000 values/, answer: whole(manyValues) },
  { name: 'a million levels', reason: /nests deeper than 200/, answer: whole(deep) },
  { name: 'a text of escapes', answer: whole(escapes) },
  { name: 'many long headers', answer: whole(envelope('{}'), headers) },
  {
    name: 'a switch of protocols',
    reason: /no answer/,
    answer: (socket) =>
      void socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n'),
  },
  { name: 'no HTTP at all', answer: (socket) => void socket.end(chunk) },
  { name: 'a reset', answer: (socket) => void socket.resetAndDestroy() },
  {
    name: 'hostile webhooks',
    answer: (socket, request) => {
      const [, url] = /"callbackUrl":"(https:[^"]+)"/.exec(request) ?? [];
      if (url !== undefined) attackReceiver(url);
      socket.write(`${head('Content-Length: 2')}{}`);
    },
  },
  {
    name: 'a wait for a minute, always again',
    answer: (socket) =>
      void socket.write('HTTP/1.1 429 Too Many Requests\r\nRetry-After: 60\r\nContent-Length: 0\r\n\r\n'),
  },
];

/** A server of a hostile target, which does not listen yet. */
export function serverOf({ answer }: HostileTarget): Server {
  let greeted = false;
  return createTcpServer((socket) => {
    socket.on('error', () => {});
    let seen = '';
    socket.on('data', (data: Buffer) => {
      seen = `${seen}${data.toString('latin1')}`.slice(-70_000);
      const end = seen.indexOf('\r\n\r\n');
      if (end < 0) return;
      const request = seen;
      seen = '';
      if (greeted) answer(socket, request);
      else socket.end(`${head('Content-Length: 2')}{}`);
      greeted = true;
    });
  });
}
