import { isObject } from '../contract/json.ts';
import { contractOperations } from '../contract/operations.ts';
import type { RequestRecord, WebhookRecord } from '../history/records.ts';
import { type Book, type Entity, type Exchanged, idField, merchantIdField, textAt } from './book.ts';
import type { Invariant, InvariantRule, Judgement } from './invariant.ts';

/** The kind of a webhook, by the operation whose request names its address. */
const webhookKinds: Readonly<Record<string, string>> = {
  'orders.create': 'order',
  'checkout.create': 'checkout-order',
  'refunds.create': 'refund',
};

const answerRule = (operation: string) => `${operation}.isolation.other-merchant`;
const webhookRule = (operation: string) => `webhooks.${webhookKinds[operation]}.isolation.other-merchant`;

const rules: readonly InvariantRule[] = [
  ...contractOperations.map(({ name }) => ({
    id: answerRule(name),
    title: `No answer of ${name} tells a merchant of another merchant's orders and refunds`,
    requirements: ['general.isolation'] as const,
  })),
  ...Object.entries(webhookKinds).map(([operation, kind]) => ({
    id: webhookRule(operation),
    title: `No ${kind === 'refund' ? 'webhook of a refund' : `webhook of a ${kind.replace('-', ' ')}`} tells a merchant of another merchant's orders and refunds`,
    requirements: ['general.isolation'] as const,
  })),
];

/**
 * No value that only one merchant's orders and refunds have reaches another merchant that did not send it. Short values are not looked
 * for, because another merchant may have the same by chance.
 */
export const isolation: Invariant = { name: 'isolation', rules, judge };

/** The fewest characters of a value that is looked for. */
const shortest = 12;

/** The most characters of a value that is looked for inside of a text, so that very long words cost little. */
const longest = 512;

/** A value that the orders or refunds of one merchant have. */
interface Secret {
  owner: string;
  /** What it is, as a noun. */
  name: string;
  /** The answer that shows whose it is. */
  record: RequestRecord;
}

function* judge(book: Book): Iterable<Judgement> {
  const secrets = secretsIn(book);
  const owners = new Set([...secrets.values()].map(({ owner }) => owner));
  const sent = sentBy(book, secrets);
  const isAnothers = (receivers: readonly string[]) =>
    owners.size > receivers.filter((receiver) => owners.has(receiver)).length;

  /** The first value in texts that none of the receivers has or had sent by a moment. */
  function leakIn(texts: Iterable<string>, receivers: readonly string[], moment: number) {
    for (const value of valuesIn(texts)) {
      const secret = secrets.get(value);
      if (!secret || receivers.includes(secret.owner)) continue;
      if (receivers.some((each) => (sent.get(each)?.get(value) ?? Number.POSITIVE_INFINITY) <= moment)) continue;
      return { value, secret };
    }
    return undefined;
  }

  for (const exchanged of book.exchanged) {
    const { record, operation } = exchanged;
    const receivers = [record.as];
    // Whom an answer reaches is not clear where the authentication was changed; the cut-off end of a body may have sent anything.
    if (record.authentication !== 'right' || record.body?.cut || !isAnothers(receivers)) continue;
    yield judged(
      answerRule(operation),
      record,
      leakIn(textsOfAnswer(exchanged), receivers, record.end),
      'the answer to',
    );
  }

  const addresses = addressesIn(book);
  for (const webhook of book.webhooks) {
    const named = addresses.get(webhook.address);
    const receivers = [...(named?.merchants ?? [])];
    if (!named || webhook.body.cut || !isAnothers(receivers)) continue;
    const rule = webhookRule(named.operation);
    yield judged(rule, webhook, leakIn(textsOfBody(webhook.body.text), receivers, webhook.end), 'a webhook for');
  }

  function judged(
    rule: string,
    record: RequestRecord | WebhookRecord,
    leak: ReturnType<typeof leakIn>,
    what: string,
  ): Judgement {
    if (!leak) return { rule, records: [record] };
    const { value, secret } = leak;
    const receiver =
      record.kind === 'request' ? record.as : [...(addresses.get(record.address)?.merchants ?? [])].join(' and ');
    return {
      rule,
      records: [secret.record, record],
      fault: {
        expected: `${what} merchant ${receiver} has nothing of merchant ${secret.owner}`,
        actual: `${what} merchant ${receiver} has ${value}, ${secret.name} of merchant ${secret.owner}`,
      },
    };
  }
}

