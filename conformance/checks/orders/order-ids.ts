import { constraints } from '../../../generated/catalogue.ts';
import { pathEscaped } from '../../arrange/authentication/as-sent.ts';
import { similarOrderIds } from '../../arrange/orders/any-order.ts';
import { checkoutOrders, hostedOrders, type ProductArrangement } from '../../arrange/products.ts';
import type { SignedRequest } from '../../arrange/requests/signed-client.ts';
import { someAtOnce } from '../../arrange/requests/some-at-once.ts';
import { ifTaken, sideBySide } from '../../arrange/situations/situations.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import {
  expectAccepted,
  expectField,
  expectNothingOf,
  expectRefused,
  expectThat,
  isAccepted,
  needAccepted,
} from '../../check/expect.ts';
import { errorCode } from '../../contract/error-codes.ts';
import { lengthLimit } from '../../contract/lengths.ts';
import { percentEncoded } from '../../contract/percent-encoding.ts';
import { show } from '../../contract/show.ts';
import { inWideForms } from '../../values/classes/characters.ts';
import { impossibleIds, longerIds, mixesCases } from '../../values/parameters.ts';
import { printed } from '../../values/printed.ts';
import { sameNumbers } from '../../values/same-numbers.ts';
import { field } from '../../wire/exchange.ts';
import { askedAgain, expectRefusedWithoutFailure } from '../support/failures.ts';
import { showsIdAsked } from '../support/platform-ids.ts';

/**
 * Ids that a careless search takes for another one: its beginning, one that it begins, and one with a wildcard of SQL; of an id that mixes
 * cases or that a merchant gave, also the same in one case; and of a merchant's id the same with other separators or none.
 */
function similarIds(id: string, givenBy: 'merchant' | 'platform'): string[] {
  const beginning = [...id].slice(0, -1).join('');
  const isMerchants = givenBy === 'merchant';
  const otherCase = isMerchants || mixesCases(id) ? [id.toLowerCase(), id.toUpperCase()] : [];
  // A platform may read its own ids without their separators, as those of UUIDs.
  const otherSeparators = isMerchants ? [id.replaceAll('-', '_'), id.replaceAll('-', '')] : [];
  const similar = [beginning, `${id}x`, `${beginning}_`, ...otherCase, ...otherSeparators];
  return [...new Set(similar)].filter((each) => each !== id && each !== '');
}

/** Beginnings and an end of an id of the greatest length, cut where columns and keys of indexes often end. */
function partsOf(longId: string): string[] {
  const beginnings = [32, 36, 50].map((length) => longId.slice(0, length));
  return [...beginnings, longId.slice(0, -1), longId.slice(-32)];
}

/** Ids of a merchant that begin as an id of the platform does, as far as its characters may stand there. */
function idsLike(platformId: string, newId: () => string): string[] {
  const { limit: longest } = lengthLimit('orders', 'merchantOrderId', 'maxLength');
  const written = platformId.replace(/[^A-Za-z0-9_-]/g, '-');
  const [letters = ''] = /^[A-Za-z]*/.exec(written) ?? [];
  return [...new Set([letters, `${letters}_`, written.slice(0, 4), written])]
    .filter((beginning) => beginning !== '')
    .map((beginning) => {
      const id = newId();
      return `${beginning.slice(0, longest - id.length)}${id}`;
    });
}

/** A request as it is. */
const asItIs = (request: SignedRequest): SignedRequest => request;

/** Whether a text has the form of a merchantOrderId. */
function isMerchantOrderId(product: 'orders' | 'checkout', text: string): boolean {
  const pattern = constraints.find(({ id }) => id === `${product}.create.merchantOrderId.pattern`)?.value;
  const [shortest, longest] = (['minLength', 'maxLength'] as const).map(
    (keyword) => lengthLimit(product, 'merchantOrderId', keyword).limit,
  );
  const isLong = text.length >= (shortest ?? 0) && text.length <= (longest ?? 0);
  return isLong && new RegExp(String(pattern)).test(text);
}

/** Checks of the ids that merchants give their orders, for both products. */
export const orderIdChecks: readonly CheckDeclaration[] = [hostedOrders, checkoutOrders].flatMap(checksOf);

