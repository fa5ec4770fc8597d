import { describe, expect, it } from 'vitest';
import { createRateRefusals, type RateRefusals } from './rate-refusals.ts';

/** Lets so many requests of a merchant through. */
function letThrough(rates: RateRefusals, merchantId: string, count: number): void {
  for (let sent = 0; sent < count; sent += 1) rates.letThrough(merchantId);
}

describe('a request that is refused for its rate', () => {
  it('may be beyond a limit of its merchant alone, when many of its requests were let through', () => {
    const rates = createRateRefusals(() => true);
    letThrough(rates, 'busy', 40);
    letThrough(rates, 'new', 1);
    expect(rates.isLimited('busy')).toBe(false);
    expect(rates.refused('busy')).toBe(true);
    expect(rates.refused('busy')).toBe(true);
    expect(rates.isLimited('busy')).toBe(true);
    expect(rates.isLimited('new')).toBe(false);
  });

  it('shows that the target counts all requests together, when its merchant has sent hardly any', () => {
    const rates = createRateRefusals(() => true);
    letThrough(rates, 'busy', 40);
    letThrough(rates, 'new', 1);
    expect(rates.refused('busy')).toBe(true);
    expect(rates.refused('new')).toBe(false);
    expect(rates.refused('busy')).toBe(false);
    expect(rates.isLimited('busy')).toBe(false);
  });

  it('shows no limit of one merchant where there are no others', () => {
    const rates = createRateRefusals(() => false);
    letThrough(rates, 'only', 40);
    expect(rates.mayBeOwn('only')).toBe(false);
    expect(rates.refused('only')).toBe(false);
  });

  it('is counted with all others when it belongs to no merchant', () => {
    const rates = createRateRefusals(() => true);
    letThrough(rates, 'busy', 40);
    expect(rates.refused(undefined)).toBe(false);
    expect(rates.refused('busy')).toBe(false);
  });
});