/** Every value that the orders and refunds of exactly one merchant have, with that merchant. */
function secretsIn({ entities }: Book): ReadonlyMap<string, Secret> {
  const secrets = new Map<string, Secret>();
  const shared = new Set<string>();
  const add = (value: string | undefined, secret: Secret) => {
    if (value === undefined || value.length < shortest) return;
    const known = secrets.get(value);
    if (known && known.owner !== secret.owner) shared.add(value);
    if (!known) secrets.set(value, secret);
  };
  const addresses = new Map<string, Entity>();
  for (const entity of entities) {
    for (const { view } of entity.sightings) {
      for (const path of [['depositAddress'], ['cryptoPaymentDetail', 'toAddress']]) {
        const address = textAt(view, ...path);
        if (address === undefined) continue;
        // A receiving address may be that of several orders, and then of several merchants.
        if ((addresses.get(address) ?? entity) !== entity) shared.add(address);
        addresses.set(address, entity);
      }
    }
    if (!isOwn(entity)) continue;
    const { merchantId: owner, area, id, origins, sightings, events } = entity;
    const noun = area === 'refunds' ? 'a refund' : 'an order';
    const [first] = sightings;
    if (!first) continue;
    add(id, { owner, name: `the ${idField[area]} of ${noun}`, record: first.record });
    for (const { sent, record } of origins) {
      const name = `the ${merchantIdField[area]} of ${noun}`;
      if (record.as === owner) add(textAt(sent, merchantIdField[area]), { owner, name, record });
    }
    for (const { event, result } of events) {
      const isPaid = 'fromAddress' in event && 'done' in result && result.done;
      // The run makes up another payer for each payment.
      if (isPaid) add(event.fromAddress, { owner, name: `the payer's address of ${noun}`, record: first.record });
    }
    for (const { view, record } of sightings) {
      const of = (name: string): Secret => ({ owner, name: `the ${name} of ${noun}`, record });
      add(textAt(view, 'checkoutUrl'), of('checkoutUrl'));
      add(textAt(view, 'depositAddress'), of('depositAddress'));
      add(textAt(view, 'cryptoPaymentDetail', 'txHash'), of('txHash'));
      add(textAt(view, 'cryptoPaymentDetail', 'transactionHash'), of('transactionHash'));
    }
  }
  for (const value of shared) secrets.delete(value);
  return secrets;
}

/** Whether a merchant made an entity itself: a create of its own may have been answered with another merchant's. */
const isOwn = ({ origins, merchantId, sightings }: Entity): boolean =>
  origins.length > 0 && sightings.every(({ view }) => (textAt(view, 'merchantId') ?? merchantId) === merchantId);

/** When each merchant first sent a value that may be another's: the start of the request, in milliseconds of the run. */
function sentBy({ exchanged, unanswered }: Book, secrets: ReadonlyMap<string, Secret>) {
  const sent = new Map<string, Map<string, number>>();
  for (const record of [...exchanged.map((each) => each.record), ...unanswered]) {
    const known = sent.get(record.as) ?? new Map<string, number>();
    sent.set(record.as, known);
    for (const value of valuesIn(textsOfRequest(record))) {
      if (secrets.has(value)) known.set(value, Math.min(known.get(value) ?? record.start, record.start));
    }
  }
  return sent;
}

/** The addresses that merchants gave for webhooks, with the merchants and the operation of the first request that names it. */
function addressesIn({ exchanged, provisions }: Book) {
  const addresses = new Map<string, { operation: string; merchants: Set<string> }>();
  const add = (address: string | undefined, operation: string, merchantId: string) => {
    if (address === undefined) return;
    const known = addresses.get(address) ?? { operation, merchants: new Set() };
    addresses.set(address, known);
    known.merchants.add(merchantId);
  };
  for (const { merchantId, settings } of provisions.values()) {
    if (merchantId !== undefined) add(settings.defaultNotifyUrl, 'refunds.create', merchantId);
  }
  for (const { operation, sent, record } of exchanged) {
    if (operation in webhookKinds)
      add(textAt(sent, operation === 'refunds.create' ? 'notifyUrl' : 'callbackUrl'), operation, record.as);
  }
  return addresses;
}

/** The characters of which the values in running text are made, as many of them as a value has at least. */
const pieces = new RegExp(`[A-Za-z0-9._-]{${shortest},}`, 'g');

const marksAround = /^[._-]|[._-]$/;

/** The texts in which values are looked for, as they stand and piece by piece. Shorter ones are left out. */
function* valuesIn(texts: Iterable<string>): Iterable<string> {
  for (const text of texts) {
    if (text.length < shortest) continue;
    yield text;
    for (const piece of text.match(pieces) ?? []) {
      if (piece.length > longest) continue;
      if (piece !== text) yield piece;
      if (marksAround.test(piece)) yield piece.replace(/^[._-]+/, '').replace(/[._-]+$/, '');
    }
  }
}

function* textsOfAnswer({ answered, record: { answer } }: Exchanged): Iterable<string> {
  yield* Object.values(answer?.headers ?? {});
  if (answered === undefined) yield answer?.body.text ?? '';
  else yield* textsOf(answered);
}

function textsOfBody(text: string): Iterable<string> {
  try {
    return textsOf(JSON.parse(text));
  } catch {
    return [text];
  }
}

/** Everything that a request says in its path, its query and its body, read and as it stands. */
function* textsOfRequest({ parameters, path, query, body }: RequestRecord): Iterable<string> {
  yield* Object.values(parameters ?? {});
  yield path;
  if (query !== undefined) {
    yield query;
    for (const [name, value] of new URLSearchParams(query)) yield* [name, value];
  }
  if (!body) return;
  yield* textsOfBody(body.text);
}

/** Every text in a JSON value, the names of its fields included. A value that is nested deeply needs no deep stack. */
function* textsOf(value: unknown): Iterable<string> {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === 'string') yield next;
    else if (Array.isArray(next)) for (const each of next) open.push(each);
    else if (isObject(next)) for (const [name, each] of Object.entries(next)) open.push(name, each);
  }
}
