import { hasText, readingCreates, refusingCreates } from '../../../stand/changes.ts';
import type { Fault } from '../../../stand/fault.ts';
import { isImpossible } from '../../../stand/order-changes.ts';

/** Wrong servers that take an expiresAt that is no date. */
export const orderCreateExpiryFaults: readonly Fault[] = [
  {
    id: 'impossible-date-taken',
    title: 'Reads an impossible date as one in an hour.',
    breaks: 'orders.create.expires-at.form',
    caughtBy: 'orders.create.expiresAt.format',
    make: {
      merchantApi: readingCreates((body) =>
        isImpossible(body) ? { ...body, expiresAt: new Date(Date.now() + 3_600_000).toISOString() } : body,
      ),
    },
  },
  {
    id: 'month-and-day-0-taken',
    title: 'Takes a month 0 and a day 0 for the ones before the first.',
    breaks: 'orders.create.expires-at.form',
    caughtBy: 'orders.create.expiresAt.format',
    make: {
      merchantApi: readingCreates((body) => {
        const time = String(body.expiresAt);
        return /^\d{4}-(00-\d\d|\d\d-00)T/.test(time) ? { ...body, expiresAt: time.replace(/-00/g, '-01') } : body;
      }),
    },
  },
  {
    id: 'months-of-31-days-only',
    title: 'Takes the day 31 of every month but February and April, and reads it as a time in an hour.',
    breaks: 'orders.create.expires-at.form',
    caughtBy: 'orders.create.expiresAt.format',
    make: {
      merchantApi: readingCreates((body) =>
        /^[0-9]{4}-(06|09|11)-31T/.test(String(body.expiresAt))
          ? { ...body, expiresAt: new Date(Date.now() + 3_600_000).toISOString() }
          : body,
      ),
    },
  },
  {
    id: 'offsets-beyond-twelve-hours-refused',
    title: 'Refuses an expiresAt in a zone that is more than twelve hours ahead.',
    breaks: 'orders.create.expires-at.form',
    caughtBy: 'orders.create.expires-at.zones',
    make: { merchantApi: refusingCreates(hasText('expiresAt', (text) => /\+1[3-9]:\d\d$/.test(text))) },
  },
  {
    id: 'offsets-of-quarters-refused',
    title: 'Refuses an expiresAt in a zone that is a quarter of an hour beside a half.',
    breaks: 'orders.create.expires-at.form',
    caughtBy: 'orders.create.expires-at.zones',
    make: { merchantApi: refusingCreates(hasText('expiresAt', (text) => /[+-]\d\d:[14]5$/.test(text))) },
  },
  {
    id: 'soon-in-other-zones-refused',
    title: 'Refuses an expiresAt in the next quarter of an hour where it is written in another zone than UTC.',
    breaks: 'orders.create.expires-at.form',
    caughtBy: 'orders.create.expires-at.zones',
    make: {
      merchantApi: refusingCreates(
        hasText('expiresAt', (text) => /[+-]\d\d:\d\d$/.test(text) && Date.parse(text) < Date.now() + 900_000),
      ),
    },
  },
  {
    id: 'offsets-across-new-year-refused',
    title: 'Refuses an expiresAt whose year is another one in UTC.',
    breaks: 'orders.create.expires-at.form',
    caughtBy: 'orders.create.expires-at.zones',
    make: {
      merchantApi: refusingCreates(
        hasText('expiresAt', (text) => {
          const moment = new Date(text);
          return !Number.isNaN(moment.getTime()) && moment.toISOString().slice(0, 4) !== text.slice(0, 4);
        }),
      ),
    },
  },
  {
    id: 'leap-day-every-four-years',
    title: 'Takes the 29 February of every fourth year for a day, that of 2100 too.',
    breaks: 'orders.create.expires-at.form',
    caughtBy: 'orders.create.expiresAt.format',
    make: {
      merchantApi: readingCreates((body) =>
        /^\d\d00-02-29T/.test(String(body.expiresAt))
          ? { ...body, expiresAt: String(body.expiresAt).replace('-02-29T', '-03-01T') }
          : body,
      ),
    },
  },
];
