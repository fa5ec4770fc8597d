import { setTimeout as delay } from 'node:timers/promises';
import { Unreachable } from '../errors/usage-errors.ts';
import { reachTarget, type SessionOptions } from './session.ts';

/** The pause between two looks, in milliseconds. */
const pause = 500;

/** Waits until the target answers, for at most so many seconds. Throws `Unreachable` when it does not. */
export async function awaitTarget(options: SessionOptions, seconds: number): Promise<void> {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    try {
      const session = await reachTarget(options);
      await session.close();
      return;
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      if (Date.now() + pause > end) throw new Unreachable(`${error.message}; --wait gave it ${seconds} s`);
    }
    await delay(pause);
  }
}
