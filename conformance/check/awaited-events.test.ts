import { describe, expect, it } from 'vitest';
import { createAwaitedEvents, shareAfterVainWait } from './awaited-events.ts';

/** Waits for an event that comes, or not, and tells how long it was waited for. */
function waiting() {
  const events = createAwaitedEvents();
  const shares: number[] = [];
  const wait = (event: string, comes: boolean) =>
    events.await(
      event,
      async (share) => {
        shares.push(share);
        return comes;
      },
      (hasCome) => hasCome,
    );
  return { shares, wait };
}

describe('a wait for an event that others need as well', () => {
  it('is short once one was in vain, and for no other event', async () => {
    const { shares, wait } = waiting();
    await wait('orders expire', false);
    await wait('orders expire', false);
    await wait('checkout orders expire', false);
    expect(shares).toEqual([1, shareAfterVainWait, 1]);
  });

  it('takes the whole time again when the event has come after all', async () => {
    const { shares, wait } = waiting();
    await wait('orders expire', false);
    expect(await wait('orders expire', true)).toBe(true);
    await wait('orders expire', false);
    expect(shares).toEqual([1, shareAfterVainWait, 1]);
  });

  it('takes the whole time in each check that began before the first was in vain', async () => {
    const { shares, wait } = waiting();
    await Promise.all([wait('orders expire', false), wait('orders expire', false)]);
    expect(shares).toEqual([1, 1]);
  });

  it('counts nothing as awaited that ended with an error', async () => {
    const events = createAwaitedEvents();
    const refused = () => Promise.reject(new Error('refused'));
    await expect(events.await('orders expire', refused, () => false)).rejects.toThrow('refused');
    const share = await events.await(
      'orders expire',
      async (given) => given,
      () => true,
    );
    expect(share).toBe(1);
  });
});
