import { describe, expect, it } from 'vitest';
import { createAwaitedEvents, shareAfterVainWaits, waitsInVain } from './awaited-events.ts';

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

/** As many waits for an event that does not come as make the next one short. */
async function inVain(wait: (event: string, comes: boolean) => Promise<boolean>, event: string): Promise<void> {
  for (let waits = 0; waits < waitsInVain; waits += 1) await wait(event, false);
}

const whole = Array<number>(waitsInVain).fill(1);

describe('a wait for an event that others need as well', () => {
  it('is short after several in vain, and for no other event', async () => {
    const { shares, wait } = waiting();
    await inVain(wait, 'orders expire');
    await wait('orders expire', false);
    await wait('checkout expire', false);
    expect(shares).toEqual([...whole, shareAfterVainWaits, 1]);
  });

  it('takes the whole time again when the event has come after all', async () => {
    const { shares, wait } = waiting();
    await inVain(wait, 'orders expire');
    expect(await wait('orders expire', true)).toBe(true);
    await inVain(wait, 'orders expire');
    expect(shares).toEqual([...whole, shareAfterVainWaits, ...whole]);
  });

  it('takes the whole time in each check that began before the others were in vain', async () => {
    const { shares, wait } = waiting();
    await Promise.all(Array.from({ length: waitsInVain + 1 }, () => wait('orders expire', false)));
    expect(shares).toEqual([...whole, 1]);
  });

  it('does not count as in vain when it ends with an error', async () => {
    const events = createAwaitedEvents();
    const refused = () => Promise.reject(new Error('refused'));
    for (let waits = 0; waits < waitsInVain; waits += 1) {
      await expect(events.await('orders expire', refused, () => false)).rejects.toThrow('refused');
    }
    const share = await events.await(
      'orders expire',
      async (given) => given,
      () => true,
    );
    expect(share).toBe(1);
  });
});
