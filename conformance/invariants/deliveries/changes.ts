import type { RequirementId } from '../../../generated/catalogue.ts';
import { counted } from '../../contract/counted.ts';
import { readMoment } from '../../contract/moments.ts';
import { isFinalStatus, mayAnnounce, progressOf, statusesOf } from '../../contract/statuses.ts';
import { shortestTellingId } from '../../contract/telling-ids.ts';
import { type Hindrance, hindranceIn, hindrancesIn, longestPrompt } from '../../history/hindrances.ts';
import type { OrderEventRecord } from '../../history/records.ts';
import { unusualFolder } from '../../wire/unusual-folder.ts';
import { sinceCreate } from '../between.ts';
import { type Book, type Entity, type Sighting, textAt } from '../book.ts';
import type { Judgement } from '../invariant.ts';
import type { Addresses } from './addresses.ts';
import { type Mail, partsOf, statusIn } from './mail.ts';
import { type RuleName, ruleId } from './rules.ts';

type EventType = OrderEventRecord['event']['type'];

/** What must have been asked of the driver before an order can have a status; time may bring about more. */
const causes: Readonly<Record<string, readonly EventType[]>> = {
  PROCESSING: ['transaction_detected', 'payment_confirmed'],
  SUCCEEDED: ['transaction_detected', 'payment_confirmed'],
  FAILED: ['transaction_detected', 'payment_confirmed', 'payment_failed'],
  CLOSED: ['cancelled'],
};

/** Judges the status that a webhook names for the one entity that it is about. */
export function* judgeStatus(book: Book, mail: Mail, entity: Entity): Iterable<Judgement> {
  const status = statusIn(mail);
  const progress = status === undefined ? undefined : progressOf(entity.area, status);
  if (status === undefined) return;
  if (progress === undefined) return yield* judgeUnknownStatus(mail, entity, status);
  const { record } = mail;
  const early = showsEarlier(book, mail, entity, progress) ?? precedesItsCause(book, mail, entity, status);
  const rule = ruleId(entity.area, 'after-change');
  if (early) {
    const fault = {
      expected: `no webhook says status = ${status} before ${early.cause}`,
      actual: `a webhook says it before`,
    };
    yield { rule, records: [early.record, record], fault };
  } else yield { rule, records: [record] };

  const end = entity.sightings.find(
    (sighting) => sighting.by === 'query' && isFinalStatus(entity.area, sighting.status),
  );
  if (!end) return;
  // What queries have shown too, the webhook tells rightly; that it moved again is judged by other rules.
  const wasShown = entity.sightings.some((sighting) => sighting.by === 'query' && sighting.status === status);
  const isForeign = status !== end.status && !wasShown && cannotPrecede(entity, status, end.status);
  // The event of a refund may name nothing but its order, and then its status is not the order's.
  const other = isForeign && !isRefundedBefore(book, entity, record.end);
  // An end that never comes is still to come for ever.
  if (other && isOtherEnd(entity, status, end.status)) {
    yield {
      rule,
      records: [record, end.record],
      fault: {
        expected: `no webhook tells of an end that ${entity.id} never comes to: it is ${end.status} at its end`,
        actual: `the webhook says status = ${status}`,
      },
    };
  }
  yield {
    rule: ruleId(entity.area, 'status'),
    records: [end.record, record],
    ...(other && {
      fault: {
        expected: `a webhook names a status that ${entity.id} has had, which is ${end.status} at its end`,
        actual: `the webhook says status = ${status}`,
      },
    }),
  };
}

/**
 * Judges a status that no order or refund can have, where it stands beside an id of the entity and so is the entity's. One that has a right
 * status in it, such as `order.closed`, is another way to write that: the form of webhooks is open.
 */
function* judgeUnknownStatus(mail: Mail, entity: Entity, status: string): Iterable<Judgement> {
  const { area, id } = entity;
  const statuses = statusesOf(area);
  const written = status.toUpperCase();
  const isEntitys = Object.values(mail.objects.at(-1) ?? {}).includes(id);
  if (!isEntitys || statuses.some((each) => written.includes(each))) return;
  yield {
    rule: ruleId(area, 'status'),
    records: [mail.record],
    fault: {
      expected: `a webhook names a status that ${id} can have had: ${statuses.join(', ')}`,
      actual: `the webhook says status = ${status}`,
    },
  };
}

/** True when an entity that ended in `end` can never have had `status`. */
function cannotPrecede(entity: Entity, status: string, end: string): boolean {
  if (isFinalStatus(entity.area, status)) return true;
  // Only the machine of hosted orders binds the way to the end.
  return entity.area === 'orders' && status === 'PROCESSING' && end === 'CLOSED';
}

