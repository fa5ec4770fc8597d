import { connect, type Socket } from 'node:net';

/** Measurements of a run of requests. */
export interface Load {
  /** Answered requests per second, over all connections. */
  perSecond: number;
  /** The duration of each answer, in milliseconds, shortest first. */
  latencies: number[];
}

/**
 * Sends requests, given as the bytes that go over the wire, over connections that are kept alive. Each connection has
 * one request under way at a time. The client uses plain sockets, so that it costs much less than the servers it
 * measures.
 *
 * @throws Error with the answer, unless every answer has status 200 and the contract's code of success
 */
export async function load(port: number, requests: readonly Buffer[], connections: number): Promise<Load> {
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)));
  const latencies: number[] = [];
  let next = 0;
  const start = performance.now();
  try {
    await Promise.all(
      sockets.map(async (socket) => {
        for (let request = requests[next++]; request; request = requests[next++]) {
          const sent = performance.now();
          assertSuccess(await exchange(socket, request));
          latencies.push(performance.now() - sent);
        }
      }),
    );
  } finally {
    for (const socket of sockets) socket.destroy();
  }
  const seconds = (performance.now() - start) / 1000;
  return { perSecond: requests.length / seconds, latencies: latencies.sort((a, b) => a - b) };
}

/** The value below which a share of sorted values lies. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** The median of values in any order. */
export function median(values: readonly number[]): number {
  return quantile(
    [...values].sort((a, b) => a - b),
    0.5,
  );
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}

/** Sends one request and resolves with its whole answer. The answer must state its length. */
function exchange(socket: Socket, request: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const end = (error: Error | undefined) => {
      socket.off('data', onData).off('error', end).off('close', onClose);
      if (error) reject(error);
      else resolve(answer);
    };
    const onClose = () => end(new Error(`The server closed the connection after: ${answer}`));
    const onData = (chunk: Buffer) => {
      // One character stands for each byte, so that lengths can be compared.
      answer += chunk.toString('latin1');
      const head = answer.indexOf('\r\n\r\n');
      if (head === -1) return;
      const length = /\r\ncontent-length: *([0-9]+)/i.exec(answer.slice(0, head))?.[1];
      if (length === undefined) end(new Error(`The answer does not tell its length: ${answer}`));
      else if (answer.length >= head + 4 + Number(length)) end(undefined);
    };
    socket.on('data', onData).once('error', end).once('close', onClose);
    socket.write(request);
  });
}

function assertSuccess(answer: string): void {
  if (!answer.startsWith('HTTP/1.1 200 ') || !answer.includes('"code":"00000"')) {
    throw new Error(`A request of the benchmark was not accepted: ${answer}`);
  }
}
