import { isObject, lacksItsEnd, parseJson } from '../../contract/json.ts';
import { cut, show } from '../../contract/show.ts';
import { shortestTellingId } from '../../contract/telling-ids.ts';
import { runsNamedIn } from '../../history/run-ids.ts';
import { unusualFolder } from '../../wire/unusual-folder.ts';
import { type Book, type Entity, textAt } from '../book.ts';
import type { Invariant, Judgement } from '../invariant.ts';
import { type Addresses, type Naming, ownIdsOf, type RefusedNaming, readAddresses } from './addresses.ts';
import { judgeAnnouncements, judgeStatus } from './changes.ts';
import { type Mail, partsOf, pathOf, readMail } from './mail.ts';
import { deliveryRules, ruleId } from './rules.ts';

/**
 * Webhooks come to the address that was named for them and to no other, as a POST that tells what it is about, after the change that
 * they tell of; and each change that must be announced is announced.
 */
export const deliveries: Invariant = { name: 'deliveries', rules: deliveryRules, judge };

function* judge(book: Book): Iterable<Judgement> {
  const mails = book.webhooks.map(readMail);
  const addresses = readAddresses(book, mails);
  for (const mail of mails) if (mail.readable) yield* judgeMail(book, addresses, mail);
  yield* judgeAnnouncements(book, addresses, mails);
}

function* judgeMail(book: Book, addresses: Addresses, mail: Mail): Iterable<Judgement> {
  const here = addresses.at(mail.box);
  const named = addresses.namedIn(mail);
  const refunds = named.filter((entity) => isRefundEvent(mail, entity));
  const isOfRefund = ({ area, entity }: Naming) => area === 'refunds' && (!entity || refunds.includes(entity));
  const isOfOrder = isOrderEvent(mail);
  const fits = (naming: Naming) =>
    (refunds.length === 0 || isOfRefund(naming)) &&
    !(isOfOrder && naming.area === 'refunds') &&
    naming.ids.some((id) => mail.text.includes(id));
  const about = here.filter(fits);
  const refused = here.length === 0 ? refusedIn(addresses, mail, named) : undefined;
  if (refused) return yield judgeRefused(mail, refused);
  const other = ofAnotherMerchant(mail, about, named);
  if (other) return yield* judgeStranger(addresses, mail, here, [other]);
  if (about.length === 0) return yield* judgeStranger(addresses, mail, here, refunds.length > 0 ? refunds : named);

  const [first] = about;
  const records = [mail.record];
  for (const area of new Set(about.map((naming) => naming.area))) {
    yield { rule: ruleId(area, 'address'), records };
    yield { rule: ruleId(area, 'identifies'), records };
  }
  if (!first) return;
  const { area } = first;
  const queries = [...new Set(about.map(({ url }) => partsOf(url).query))];
  yield {
    rule: ruleId(area, 'query'),
    records,
    ...(!queries.includes(mail.query) && {
      fault: {
        expected: `the webhook's query = ${queries.map(queryText).join(' or ')}, as in the address`,
        actual: `the webhook's query = ${queryText(mail.query)}`,
      },
    }),
  };
  yield* judgePath(mail, about, area);
  const { method } = mail.record;
  const isPost = method === 'POST';
  yield {
    rule: ruleId(area, 'method'),
    records,
    ...(!isPost && { fault: { expected: 'method = POST', actual: `method = ${method}` } }),
  };
  yield* judgeContentType(mail, area);
  const entity = onlyEntity(about, mail);
  if (!entity) return;
  yield* judgeIds(mail, entity);
  yield* judgeStatus(book, mail, entity);
}

/** Each of the two ids that an order's event gives is the order's: a receiver may look at either. */
function* judgeIds({ objects, record }: Mail, { area, id, origins }: Entity): Iterable<Judgement> {
  if (area === 'refunds') return;
  const own = origins.flatMap(({ sent }) => textAt(sent, 'merchantOrderId') ?? []);
  const right = { acquiringOrderId: [id], merchantOrderId: own };
  for (const [name, ids] of Object.entries(right)) {
    const wrong = objects.flatMap((object) => textAt(object, name) || []).find((given) => !ids.includes(given));
    if (wrong === undefined || ids.length === 0) continue;
    yield {
      rule: ruleId(area, 'identifies'),
      records: [record],
      fault: { expected: `${name} = ${ids.join(' or ')} in the webhook`, actual: `${name} = ${show(wrong)}` },
    };
  }
}

/** Judges the path where nothing but the target can have changed it. */
function* judgePath({ path, record }: Mail, about: readonly Naming[], area: Naming['area']): Iterable<Judgement> {
  if (!about.every(({ url }) => url.includes(unusualFolder))) return;
  const paths = [...new Set(about.map(({ url }) => pathOf(url)))];
  yield {
    rule: ruleId(area, 'path'),
    records: [record],
    ...(!paths.includes(path) && {
      fault: {
        expected: `the webhook's path = ${paths.join(' or ')}, as in the address`,
        actual: `the webhook's path = ${path}`,
      },
    }),
  };
}

/** A body that can be read as a JSON object is JSON, whatever else the target's form of events is, and one that is called JSON can be read so. */
function* judgeContentType({ objects, readable, record }: Mail, area: Naming['area']): Iterable<Judgement> {
  const type = record.headers['content-type'];
  const isCalledJson = /^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type ?? '');
  const rule = ruleId(area, 'content-type');
  if (objects.length > 0) {
    const fault = { expected: 'Content-Type = application/json', actual: `Content-Type = ${show(type)}` };
    yield { rule, records: [record], ...(!isCalledJson && { fault }) };
  } else if (isCalledJson && readable && parseJson(record.body.text) === undefined) {
    const { text } = record.body;
    const actual = `no JSON${lacksItsEnd(text) ? ', because its end is missing' : ''}: ${cut(text, 200)}`;
    yield { rule, records: [record], fault: { expected: 'a JSON body, as its Content-Type says', actual } };
  }
}

