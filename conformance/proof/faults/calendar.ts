import type { RequirementId } from '../../../generated/catalogue.ts';
import { isObject } from '../../contract/json.ts';
import { bodyOf, changing, isHostedCreate, isOf, onlyFor, refusal, showing } from '../stand/changes.ts';
import type { Fault } from '../stand/fault.ts';
import type { Handler } from '../stand/proxy.ts';
import { isRefundQuery, showingRefunds } from '../stand/refund-changes.ts';

const day = 86_400_000;

/** A time as a writer shows it that is wrong on some days of the calendar. */
type Writes = (time: unknown) => unknown;

/** Writes a time of another day on the days that fit. */
const onDays =
  (fits: (date: Date) => boolean, by: number): Writes =>
  (time) => {
    const date = new Date(String(time));
    return fits(date) ? new Date(date.getTime() + by).toISOString() : time;
  };

/** Writes the year to which the week belongs, which is not always that of the day. */
const withYearOfTheWeek: Writes = (time) => {
  const date = new Date(String(time));
  const isOfNextYear = date.getUTCMonth() === 11 && date.getUTCDate() > 28 && [1, 2, 3].includes(date.getUTCDay());
  return isOfNextYear ? String(time).replace(/^\d{4}/, (year) => String(Number(year) + 1)) : time;
};

function fault(
  name: string,
  title: string,
  [breaks, caughtBy, feed]: [RequirementId, string, string],
  merchantApi: Handler,
): Fault {
  return { id: `calendar-${name}`, title, breaks, caughtBy, feeds: [feed], make: { merchantApi } };
}

const isLeapDay = (date: Date): boolean => date.getUTCMonth() === 1 && date.getUTCDate() === 29;

/** Refuses a right create, in whose answer this field says that it was made on a leap day. */
const refusingOnLeapDays = (operation: string, field: string): Handler =>
  onlyFor(isOf(operation), async (request, server) => {
    const answer = await server.forward(request);
    const view = bodyOf(answer)?.data;
    const isRefused = isObject(view) && isLeapDay(new Date(String(view[field])));
    return isRefused ? refusal(request, '10001', 'the day is not known') : answer;
  });

const unmade = (area: 'orders' | 'checkout' | 'refunds', noun: string, field: string): Fault => ({
  id: `calendar-${area}-refused`,
  title: `Makes no ${noun} on leap days.`,
  breaks: `${area}.create.accepted`,
  caughtBy: `${area}.situations.calendar`,
  make: { merchantApi: refusingOnLeapDays(`${area}.create`, field) },
});

const hour = 3_600_000;

/** Whether a clock of New York shows a moment and the one an hour before or after it alike, as it does at the end of summer time. */
function isRepeatedInNewYork(date: Date): boolean {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: 'America/New_York',
    timeStyle: 'medium',
    dateStyle: 'short',
  });
  return [-hour, hour].some((by) => format.format(date) === format.format(date.getTime() + by));
}

/** A time whose hours are counted to twelve. */
const toTwelve = (value: unknown): string =>
  String(value).replace(/T(\d\d)/, (_, hours: string) => `T${String(Number(hours) % 12 || 12).padStart(2, '0')}`);

/** Wrong servers that are wrong on some days only, or at some times of the day. */
export const calendarFaults: readonly Fault[] = [
  fault(
    'expiry-in-the-repeated-hour',
    'Keeps the expiry of a hosted order as a clock of New York shows it, which tells one hour from the next at all times but one.',
    ['orders.view.echo', 'orders.query.echo.expires-at', 'orders.situations.created'],
    onlyFor(isOf('orders.query'), showing(changing('expiresAt', onDays(isRepeatedInNewYork, hour)))),
  ),
  fault(
    'creation-in-the-repeated-hour',
    'Shows the creation of a hosted order as a clock of New York shows it, which tells one hour from the next at all times but one.',
    ['orders.view.constant', 'orders.query.constant.created-at', 'orders.situations.calendar'],
    onlyFor(isOf('orders.query'), showing(changing('createdAt', onDays(isRepeatedInNewYork, hour)))),
  ),
  unmade('orders', 'hosted orders', 'createdAt'),
  unmade('checkout', 'checkout orders', 'createdAt'),
  unmade('refunds', 'refunds', 'createdTime'),
  fault(
    'year-of-the-week',
    'Writes the year of the week into createdAt of orders, which differs from that of the day on the last days of some years.',
    ['orders.view.moments', 'orders.create.times.created-at', 'orders.situations.calendar'],
    onlyFor(isHostedCreate, showing(changing('createdAt', withYearOfTheWeek))),
  ),
  fault(
    'no-leap-days',
    'Has no leap days in paidAt of checkout orders.',
    ['checkout.view.moments', 'checkout.query.times.paid-at', 'checkout.situations.calendar'],
    onlyFor(isOf('checkout.query'), showing(changing('paidAt', onDays(isLeapDay, day)))),
  ),
  fault(
    'no-31st',
    'Counts 30 days for every month in createdTime of refunds.',
    ['refunds.record.moments', 'refunds.query.times.created-time', 'refunds.situations.calendar'],
    showingRefunds(
      changing(
        'createdTime',
        onDays((date) => date.getUTCDate() === 31, -day),
      ),
      isRefundQuery,
    ),
  ),
  ...(['failedTime', 'closedTime'] as const).map((field) =>
    fault(
      `${field === 'failedTime' ? 'failed' : 'closed'}-time-to-twelve`,
      `Counts the hours to twelve in ${field} of refunds.`,
      ['refunds.record.moments', 'refunds.query.times.end-time', 'refunds.situations.calendar'],
      showingRefunds(changing(field, toTwelve), isRefundQuery),
    ),
  ),
];
