import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSurplusConnections } from './surplus-connections.ts';

describe('a connection that its sender breaks off before it is secure', () => {
  const lost: string[] = [];
  const connections = () => createSurplusConnections((code) => lost.push(code));

  beforeEach(() => {
    lost.length = 0;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => void vi.useRealTimers());

  it('was not needed where a webhook comes over another one that is in use, before or after', () => {
    const { reused, brokenOff } = connections();
    reused();
    vi.advanceTimersByTime(900);
    brokenOff('before');
    brokenOff('after');
    vi.advanceTimersByTime(900);
    reused();
    vi.advanceTimersByTime(5000);
    expect(lost).toEqual([]);
  });

  it('has lost its webhook where none comes in time, or too few for all of them', () => {
    const { reused, brokenOff } = connections();
    reused();
    vi.advanceTimersByTime(1100);
    brokenOff('late');
    vi.advanceTimersByTime(1100);
    reused();
    brokenOff('explained');
    brokenOff('one too many');
    vi.advanceTimersByTime(1100);
    expect(lost).toEqual(['late', 'one too many']);
  });
});
