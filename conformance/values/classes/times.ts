import { besideIt, type ConstrainedValue, type ValueClass } from './value-class.ts';

const hour = 3_600_000;

const isTime = ({ constraint }: ConstrainedValue) => constraint.value === 'date-time';

const timeClass = (
  name: string,
  title: string,
  derivation: string,
  make: (time: string) => readonly string[],
): ValueClass => ({
  id: `time.${name}`,
  title,
  keywords: ['format'],
  derivation,
  make: (of) => (isTime(of) ? make(String(of.sample)) : []),
});

const dateOf = (time: string) => time.slice(0, 10);
const yearAfter = (time: string) => new Date(time).getUTCFullYear() + 1;
const shifted = (time: string, hours: number) => new Date(Date.parse(time) + hours * hour).toISOString();

/** The year after a time that has no 29 February. */
function commonYearAfter(time: string): number {
  const year = yearAfter(time);
  return new Date(Date.UTC(year, 1, 29)).getUTCMonth() === 1 ? year + 1 : year;
}

/** The next year of which a calendar with a leap day every four years has a 29 February, and the real one has not, such as 2100. */
function commonCenturyAfter(time: string): number {
  const century = Math.ceil(yearAfter(time) / 100) * 100;
  return century % 400 === 0 ? century + 100 : century;
}

/** Days, as month and day, that lie behind the end of their months in every year. */
const daysBeyondMonths = ['02-30', '02-31', '04-31', '06-31', '09-31', '11-31', '12-32'];

/** The date of a day of that month that would come next after a time: a target may refuse what lies further ahead. */
function nextOf(day: string, time: string): string {
  const [year] = time.split('-');
  const inYear = `${year}-${day}`;
  return inYear > dateOf(time) ? inYear : `${yearAfter(time)}-${day}`;
}

/**
 * Times of day beyond their range, with and without decimal places, that a reader which carries every part over takes for the right time or
 * one up to an hour after it: another rule, such as one against the past, does not refuse them.
 */
function carriedOver(time: string): string[] {
  const [minutes, seconds] = [time.slice(14, 16), time.slice(17, 19)];
  const sixty = (part: string) => String(Number(part) + 60);
  const [minuteBefore, hourBefore, dayBefore] = [1 / 60, 1, 24].map((hours) => shifted(time, -hours));
  const hourOfDayBefore = String(Number(time.slice(11, 13)) + 24);
  // A second 60 may be a leap second, and 24:00 is the end of a day.
  const isImpossible = (each: string) => !/:60(\.[0-9]+)?Z$|T24:00:00/.test(each);
  return [
    `${time.slice(0, 14)}60:00Z`,
    `${hourBefore?.slice(0, 14)}${sixty(minutes)}:${seconds}${time.slice(19)}`,
    `${time.slice(0, 17)}61Z`,
    `${minuteBefore?.slice(0, 17)}${sixty(seconds)}${time.slice(19)}`,
    `${dayBefore && dateOf(dayBefore)}T${hourOfDayBefore}${time.slice(13)}`,
    `${dayBefore && dateOf(dayBefore)}T${hourOfDayBefore}:${minutes}:${seconds}Z`,
  ].filter(isImpossible);
}

/** The forms of ISO 8601 beside that of RFC 3339, each in words with a time in it. */
export function otherTimeForms(time: string): [form: string, time: string][] {
  const early = shifted(time, 8);
  return [
    ['no zone', time.slice(0, -1)],
    ['an offset', early.replace('Z', '+08:00')],
    ['an offset without a colon', early.replace('Z', '+0800')],
    ['the basic form', time.replaceAll(/[-:]/g, '')],
    ['a comma before the decimal places', time.replace('.', ',')],
    ['no seconds', time.replace(/:[0-9]{2}\.[0-9]+Z$/, 'Z')],
    ['a space for the T', time.replace('T', ' ')],
    ['small letters', time.toLowerCase()],
    ['the date alone', dateOf(shifted(time, 24))],
    ['the hour 24', `${dateOf(time)}T24:00:00Z`],
  ];
}

/** A leap second on the day of a time: second 60 of its last minute in UTC. */
export const leapSecond = (time: string): string => `${dateOf(time)}T23:59:60Z`;

/** Times of ISO 8601. The sample is a right time in UTC with milliseconds. */
export const timeClasses: readonly ValueClass[] = [
  timeClass(
    'no-time',
    'text that is no time',
    'Words, nothing, a count of milliseconds or seconds, dates in the manner of mail and of countries, and a time in one of two lines.',
    (time) => [
      'tomorrow',
      '',
      String(Date.parse(time)),
      String(Math.floor(Date.parse(time) / 1000)),
      new Date(time).toUTCString(),
      time.replace(/^(\d+)-(\d+)-(\d+)T.*$/, '$2/$3/$1'),
      `${time}abc`,
      `${time}\nabc`,
      `abc\n${time}`,
    ],
  ),
  timeClass(
    'impossible',
    'a time that no calendar and no clock has',
    'Hours, minutes, seconds, days, months and offsets beyond their range stand in the right time, 30 February and the day 31 of each shorter month where it would come next, 29 February in common years. Some are so near to the right time, where each part that is beyond its range is carried over, that nothing else is wrong with them.',
    (time) => [
      ...carriedOver(time),
      `${dateOf(time)}T25:00:00.000Z`,
      `${dateOf(time)}T12:60:00.000Z`,
      `${dateOf(time)}T12:00:61.000Z`,
      shifted(time, 25).replace('Z', '+25:00'),
      shifted(time, -25).replace('Z', '-25:00'),
      shifted(time, 1).replace('Z', '+00:60'),
      `${time.slice(0, 8)}00T12:00:00.000Z`,
      `${time.slice(0, 8)}32T12:00:00.000Z`,
      `${time.slice(0, 5)}00-01T12:00:00.000Z`,
      `${yearAfter(time)}-00-01T12:00:00.000Z`,
      `${yearAfter(time)}-01-00T12:00:00.000Z`,
      ...daysBeyondMonths.map((day) => `${nextOf(day, time)}T12:00:00.000Z`),
      `${yearAfter(time)}-13-01T12:00:00.000Z`,
      `${commonYearAfter(time)}-02-29T12:00:00.000Z`,
      `${commonCenturyAfter(time)}-02-29T12:00:00.000Z`,
    ],
  ),
  timeClass(
    'blank',
    'a time with blanks or a line feed beside it',
    'A space, a tab or a line feed stands before the right time, behind it, or on both sides.',
    besideIt,
  ),
];
