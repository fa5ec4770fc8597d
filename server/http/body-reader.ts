import type { IncomingMessage } from 'node:http';

/** The bytes that a body may have. This is more than any request of the contract needs. */
export const largestBody = 1024 * 1024;

/** The bytes that all unfinished bodies of the server may have together. */
const largestBacklog = 32 * 1024 * 1024;

/** A body that was not read. `status` is the HTTP status that fits. */
export class UnreadBody extends Error {
  readonly status: 400 | 413 | 415 | 503;

  constructor(status: UnreadBody['status'], message: string) {
    super(message);
    this.status = status;
  }
}

/** Reads bodies as they were sent, each up to `largestBody` bytes. Rejects with an `UnreadBody`. */
export type ReadBody = (request: IncomingMessage) => Promise<Buffer>;

const noBytes = Buffer.alloc(0);

interface Unfinished {
  giveUp(reason: UnreadBody): void;
}

/**
 * Makes a reader that bounds the memory of all bodies that have not arrived completely. When their sum exceeds `backlog`
 * bytes, the reader gives up the one that began first: an honest client has long finished it.
 */
export function bodyReader({ largest = largestBody, backlog = largestBacklog } = {}): ReadBody {
  const unfinished = new Set<Unfinished>();
  let held = 0;

  function makeRoom(): void {
    for (const body of unfinished) {
      if (held <= backlog) return;
      body.giveUp(new UnreadBody(503, 'too many bodies are unfinished; send the body without a pause'));
    }
  }

  return async (request) => {
    if ((request.headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
      throw new UnreadBody(415, 'the body is compressed');
    }
    if (Number(request.headers['content-length'] ?? 0) > largest) throw tooLarge(largest);
    if (request.destroyed && !request.complete) throw brokenOff();
    if (!announcesBody(request)) return noBytes;
    return new Promise((resolve, reject) => {
      // One buffer that grows: a client may send single bytes, and an object for each would take a hundred times their space.
      let bytes = noBytes;
      let length = 0;
      const body: Unfinished = { giveUp: (reason) => end(() => reject(reason)) };
      const end = (settle: () => void) => {
        unfinished.delete(body);
        held -= bytes.length;
        request.off('data', onData).off('end', onEnd).off('error', onError).off('close', onError);
        settle();
        bytes = noBytes;
        // The rest of the body is not kept.
        request.resume();
      };
      const onData = (chunk: Buffer) => {
        const needed = length + chunk.length;
        if (needed > largest) return body.giveUp(tooLarge(largest));
        if (needed > bytes.length) {
          const room = Buffer.alloc(Math.min(largest, Math.max(needed, 2 * bytes.length)));
          bytes.copy(room, 0, 0, length);
          held += room.length - bytes.length;
          bytes = room;
        }
        chunk.copy(bytes, length);
        length = needed;
        makeRoom();
      };
      const onEnd = () => {
        const whole = bytes.subarray(0, length);
        end(() => resolve(whole));
      };
      const onError = () => body.giveUp(brokenOff());
      unfinished.add(body);
      request.on('data', onData).on('end', onEnd).on('error', onError).on('close', onError);
    });
  };
}

/** Whether a body follows the headers. A request with neither of these headers has none (RFC 9112, section 6.3). */
function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

function tooLarge(largest: number): UnreadBody {
  return new UnreadBody(413, `the body is larger than ${largest} bytes`);
}

function brokenOff(): UnreadBody {
  return new UnreadBody(400, 'the body broke off');
}