/**
 * True when a status tells of another end than the one that an entity came to. Of orders only whether they were paid: how a target names in its
 * events that nobody paid is open.
 */
function isOtherEnd({ area }: Entity, status: string, end: string): boolean {
  if (!isFinalStatus(area, status)) return false;
  return area === 'refunds' || (status === 'SUCCEEDED') !== (end === 'SUCCEEDED');
}

/** Whether a refund of an order was asked for before a moment of the run. */
function isRefundedBefore({ entities }: Book, { area, id }: Entity, moment: number): boolean {
  if (area === 'refunds') return false;
  const isOfIt = ({ record, sent }: Entity['origins'][number]) =>
    record.start < moment && textAt(sent, 'acquiringOrderId') === id;
  return entities.some((entity) => entity.area === 'refunds' && entity.origins.some(isOfIt));
}

/** A query that shows the entity at an earlier status than the webhook that had come long before. */
function showsEarlier({ run }: Book, { record }: Mail, entity: Entity, progress: number) {
  const sighting = entity.sightings.find(
    ({ by, record: asked, status }) =>
      by === 'query' && asked.start >= record.end + run.settle && (progressOf(entity.area, status) ?? 2) < progress,
  );
  return (
    sighting && {
      record: sighting.record,
      cause: `a query shows that it is so (here data.status = ${sighting.status})`,
    }
  );
}

/** The event that brought an order to a status, where the webhook had come before anybody asked for it. */
function precedesItsCause(book: Book, { record }: Mail, entity: Entity, status: string) {
  const needed = causes[status];
  const { area, events, sightings } = entity;
  if (area === 'refunds' || !needed) return undefined;
  if (sharesItsId(book, entity)) return undefined;
  const asked = events.filter(({ event }) => needed.includes(event.type));
  if (asked.some(({ start }) => start < record.end)) return undefined;
  const [cause] = asked.filter(({ result }) => 'done' in result && result.done);
  // An order that has the status although nobody asked for it moves by itself; other rules judge that.
  const movesAlone = sightings.some((each) => each.status === status && (!cause || each.record.start < cause.start));
  if (!cause || movesAlone || mayHaveExpired(book, entity, record.end)) return undefined;
  return { record: cause, cause: `${cause.event.type} was asked for` };
}

/** Orders of both products may share an id, and then it is not known to which one of them a driver's event happened. */
function sharesItsId(book: Book, { area, merchantId, id }: Entity): boolean {
  return area === 'checkout' && book.entity('orders', merchantId, id) !== undefined;
}

/** Whether an order may have expired at a moment of the run. */
function mayHaveExpired({ clock }: Book, { merchantId, origins, sightings }: Entity, moment: number): boolean {
  const texts = [
    ...origins.map(({ sent }) => textAt(sent, 'expiresAt')),
    ...sightings.map(({ view }) => textAt(view, 'expiresAt')),
  ];
  const ends = texts.flatMap((text) => (text === undefined ? [] : (readMoment(text) ?? [])));
  if (ends.length === 0) return true;
  const first = Math.min(...ends.map(({ instant, precision }) => instant - precision));
  return clock.at(merchantId, moment).latest >= first;
}

/** By how much business time must have moved after a change before a webhook that is missing says something, in seconds. */
const longEnough = 2 * 86_400;

