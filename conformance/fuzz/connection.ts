import { connect, type Socket } from 'node:net';

/** An answer as it came. */
export interface WireAnswer {
  status: number;
  contentType: string;
  body: Buffer;
}

/** How long an answer may take, in milliseconds. It only catches hangs. */
const patience = 60_000;

/** Sends requests over one connection that is kept, and opened anew when the server closes it. */
export class KeptConnection {
  readonly #host: string;
  #socket: Socket | undefined;

  constructor(host: string) {
    this.#host = host;
  }

  /**
   * Sends all bytes at once and resolves with the answers in their order, up to one for each method. There are fewer when the
   * connection ends before.
   */
  exchange(bytes: readonly Buffer[], methods: readonly string[]): Promise<WireAnswer[]> {
    // The server closes a connection that was idle for long, and then nobody waits for its end.
    if (this.#socket?.destroyed) this.#socket = undefined;
    const socket = this.#socket ?? openSocket(this.#host);
    this.#socket = socket;
    return new Promise((resolve) => {
      const reader = new AnswerReader(methods);
      const timer = setTimeout(() => socket.destroy(), patience);
      const done = () => {
        clearTimeout(timer);
        socket.off('data', onData).off('close', onClose);
        if (socket.destroyed || reader.closes) this.close();
        resolve(reader.answers);
      };
      const onData = (chunk: Buffer) => {
        reader.add(chunk);
        if (reader.answers.length === methods.length) done();
      };
      const onClose = () => {
        this.#socket = undefined;
        reader.end();
        done();
      };
      socket.on('data', onData).on('close', onClose);
      socket.write(Buffer.concat(bytes));
    });
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }
}

/**
 * Sends pieces on a connection of their own, half-closes it, and resolves with every answer that comes until it is closed. A whole
 * request is answered first: a server may end a connection whose client has ended its half, and owes no answer any more.
 */
export async function exchangeAlone(
  host: string,
  pieces: readonly Buffer[],
  { method, isWhole }: { method: string; isWhole: boolean },
): Promise<WireAnswer[]> {
  const socket = openSocket(host);
  const reader = new AnswerReader(method === 'HEAD' ? ['HEAD'] : []);
  const timer = setTimeout(() => socket.destroy(), patience);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const answered = new Promise<void>((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      reader.add(chunk);
      if (reader.answers.length > 0) resolve();
    });
  });
  for (const piece of pieces) {
    socket.write(piece);
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (isWhole) await Promise.race([answered, closed]);
  socket.end();
  await closed;
  clearTimeout(timer);
  reader.end();
  return reader.answers;
}

/** Sends bytes that are no whole request, and resets the connection. */
export async function sendCut(host: string, bytes: Buffer): Promise<void> {
  const socket = openSocket(host);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.write(bytes, () => socket.resetAndDestroy());
  await closed;
}

function openSocket(host: string): Socket {
  const { hostname, port } = new URL(`http://${host}`);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  // The end of a connection shows in `close`.
  socket.on('error', () => {});
  return socket;
}

/** Reads answers from the bytes of a connection. `methods` are those of the requests; behind the last one, answers have bodies. */
class AnswerReader {
  readonly answers: WireAnswer[] = [];
  /** The last answer says that the server closes the connection. */
  closes = false;
  readonly #methods: readonly string[];
  #bytes: Buffer = Buffer.alloc(0);

  constructor(methods: readonly string[]) {
    this.#methods = methods;
  }

  add(chunk: Buffer): void {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    while (this.#next(false));
  }

  /** No more bytes follow. */
  end(): void {
    while (this.#next(true));
  }

  /** Takes one answer from the bytes; false: it is not complete. */
  #next(isEnd: boolean): boolean {
    const head = this.#bytes.indexOf('\r\n\r\n');
    if (head < 0) return false;
    const [first = '', ...fields] = this.#bytes.toString('latin1', 0, head).split('\r\n');
    const field = (name: string) => {
      const line = fields.find((each) => each.toLowerCase().startsWith(`${name}:`));
      return line?.slice(name.length + 1).trim();
    };
    const status = Number(first.split(' ')[1]);
    const rest = this.#bytes.subarray(head + 4);
    const hasBody = this.#methods[this.answers.length] !== 'HEAD' && status >= 200 && status !== 204 && status !== 304;
    const framed = hasBody
      ? bodyOf(rest, field('content-length'), field('transfer-encoding'), isEnd)
      : { body: noBytes, length: 0 };
    if (!framed) return false;
    this.#bytes = rest.subarray(framed.length);
    if (status < 200) return true;
    this.closes = field('connection')?.toLowerCase() === 'close';
    this.answers.push({ status, contentType: field('content-type') ?? '', body: framed.body });
    return true;
  }
}

const noBytes = Buffer.alloc(0);

/** The body at the beginning of bytes, and how many bytes it takes; `undefined`: it is not complete. */
function bodyOf(bytes: Buffer, length: string | undefined, encoding: string | undefined, isEnd: boolean) {
  if (encoding?.toLowerCase() === 'chunked') return chunkedBody(bytes);
  if (length === undefined) return isEnd ? { body: bytes, length: bytes.length } : undefined;
  const needed = Number(length);
  return bytes.length < needed ? undefined : { body: bytes.subarray(0, needed), length: needed };
}

function chunkedBody(bytes: Buffer) {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const line = bytes.indexOf('\r\n', at);
    if (line < 0) return undefined;
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16);
    const end = line + 2 + size + 2;
    if (bytes.length < end) return undefined;
    if (size === 0) return { body: Buffer.concat(parts), length: end };
    parts.push(bytes.subarray(line + 2, line + 2 + size));
    at = end;
  }
}
