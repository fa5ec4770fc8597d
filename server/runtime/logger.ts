import { type DestinationStream, pino } from 'pino';

/** Takes one line at a time: what is known, by name, and a message. */
export interface Logger {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Receives what went wrong inside, with the request that it belongs to where there is one. */
export type FailureLog = (message: string, error: unknown, context?: { requestId?: string }) => void;

/** Writes nothing. */
export const silentLogger: Logger = { info: () => {}, error: () => {} };

/**
 * Writes JSON lines, by default on stderr. Credentials are left out: fields by their names, at any depth, and what looks
 * like a credential in texts, also in messages and stacks of errors.
 */
export function createLogger(destination: DestinationStream = pino.destination({ dest: 2, sync: false })): Logger {
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

/** The port by which the server's parts report failures, onto a logger. */
export function failureLog(logger: Logger): FailureLog {
  return (message, error, context) => logger.error({ ...context, error }, message);
}

/** How deep fields and causes are followed. */
const deepest = 6;

const withheld = '[redacted]';

const secretName =
  /^(x-api-key|x-signature|authorization|cookie|api-?key|api-?secret|control-?token|secret|password)$/i;

/** Headers with credentials as they stand in texts, and user and password of an address. */
const secretHeader =
  /\b(x-api-key|x-signature|authorization|apiSecret)(["']?\s*[:=]\s*["']?)(?:bearer\s+)?[^\s"',}]+/gi;
const userOfAddress = /(:\/\/)[^\s/@]+@/g;
/** Stands in every text that holds one of those; to look for it takes less. */
const separator = /[:=]/;

function redactedText(text: string): string {
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

/** What is told of an error. Its other fields are not: a database's error may carry the row that it is about. */
function describeError(error: Error, depth: number): object {
  return {
    message: redactedText(error.message),
    ...('code' in error && typeof error.code === 'string' && { code: error.code }),
    ...(error.stack !== undefined && { stack: redactedText(error.stack) }),
    ...(error.cause !== undefined && { cause: redacted(error.cause, depth - 1) }),
    ...(error instanceof AggregateError && { errors: redacted(error.errors, depth - 1) }),
  };
}
