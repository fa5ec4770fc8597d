import { describe, expect, it } from 'vitest';
import { createPatience } from './patience.ts';

describe('the patience of a run', () => {
  it('waits only shortly for an operation that was silent again and again, until it answers', () => {
    const patience = createPatience(10_000);
    for (const _ of [1, 2]) patience.silent('createOrder');
    expect(patience.timeoutFor('createOrder')).toBe(10_000);
    patience.silent('createOrder');
    expect(patience.timeoutFor('createOrder')).toBe(500);
    expect(patience.timeoutFor('queryOrder')).toBe(10_000);
    patience.answered('createOrder', 20);
    expect(patience.timeoutFor('createOrder')).toBe(10_000);
  });

  it('waits longer than the slowest answer of the operation has taken, and never longer than the whole time', () => {
    const patience = createPatience(10_000);
    patience.answered('createOrder', 2000);
    for (const _ of Array.from({ length: 40 })) patience.answered('queryOrder', 10);
    for (const _ of [1, 2, 3]) patience.silent('createOrder');
    expect(patience.timeoutFor('createOrder')).toBe(6000);
    patience.answered('createOrder', 9000);
    for (const _ of [1, 2, 3]) patience.silent('createOrder');
    expect(patience.timeoutFor('createOrder')).toBe(10_000);
  });

  it('waits longer than the target usually takes, however slow one answer of another operation was', () => {
    const patience = createPatience(10_000);
    for (const _ of [1, 2, 3]) patience.silent('createOrder');
    for (const _ of Array.from({ length: 99 })) patience.answered('queryOrder', 80);
    patience.answered('queryOrder', 2080);
    expect(patience.timeoutFor('createOrder')).toBe(1000);
  });
});