/** The host and the folder of an address. A mailbox there can be reached where another one was: a receiver listens on several ports. */
const folderOf = (address: string): string =>
  partsOf(address)
    .folder.replace(/^HTTPS/i, 'https')
    .replace(/:\d+\//, '/');

/** Whether webhooks reach a folder. The unusual one is there where the usual one is, because no proxy stands before it. */
function isReachable(folder: string, reached: ReadonlySet<string>): boolean {
  return (
    reached.has(folder) || (folder.includes(unusualFolder) && reached.has(folder.replace(`${unusualFolder}/`, '')))
  );
}

/** Judges for every entity that has ended whether its end was announced. Where that cannot be told, nothing is judged. */
export function* judgeAnnouncements(book: Book, addresses: Addresses, mails: readonly Mail[]): Iterable<Judgement> {
  const byBox = new Map<string, Mail[]>();
  for (const mail of mails) byBox.set(mail.box, [...(byBox.get(mail.box) ?? []), mail]);
  const reached = new Set(mails.map(({ record }) => folderOf(record.address)));
  const hindrances = hindrancesIn(
    [
      ...book.exchanged.map(({ record }) => record),
      ...book.unanswered,
      ...book.handshakes,
      ...book.provisions.values(),
      ...book.clockMoves,
      ...book.entities.flatMap(({ events }) => events),
      ...book.webhooks,
    ],
    longestPrompt(book.run.webhookWait),
  );
  for (const entity of book.entities) {
    const ending = endingOf(book, entity);
    const [url, ...others] = addresses.of(entity);
    if (!ending || url === undefined || others.length > 0) continue;
    const { sighting, name, requirement } = ending;
    const { box } = partsOf(url);
    const came = byBox.get(box) ?? [];
    // A receiver that stays away, or redirects, may be given up.
    if (!isReachable(folderOf(url), reached) || came.some(({ record }) => record.answered !== 200)) continue;
    const alone = addresses.at(box).every((naming) => naming.entity === entity);
    const ids = addresses.at(box).find((naming) => naming.entity === entity)?.ids ?? [];
    const announcement = came.find(
      ({ readable, record, text }) =>
        !readable ||
        (mayAnnounce(text, sighting.status) &&
          ((alone && record.method === 'POST') || ids.some((id) => text.includes(id)))),
    );
    const rule = ruleId(entity.area, name);
    if (announcement) yield { rule, records: [sighting.record, announcement.record] };
    else if (waitedLong(book, entity, sighting, hindrances)) {
      const astray = mails.find((mail) => mail.box !== box && tellsOf(mail, entity, sighting.status));
      const elsewhere = astray ? `; one that names it came to ${astray.record.address}` : '';
      yield {
        rule,
        records: [sighting.record, ...(astray ? [astray.record] : [])],
        fault: {
          expected: `a webhook at ${url} about ${entity.id}, which is ${sighting.status}`,
          actual: `${counted(came.length, 'webhook')} came there, and none tells of it, though days of business time have passed${elsewhere}${sinceCreate(book, entity, sighting.record)}`,
          requirement,
        },
      };
    }
  }
}

/** Whether a webhook names an entity by its platform id, and may announce its status. One that names a refund is not about its order. */
function tellsOf({ words, text, objects }: Mail, { area, id }: Entity, status: string): boolean {
  const isOfRefund = objects.some(({ refundOrderId }) => refundOrderId !== undefined);
  if (id.length < shortestTellingId || (isOfRefund && area !== 'refunds')) return false;
  return words.has(id) && mayAnnounce(text, status);
}

/** How an entity is seen to have ended, where that must be announced. */
function endingOf(
  book: Book,
  entity: Entity,
): { sighting: Sighting; name: RuleName; requirement: RequirementId } | undefined {
  const { area, origins, sightings, events } = entity;
  const ends = sightings.filter(({ by, status }) => by === 'query' && isFinalStatus(entity.area, status));
  const [sighting] = ends;
  if (!sighting || origins.length === 0 || ends.some(({ status }) => status !== sighting.status)) return undefined;
  const { status } = sighting;
  if (area === 'refunds') {
    const named = origins.some(({ sent }) => textAt(sent, 'notifyUrl'));
    const requirement = named ? 'webhooks.refund.notify-url' : 'webhooks.refund.default-address';
    // Whether a refund that was closed is announced is open.
    if (status === 'CLOSED') return undefined;
    return { sighting, name: status === 'SUCCEEDED' ? 'succeeded' : 'failed', requirement };
  }
  if (status === 'SUCCEEDED') return { sighting, name: 'paid', requirement: 'webhooks.order.paid' };
  const isShared = sharesItsId(book, entity);
  // A checkout order may fail when its time runs out (the point checkout-transitions). Nothing else fails to which nothing happens.
  const failsByTime = area === 'checkout' && events.length === 0 && !isShared;
  if (status === 'FAILED' && !failsByTime) return { sighting, name: 'failed', requirement: 'webhooks.order.failed' };
  if (isShared) return undefined;
  if (!events.some(({ event }) => event.type === 'cancelled')) {
    return { sighting, name: 'expired', requirement: 'webhooks.order.expired' };
  }
  // The contract announces cancelled orders for hosted orders only.
  return area === 'orders' ? { sighting, name: 'cancelled', requirement: 'webhooks.order.cancelled' } : undefined;
}

/**
 * True when the run gave time to a webhook about what a sighting shows: days of business time, and its own wait. Where something
 * hindered the target meanwhile, or while it made the entity end, it may have tried in vain.
 */
function waitedLong(
  { clockMoves, run, end }: Book,
  { merchantId, sightings: [first] }: Entity,
  { record }: Sighting,
  hindrances: readonly Hindrance[],
): boolean {
  let moved = 0;
  for (const move of clockMoves) {
    if (move.merchantId !== merchantId || move.start < record.end || move.failed !== undefined) continue;
    moved += move.seconds;
    if (moved < longEnough) continue;
    // A webhook that came soon would have come before time was moved, so half of the wait after it is enough.
    const last = move.end + run.webhookWait / 2;
    const waited = end - record.end >= run.webhookWait && end >= last;
    return waited && !hindranceIn(hindrances, { start: first?.record.start ?? 0, end: last });
  }
  return false;
}
