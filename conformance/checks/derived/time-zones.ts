import type { RequirementId } from '../../../generated/catalogue.ts';
import type { Product } from '../../arrange/orders/any-order.ts';
import { sendCheckoutCreate, sendOrderCreate } from '../../arrange/products.ts';
import { sideBySide } from '../../arrange/situations/situations.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectThat, isAccepted, isTaken, summary } from '../../check/expect.ts';
import { PermittedChoice } from '../../errors/outcomes.ts';

const hour = 3_600_000;

/** A moment, in milliseconds, as a clock shows it that is so many hours ahead of UTC. */
function inZone(moment: number, hours: number): string {
  const [whole, minutes] = [Math.trunc(Math.abs(hours)), (Math.abs(hours) % 1) * 60];
  const [hh, mm] = [whole, minutes].map((each) => String(each).padStart(2, '0'));
  const offset = `${hours < 0 ? '-' : '+'}${hh}:${mm}`;
  return new Date(moment + hours * hour).toISOString().replace('Z', offset);
}

/** The zones, in hours from UTC, of the texts of a moment close to a bound: some on either side of UTC, and of whole and of half hours. */
const zonesAtBounds = [2, -2, 5.5, -9.5];

/** How far beside a bound such a moment lies, in hours: more than a clock jumps by while it is sent in each zone. */
const beside = 1 / 6;

/**
 * Moments, in hours from now, with the zones in whose texts they are sent. The text of another zone puts most of them on the other side of a
 * bound, which is now or 24 hours ahead.
 */
const moments: readonly { bound: 'now' | 'a day'; ahead: number; zones: readonly number[] }[] = [
  { bound: 'now', ahead: -1, zones: [5] },
  // The clocks of Tonga and of Kiribati are further ahead than twelve hours, and those of Nepal are no whole and no half hours ahead.
  { bound: 'now', ahead: 2, zones: [-5, 13, 5.75] },
  { bound: 'a day', ahead: 20, zones: [8] },
  { bound: 'a day', ahead: 26, zones: [-5] },
  // A bound may be moved a little for texts of other zones only.
  { bound: 'now', ahead: -beside, zones: zonesAtBounds },
  { bound: 'now', ahead: beside, zones: zonesAtBounds },
  { bound: 'a day', ahead: 24 - beside, zones: zonesAtBounds },
  { bound: 'a day', ahead: 24 + beside, zones: zonesAtBounds },
];

type Bound = (typeof moments)[number]['bound'];

/** The zone of the text that shows whether other zones than UTC are taken at all. */
const usualZone = 5;

/**
 * Moments whose text in another zone has another year than in UTC, or another month, or a 29 February: as such texts, `year` being the next
 * one that has begun nowhere. A checkout order may not expire as late as that.
 */
function farMoments(now: number): string[] {
  const year = new Date(now + 48 * hour).getUTCFullYear() + 1;
  const leapYear = year + ((4 - (year % 4)) % 4);
  return [
    `${year - 1}-12-31T23:30:00-05:00`,
    `${year}-01-01T02:15:00+08:00`,
    `${year}-02-28T23:30:00-05:00`,
    `${year}-03-01T00:30:00+05:30`,
    `${leapYear}-02-29T23:45:00-03:30`,
  ];
}

/** A moment that is ahead and within a day in the texts of all these zones. */
const surelyAhead = 12;

/** For each product the requirements of the bounds. Those of hosted orders are open, and what binds is that a time is one. */
const products: readonly { product: Product; noun: string; requirements: Readonly<Record<Bound, RequirementId>> }[] = [
  {
    product: 'orders',
    noun: 'hosted order',
    requirements: { now: 'orders.create.expires-at.form', 'a day': 'orders.create.expires-at.form' },
  },
  {
    product: 'checkout',
    noun: 'checkout order',
    requirements: { now: 'checkout.create.expires-at.future', 'a day': 'checkout.create.expires-at.limit' },
  },
];

/** Times of expiry that are the same moment, and are therefore answered alike, whichever zone their clock is in. */
export const timeZoneChecks: readonly CheckDeclaration[] = products.map(({ product, noun, requirements }) => ({
  id: `${product}.create.expires-at.zones`,
  title: `Whether a ${noun} may expire at a moment does not depend on the zone in which that is written`,
  requirements: [requirements.now, ...(product === 'checkout' ? [requirements['a day']] : [])],
  async run(context) {
    const send = product === 'orders' ? sendOrderCreate : sendCheckoutCreate;
    const create = async (expiresAt: string) => (await send(context, { expiresAt })).answer;
    const first = await create(inZone(context.now() + surelyAhead * hour, usualZone));
    if (!isTaken(first, 'a create with a time in another zone than UTC')) {
      throw new PermittedChoice('times in other zones than UTC are refused (open point field-forms)');
    }
    const near = moments.map(({ bound, ahead, zones }) => {
      const moment = context.now() + ahead * hour;
      return { bound, moment, texts: zones.map((zone) => inZone(moment, zone)) };
    });
    const far = product === 'orders' ? farMoments(context.now()) : [];
    const distant = far.map((text) => ({ bound: 'a day' as const, moment: Date.parse(text), texts: [text] }));
    await sideBySide(
      [...near, ...distant].map(async ({ bound, moment, texts }) => {
        const inUtc = new Date(moment).toISOString();
        const [plain, ...answers] = await sideBySide([inUtc, ...texts].map(create));
        for (const [index, answer] of answers.entries()) {
          const isTaken = plain !== undefined && isAccepted(plain);
          expectThat(isAccepted(answer) === isTaken, answer, {
            expected: `an expiresAt of ${texts[index]}: ${isTaken ? 'accepted' : 'refused'}, as one of ${inUtc}, which is the same moment`,
            actual: summary(answer),
            requirement: requirements[bound],
          });
        }
      }),
    );
  },
}));
