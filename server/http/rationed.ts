/** As `work`, but does nothing and returns `undefined` when it was called more than `perSecond` times within a second. */
export function rationed<Arguments extends unknown[], Result>(
  work: (...given: Arguments) => Result,
  perSecond: number,
): (...given: Arguments) => Result | undefined {
  let [begun, done] = [Number.NEGATIVE_INFINITY, 0];
  return (...given) => {
    // The time of the process counts: a clock that is set must not stop explanations.
    const now = performance.now();
    if (now - begun >= 1000) [begun, done] = [now, 0];
    if (done >= perSecond) return undefined;
    done += 1;
    return work(...given);
  };
}