const queryText = (query: string) => (query === '' ? 'none' : query);

/** True when the body has a refund's id where the contract's views have it, so that it is about the refund and not about its order. */
function isRefundEvent({ objects }: Mail, entity: Entity): boolean {
  if (entity.area !== 'refunds') return false;
  const ids = ownIdsOf(entity);
  return objects
    .flatMap(({ refundOrderId, merchantRefundOrderId }) => [refundOrderId, merchantRefundOrderId])
    .some((id) => typeof id === 'string' && ids.includes(id));
}

/** True when the body has what views of orders have and no view of a refund, and names no refund. */
function isOrderEvent({ objects }: Mail): boolean {
  const has = (...names: readonly string[]) =>
    objects.some((object) => names.some((name) => object[name] !== undefined));
  return has('orderAmount', 'checkoutUrl', 'depositAddress') && !has('refundOrderId', 'merchantRefundOrderId');
}

/**
 * The order of another merchant that a webhook is about by its platform id, where those that have named the address share no more than
 * the merchant's id with it. `undefined`: there is none.
 */
function ofAnotherMerchant({ text, words }: Mail, about: readonly Naming[], named: readonly Entity[]) {
  const byPlatformId = named.filter(({ id }) => id.length >= shortestTellingId && words.has(id));
  const [other, ...more] = byPlatformId.filter(({ area }) => area !== 'refunds');
  if (!other || more.length > 0 || byPlatformId.length > 1 || about.length === 0) return undefined;
  const isStranger = ({ entity, area }: Naming) =>
    entity !== undefined && area === other.area && entity.merchantId !== other.merchantId && !text.includes(entity.id);
  return about.every(isStranger) ? other : undefined;
}

/** The one entity that a webhook at its address can be about. The platform's id tells entities apart that share a merchant's id. */
function onlyEntity(about: readonly Naming[], { text }: Mail): Entity | undefined {
  if (about.some(({ entity }) => entity === undefined)) return undefined;
  const entities = [...new Set(about.flatMap(({ entity }) => entity ?? []))];
  const byPlatformId = entities.filter(({ id }) => text.includes(id));
  const [only, ...others] = byPlatformId.length > 0 ? byPlatformId : entities;
  return others.length === 0 ? only : undefined;
}

/** The refused create that a webhook at its address is about: nothing had the id that it asked for, and the webhook names it. */
function refusedIn(
  addresses: Addresses,
  { box, words, record }: Mail,
  named: readonly Entity[],
): RefusedNaming | undefined {
  const isMade = ({ area, id }: RefusedNaming) =>
    named.some(
      (entity) =>
        entity.area === area &&
        ownIdsOf(entity).includes(id) &&
        entity.origins.some(({ record: create }) => create.start < record.end),
    );
  return addresses.refusedAt(box).find((naming) => words.has(naming.id) && !isMade(naming));
}

/** What was refused has no status of which a webhook could tell. */
const judgeRefused = ({ record }: Mail, { area, id, record: create }: RefusedNaming): Judgement => ({
  rule: ruleId(area, 'after-change'),
  records: [create, record],
  fault: {
    expected: `no webhook about ${id}, whose create was refused`,
    actual: `a webhook about it at ${record.address}, which that create had named`,
  },
});

/** Judges a webhook that names nothing for which its address may get webhooks. */
function* judgeStranger(
  addresses: Addresses,
  { record, box, text }: Mail,
  here: readonly Naming[],
  named: readonly Entity[],
): Iterable<Judgement> {
  const subject = named.find(({ area }) => area === 'refunds') ?? named[0];
  if (subject) {
    const { area, merchantId, id, origins } = subject;
    // What a create named that cannot be read is not known.
    if (!origins.every(({ sent }) => isObject(sent))) return;
    const urls = addresses.of(subject);
    const byDefault = area === 'refunds' && addresses.isDefault(box, merchantId);
    yield {
      rule: ruleId(area, 'address'),
      records: [record],
      fault: {
        expected: `webhooks about ${id} at ${urls.length > 0 ? urls.join(' or ') : 'no address, because none was named'}`,
        actual: `a webhook about it at ${record.address}`,
        ...(byDefault && { requirement: 'webhooks.refund.default-address' }),
      },
    };
    return;
  }
  const [only] = here;
  // Where the address was named for several, or its create may have made more than is known, the ids to look for are not known.
  if (!only?.entity || here.some(({ entity }) => entity !== only.entity) || record.method !== 'POST') return;
  if (isOwedToAnotherRun(text, only)) return;
  yield {
    rule: ruleId(only.area, 'identifies'),
    records: [record],
    fault: {
      expected: `${only.ids.join(' or ')} in the webhook`,
      actual: `body = ${show(record.body.text)}`,
    },
  };
}

/**
 * A target goes on sending what it owes an earlier run, to a port that may be one of this run by now. Where an address is no more than its port, only a
 * webhook that names this run can be known to be of it.
 */
function isOwedToAnotherRun(text: string, { ids, url }: Naming): boolean {
  const [own, named] = [runsNamedIn(ids.join('\n')), runsNamedIn(text)];
  if (pathOf(url).replaceAll('/', '') === '' && named.size === 0) return true;
  return own.size > 0 && named.size > 0 && [...named].every((runId) => !own.has(runId));
}
