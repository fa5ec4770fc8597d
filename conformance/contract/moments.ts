/** A moment as a text shows it. */
export interface ShownMoment {
  /** Milliseconds since the epoch. */
  instant: number;
  /** The smallest step that the text could show, in milliseconds; below 1 for more than three places of a second. */
  precision: number;
}

/** A time as ISO 8601 writes it, with its basic form, a comma as decimal mark, and without a zone. */
const timeForm = /^(\d{4})-?(\d{2})-?(\d{2})T(\d{2}):?(\d{2})(?::?(\d{2})(?:[.,](\d+))?)?(Z|[+-]\d{2}(?::?\d{2})?)?$/;

/**
 * The moment that an ISO 8601 text means, with its basic form and a comma as decimal mark; `undefined` for text that is none, and for one
 * without a zone, which means no moment.
 */
export function readMoment(text: string): ShownMoment | undefined {
  const form = timeForm.exec(text);
  const zone = form?.[8];
  if (!form || zone === undefined) return undefined;
  const [, year, month, day, hour, minute, second = '00', fraction = ''] = form;
  const offset = zone === 'Z' ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(3).replace(':', '') || '00'}`;
  const milliseconds = fraction.padEnd(3, '0').slice(0, 3);
  const instant = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${milliseconds}${offset}`);
  if (Number.isNaN(instant)) return undefined;
  const precision = form[6] === undefined ? 60_000 : 1000 / 10 ** fraction.length;
  return { instant, precision };
}

/** Whether two texts mean the same instant, to the precision of the text that shows less. Texts that are no times are compared as they are. */
export function isSameMoment(first: string, second: string): boolean {
  const [one, other] = [readMoment(first), readMoment(second)];
  if (!one || !other) return first === second;
  return Math.abs(one.instant - other.instant) < Math.max(one.precision, other.precision, 1);
}

/** True for a time on a day that its month does not have. What a pattern can say of a time stands in the contract. */
export function isOnImpossibleDay(text: string): boolean {
  const [, year, month, day] = timeForm.exec(text) ?? [];
  if (day === undefined) return false;
  return Number(day) > new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
}

/** The moment that an ISO 8601 text means, in milliseconds since 1970; NaN for what is no such text. */
export const instantOf = (value: unknown): number =>
  (typeof value === 'string' ? readMoment(value)?.instant : undefined) ?? Number.NaN;
