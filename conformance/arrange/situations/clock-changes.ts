// When clocks are set forward and back: a server that reckons in the time of its own zone is wrong by an hour then.

/** Zones whose clocks change, on either side of UTC and of the equator. */
const zones = ['America/New_York', 'Europe/Berlin', 'Australia/Sydney', 'America/Los_Angeles'] as const;

const [hour, day] = [3_600_000, 86_400_000];

/** Within how many days each clock is set forward and back: the days of the year on which that happens are up to a week later in the next one. */
const aYear = 372;

/** How far the clock of a zone is from UTC at a moment, as text. */
function offsetsOf(timeZone: string): (moment: number) => string | undefined {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  return (moment) => format.formatToParts(moment).find(({ type }) => type === 'timeZoneName')?.value;
}

/**
 * The next two moments after `now` at which the clocks of each of the first `count` zones are set forward or back, in their order; all in
 * milliseconds since 1970.
 */
export function clockChanges(now: number, count: number = zones.length): number[] {
  const first = Math.ceil(now / hour) * hour;
  const changes = zones.slice(0, count).flatMap((zone) => {
    const offsetAt = offsetsOf(zone);
    const changesIn = (from: number, step: number, steps: number) =>
      Array.from({ length: steps }, (_, index) => from + (index + 1) * step).filter(
        (moment) => offsetAt(moment - step) !== offsetAt(moment),
      );
    const daysOfChange = changesIn(first, day, aYear).slice(0, 2);
    return daysOfChange.flatMap((end) => changesIn(end - day, hour, day / hour));
  });
  return changes.sort((one, other) => one - other);
}

/** Half an hour before and after each of the next changes of clocks, in ISO 8601: in the hour that it shows twice, or beside the one that it leaves out. */
export const besideClockChanges = (now: number): string[] =>
  clockChanges(now).flatMap((moment) =>
    [moment - hour / 2, moment + hour / 2].map((time) => new Date(time).toISOString()),
  );