function checksOf({ product, noun, aNoun, client: clientOf, make, create }: ProductArrangement): CheckDeclaration[] {
  return [
    {
      id: `${product}.create.merchant-order-id.distinct`,
      title:
        'Ids that differ in the last of 64 characters, in the case of one letter, or in how they write a number, are those of two orders',
      requirements: [`${product}.create.accepted`, `${product}.view.echo`, `${product}.view.order-id`],
      async run(context) {
        const client = clientOf(context, await context.merchant());
        const expectOwnOrders = async ([first, ...others]: readonly [string, ...string[]]) => {
          const { answer: created } = await create(context, { merchantOrderId: first });
          needAccepted(created, `a create under the id ${first}`);
          for (const merchantOrderId of others) {
            const { answer } = await create(context, { merchantOrderId });
            expectAccepted(answer, `a create under the id ${merchantOrderId}, which differs from ${first}`);
            for (const each of [answer, await client.query(merchantOrderId)]) {
              expectField(each, 'data.merchantOrderId', merchantOrderId, `${product}.view.echo`);
              expectThat(field(each, 'data.orderId') !== field(created, 'data.orderId'), each, {
                expected: `another orderId than that of the ${noun} ${first}`,
                actual: `the same: ${show(field(each, 'data.orderId'))}`,
                requirement: `${product}.view.order-id`,
              });
            }
          }
          const query = await client.query(first);
          expectField(query, 'data.orderId', field(created, 'data.orderId'), `${product}.view.echo`);
        };
        await sideBySide([similarOrderIds(context), ...sameNumbers(context.newOrderId)].map(expectOwnOrders));
      },
    },
    {
      id: `${product}.query.like-platform-id`,
      title: `${aNoun} whose merchantOrderId begins as the ids of the platform do is found by it`.replace(/^a/, 'A'),
      requirements: [`${product}.query.by-merchant-order-id`, `${product}.create.accepted`],
      async run(context) {
        const { client, orderId, request } = await make(context, await context.merchant());
        // Where the platform's ids have the form of a merchant's, one of them is an id like any other, unless it is the merchant's already.
        const isFree = isMerchantOrderId(product, orderId) && orderId !== request.merchantOrderId;
        const own = isFree ? [orderId] : [];
        for (const merchantOrderId of [...idsLike(orderId, context.newOrderId), ...own]) {
          const { answer } = await create(context, { merchantOrderId });
          const what = `a create under the id ${merchantOrderId}, where the platform has ids such as ${orderId}`;
          expectAccepted(answer, what, `${product}.create.accepted`);
          const found = await client.query(merchantOrderId);
          expectAccepted(found, `a query for the ${noun} ${merchantOrderId}`);
          expectField(found, 'data.merchantOrderId', merchantOrderId);
        }
      },
    },
    {
      id: `${product}.query.unknown`,
      title: `A query for ${aNoun} that does not exist is refused with 40001, even where there is one of a similar id`,
      requirements: [`${product}.errors.unknown-order`],
      async run(context) {
        const { client, request, orderId, query } = await make(context, await context.merchant());
        const expectUnknown = async (id: string, what: string, written = asItIs) => {
          const answer = await client.send(written({ method: 'GET', path: client.queryPath(id) }));
          expectRefused(answer, what);
          expectField(answer, 'code', errorCode(product, 'ORDER_NOT_FOUND'));
        };
        const forUnknown = `a query for ${aNoun} that does not exist`;
        await expectUnknown(context.newOrderId(), forUnknown);
        if (context.has('own-merchant')) {
          // What a target keeps of a merchant may be there only once the merchant has made something.
          const newcomer = clientOf(context, await context.ownMerchant());
          const answer = await askedAgain(context, () => newcomer.query(context.newOrderId()), query);
          const what = `${forUnknown}, of a merchant that has made nothing`;
          expectRefusedWithoutFailure(answer, what);
          expectField(answer, 'code', errorCode(product, 'ORDER_NOT_FOUND'));
        }
        await expectUnknown(context.newOrderId(), `${forUnknown}, with needless escapes in its path`, pathEscaped);
        for (const keyword of ['minLength', 'maxLength'] as const) {
          const { limit: length } = lengthLimit(product, 'merchantOrderId', keyword);
          const id = context.newOrderId().padEnd(length, '0').slice(-length);
          await expectUnknown(id, `${forUnknown}, under an id of ${length} characters`);
        }
        await someAtOnce(similarIds(request.merchantOrderId, 'merchant'), (id) =>
          expectUnknown(id, `a query for ${id}, where there is ${aNoun} ${request.merchantOrderId}`),
        );
        const { limit: longest } = lengthLimit(product, 'merchantOrderId', 'maxLength');
        const longId = `${context.newOrderId()}-`.repeat(longest).slice(0, longest);
        // A target that refuses so long an id is told so by another check.
        if (await ifTaken(make(context, client.merchant, { merchantOrderId: longId }))) {
          await someAtOnce(partsOf(longId), (id) =>
            expectUnknown(id, `a query for ${id}, where there is ${aNoun} ${longId}`),
          );
        }
        const similar = [...similarIds(orderId, 'platform'), inWideForms(orderId), ...longerIds(orderId)];
        await someAtOnce(similar, async (id) => {
          const answer = await client.query(id);
          // The platform may count its ids, so that a part of one is that of another order.
          const isOther = isAccepted(answer) && field(answer, 'data.orderId') === id;
          if (!isOther) expectRefused(answer, `a query for ${printed(id)}, where there is ${aNoun} ${orderId}`);
        });
      },
    },
    {
      id: `${product}.query.impossible-id`,
      title: `A query for an id that no ${noun} can have is refused`,
      requirements: [`${product}.query.malformed-id`],
      openPoint: 'query-malformed-id',
      async run(context) {
        const { client, request, query } = await make(context, await context.merchant());
        needAccepted(await query(), `a query for ${aNoun}`);
        // Each is a change of the id of an order that there is, which a careless reader of ids finds.
        const ids = impossibleIds(`${product}.create`, 'merchantOrderId', { ...request }, context.random);
        const sent = await someAtOnce(ids, async ({ value, valueClass }) => {
          const ask = () => client.send({ method: 'GET', path: client.queryPath(value) });
          const answer = await askedAgain(context, ask, query);
          return { answer, value, what: `a query for ${printed(value)} (${valueClass.title})` };
        });
        for (const { answer, value, what } of sent) {
          if (showsIdAsked(answer, value, ['orderId'])) continue;
          const code = show(field(answer, 'code'));
          const values: Record<string, string> = {
            [errorCode(product, 'ORDER_NOT_FOUND')]: 'not-found',
            [errorCode(product, 'INVALID_PARAMETER')]: 'invalid-parameter',
          };
          context.observeIn(answer, 'query-malformed-id', `${what}: code ${code}`, values[code] ?? null);
          expectRefusedWithoutFailure(answer, what);
        }
      },
    },
    {
      id: `${product}.query.other-merchant`,
      title: `A merchant's query does not show another merchant's ${noun}`,
      requirements: [`${product}.query.other-merchant`],
      needs: ['other-merchant'],
      async run(context) {
        const owner = await context.merchant();
        const { request, orderId } = await make(context, owner);
        const other = clientOf(context, await context.merchant('other'));
        for (const id of [request.merchantOrderId, orderId]) {
          const answer = await other.query(id);
          // Two merchants may each have an order with the same platform id.
          const isItsOwn = field(answer, 'data.merchantId') === other.merchant.merchantId;
          if (isItsOwn && showsIdAsked(answer, orderId, ['orderId'])) continue;
          expectRefused(answer, `a query for another merchant's ${noun}`);
          expectNothingOf(answer, [orderId], [id], 'order');
        }
        // What may name the owner to a careless reader, beside the path that names the merchant who asks.
        const { merchantId } = owner;
        const written = percentEncoded(merchantId);
        const named = { 'X-Merchant-Id': written, 'Merchant-Id': written, 'X-Account-Id': written };
        const path = other.queryPath(request.merchantOrderId);
        for (const more of [{ headers: named }, { query: `merchantId=${written}` }]) {
          const answer = await other.send({ method: 'GET', path, ...more });
          expectRefused(answer, `a query for another merchant's ${noun} that names its merchant`);
          expectNothingOf(answer, [orderId], [request.merchantOrderId], 'order');
        }
      },
    },
  ];
}
