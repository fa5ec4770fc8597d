/** The last moment that ISO 8601 can write with four digits for the year, in milliseconds since the epoch. */
export const endOfTime = Date.parse('9999-12-31T23:59:59.999Z');

/** Milliseconds since the epoch as answers write times: ISO 8601 in UTC, with milliseconds and Z (open point `time-forms`). */
export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
