import type { RunOptions } from './runner.ts';
import type { SessionOptions } from './session.ts';

/** The default settings of a run. Times in milliseconds. */
export const runDefaults = {
  merchants: {},
  timeout: 10_000,
  settle: 15_000,
  webhookWait: 20_000,
  bail: false,
  strictSkips: false,
  pins: {},
  maxDuration: 900_000,
} as const satisfies Partial<SessionOptions & RunOptions & { strictSkips: boolean; maxDuration: number }>;

/** For how long the server that `assay run` starts waits for a receiver of webhooks, in milliseconds: a check waits until it gives up. */
export const receiverTimeout = 2000;
