import { type DestinationStream, pino } from 'pino';

/** Writes one line at a time, made of named fields and a message. */
export interface Logger {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Receives failures of the server, with the request that a failure belongs to where there is one. */
export type FailureLog = (message: string, error: unknown, context?: { requestId?: string }) => void;

/** A logger that writes nothing. */
export const silentLogger: Logger = { info: () => {}, error: () => {} };

/**
 * A logger that writes JSON lines, by default on stderr. Credentials are left out: fields by their names, at any depth, and
 * everything that looks like a credential in a text, including messages and stacks of errors.
 */
export function createLogger(destination: DestinationStream = gatheringStderr()): Logger {
  return pino(
    {
      base: null,
      messageKey: 'message',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: {
        level: (level) => ({ level }),
        log: (fields) => redactedFields(fields, deepest),
      },
      hooks: {
        logMethod([fields, message], method) {
          method.apply(this, [fields, typeof message === 'string' ? redactedText(message) : '']);
        },
      },
    },
    destination,
  );
}

/** How long a line may wait for others, in milliseconds, and how many characters may wait. */
const gathering = { time: 20, length: 8_192 };

/**
 * Writes lines to stderr, those of some milliseconds together: under load, a write for each line takes longer than making the
 * line. What waits when the process exits is still written.
 */
function gatheringStderr(): DestinationStream {
  const stderr = pino.destination({ dest: 2, sync: false, minLength: gathering.length });
  let isWaiting = false;
  return {
    write: (line) => {
      stderr.write(line);
      if (isWaiting) return;
      isWaiting = true;
      setTimeout(() => {
        isWaiting = false;
        stderr.flush();
      }, gathering.time).unref();
    },
  };
}

/** A failure log that writes to a logger. */
export function failureLog(logger: Logger): FailureLog {
  return (message, error, context) => logger.error({ ...context, error }, message);
}

/** The depth to which fields and causes are followed. */
const deepest = 6;

const withheld = '[redacted]';

const secretName =
  /^(x-api-key|x-signature|authorization|cookie|api-?key|api-?secret|control-?token|secret|password)$/i;

/** Headers with credentials as they stand in texts, and user and password of an address. */
const secretHeader =
  /\b(x-api-key|x-signature|authorization|apiSecret)(["']?\s*[:=]\s*["']?)(?:bearer\s+)?[^\s"',}]+/gi;
const userOfAddress = /(:\/\/)[^\s/@]+@/g;
/** A character of every text that holds one of those. Looking for it first takes less time. */
const separator = /[:=]/;

/** An order's platform id. With it anyone can open the order's checkout page. */
const orderId = /\b(ord\.[a-z2-7]{4})[a-z2-7]{22}\b/g;

function redactedText(whole: string): string {
  const text = whole.includes('ord.') ? whole.replace(orderId, '$1…') : whole;
  if (!separator.test(text)) return text;
  return text.replace(secretHeader, `$1$2${withheld}`).replace(userOfAddress, `$1${withheld}@`);
}

function redactedFields(fields: object, depth: number): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    shown[name] = secretName.test(name) ? withheld : redacted(value, depth - 1);
  }
  return shown;
}

function redacted(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redactedText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return '[deeper]';
  if (value instanceof Error) return describeError(value, depth);
  if (Array.isArray(value)) return value.map((each) => redacted(each, depth - 1));
  return redactedFields(value, depth);
}

/** The fields of an error that are logged. The others are left out: an error of a database may carry a whole row. */
function describeError(error: Error, depth: number): object {
  return {
    message: redactedText(error.message),
    ...('code' in error && typeof error.code === 'string' && { code: error.code }),
    ...(error.stack !== undefined && { stack: redactedText(error.stack) }),
    ...(error.cause !== undefined && { cause: redacted(error.cause, depth - 1) }),
    ...(error instanceof AggregateError && { errors: redacted(error.errors, depth - 1) }),
  };
}
