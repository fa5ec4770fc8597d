import type { Choices } from '../../generated/catalogue.ts';

/** The first and the last moment that ISO 8601 can write with four digits for the year, in milliseconds since the epoch. */
export const startOfTime = Date.parse('0000-01-01T00:00:00.000Z');
export const endOfTime = Date.parse('9999-12-31T23:59:59.999Z');

/** Milliseconds since the epoch in ISO 8601, UTC, with milliseconds and Z. */
export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** Writes milliseconds since the epoch as a time. */
export type WriteTime = (milliseconds: number) => string;

/** How merchants see times (open point `time-forms`). */
export const timeForms: Readonly<Record<Choices['time-forms'], WriteTime>> = {
  milliseconds: isoTime,
  offset: (milliseconds) => isoTime(milliseconds).replace('Z', '+00:00'),
  microseconds: (milliseconds) => isoTime(milliseconds).replace('Z', '000Z'),
};
