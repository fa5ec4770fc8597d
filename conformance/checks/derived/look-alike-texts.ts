import { createHash } from 'node:crypto';
import { checkoutOrders, hostedOrders, type ProductArrangement } from '../../arrange/products.ts';
import { refundsClient } from '../../arrange/refunds/client.ts';
import { makePaidOrder } from '../../arrange/refunds/paid-orders.ts';
import { makeRefund, refundRequest } from '../../arrange/refunds/refunds.ts';
import { sideBySide } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import {
  expectAccepted,
  expectField,
  expectRefused,
  expectThat,
  isAccepted,
  isTaken,
  summary,
} from '../../check/expect.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { PermittedChoice } from '../../errors/outcomes.ts';
import { unseenCharacters } from '../../values/free-fields.ts';
import type { Answer } from '../../wire/exchange.ts';
import { expectEach } from '../support/batch-answers.ts';
import { askedAgain, expectNoLastingFailure } from '../support/failures.ts';

// Texts that a careless reader takes for numbers or other values, and then shows as those are usually written.

/**
 * Ids that were not used before and look like other values: numbers with zeros before them and more digits than a double has, the same
 * without the zeros, which is a whole number of 64 bits, with an exponent, hexadecimal, a UUID in capitals, and a number of more than 64 bits.
 */
function telltaleIds(context: CheckContext): [string, string, string, string, string, string] {
  const hash = createHash('sha256').update(context.newOrderId()).digest('hex');
  const hex = hash.slice(0, 18);
  const digits = `7${BigInt(`0x${hex}`).toString().slice(-17)}`;
  const uuid = hash.replace(/^(.{7})(.{4})(.{3})(.{3})(.{12}).*/, 'A$1-$2-4$3-8$4-$5').toUpperCase();
  return [`000${digits}`, digits, `${digits.slice(-16)}e5`, `0x${hex}`, uuid, `9${digits}${digits.slice(-7)}`];
}

/** JSON text whose values are rewritten when it is parsed and written again, or when texts are taken for what they look like. */
const jsonText =
  '{"a": "007", "b": "1e5", "c": 12345678901234567890, "d": 1.50, "e": "true", "f": "null", "g": "2026-02-03"}';

/** The same without blanks, and with numbers that a double cannot hold in each place that JSON has for one. */
const compactJsonText =
  '{"a":"007","c":12345678901234567890,"d":1.50,"h":[9007199254740993,12345678901234567,9007199254740995]}';

/** JSON text of more levels than some readers follow, and fewer than the usual ones do. */
const deepJsonText = `{"a":${'['.repeat(27)}${']'.repeat(27)}}`;

/** JSON text with what else is written otherwise: numbers, escapes, names in another order than that of numbers, and blanks at its ends. */
const otherwiseWritten =
  ' {"b":1.0,"a":-0,"c":1E3,"2":[ ],"1":{},"\\u0064":"\\u0041\\/<b>&","":null,"__proto__":0.1000000000000000055}\n';

/** The same name twice, of which readers keep one. Some refuse it. */
const repeatedName = '{"a":1,"a":2}';

/** Texts that are JSON as a whole, and that a careless reader takes for a number, or for nothing. */
const jsonTexts = [jsonText, '1.50', '0', 'null'] as const;

/** Texts of a merchant's own that formats and programs other than JSON read as values, as names or as nothing, or whose ends they cut off. */
const foreignTexts = [
  // JSON that comes out otherwise where it is read and written again.
  ...['12345678901234567890', '-98765432109876543210.5', '0.12345678901234567890', '-0', '1E400', '1.50e3'],
  ...['[1.50, 12345678901234567890]', '"caf\\u00e9 \\/"', ' true ', otherwiseWritten, repeatedName],
  ...['12:30:45', '1_000', '0x1F', '0b11', '1e5', '+7', '.5', 'yes', '~', 'NaN', '2026-02-03'],
  ...['=1+1', '@x', '!x', "'x'", '"x', '<x/>', '%41', '&amp;', '\\u0041', '${x}', ':x'],
  // A backslash before what some escape.
  ...['a\\0b', '\\N', 'C:\\new\\x41', '"\\\\0"'],
  // What a filter of logs hides, and may hide in answers too.
  ...['ada@shop.example', '4111 1111 1111 1111', 'DE89 3704 0044 0532 0130 00', '+48 22 123 45 67', '192.0.2.17'],
  ...['{"password":"x","apiKey":"k-1"}', 'Authorization: Bearer abc.def.ghi', 'https://ada:secret@shop.example/'],
  // DEL alone is ASCII. The last ones are blanks.
  ...[...unseenCharacters, '\u00a0', '\u2009', '\u3000'].map((character) => `two${character}words`),
  ...[' x ', '\tx', 'x\n', 'x\r\n', 'x\0', '\0x', '\ufeffx'],
];

/** Orders whose texts all look like values of other types. */
function orderCheck({ product, noun, aNoun, create }: ProductArrangement): CheckDeclaration {
  return {
    id: `${product}.create.look-alike-texts`,
    title: `The texts of ${aNoun} are taken and shown as they were sent where they look like numbers, dates, true or null`,
    requirements: [`${product}.view.echo`, `${product}.create.accepted`],
    async run(context) {
      // Some take only objects for JSON text, which metadata of a hosted order is.
      const [, decimal, zero] = product === 'checkout' ? jsonTexts : [];
      const others = [
        { description: 'null', userAgent: '1e5', metadata: jsonText },
        { description: '2026-02-03', userAgent: 'true', metadata: decimal ?? jsonText },
        { description: '007', userAgent: '0', metadata: zero ?? jsonText },
        { description: '1.0', userAgent: 'null', metadata: compactJsonText },
        { description: '[]', userAgent: '{}', metadata: deepJsonText },
      ];
      await sideBySide(
        telltaleIds(context).map(async (id, index) => {
          const { client, answer } = await create(context, { merchantOrderId: id, ...others[index] });
          expectAccepted(answer, `a create of ${aNoun} under the id ${id}`, `${product}.create.accepted`);
          const found = await client.query(id);
          expectAccepted(found, `a query for the ${noun} ${id}`, `${product}.query.by-merchant-order-id`);
          for (const each of [answer, found]) expectField(each, 'data.merchantOrderId', id);
        }),
      );
      // What comes back of metadata is judged by what every answer must echo, and that JSON text is taken by another rule.
      const hostedTexts = [otherwiseWritten, repeatedName, escapedBackslashes];
      await sideBySide(
        (product === 'checkout' ? foreignTexts : hostedTexts).map(async (metadata) => {
          const { client, merchantOrderId, answer } = await create(context, { metadata });
          if (isAccepted(answer)) await client.query(merchantOrderId);
        }),
      );
    },
  };
}

/** JSON text with a backslash before what some escape. */
const escapedBackslashes = '{"path":"C:\\\\0\\\\new"}';

const extraDataTexts = [...jsonTexts, otherwiseWritten, repeatedName, escapedBackslashes];

const refundCheck: CheckDeclaration = {
  id: 'refunds.create.look-alike-texts',
  title:
    'A refund is made and shown as it was sent where its texts look like numbers, dates, true or null, or its id has blanks around it, marks of addresses or characters that nobody sees',
  requirements: [
    'refunds.record.references',
    'refunds.record.extra-data',
    'refunds.query.by-merchant-refund-order-id',
    'refunds.batch-query.known',
  ],
  needs: ['order-events'],
  async run(context) {
    const merchant = await context.merchant();
    const reasons = ['null', '2026-02-03', '1e5'];
    /** Makes such a refund; the refusal, if it is refused. No sentence says of which characters the id may be, or that a number alone is JSON text. */
    const take = async (merchantRefundOrderId: string, index: number): Promise<Answer | undefined> => {
      const [merchantOrderId] = telltaleIds(context);
      const order = await makePaidOrder(context, merchant, { merchantOrderId });
      const refundReason = reasons[index] ?? 'true';
      const extraData = extraDataTexts[index] ?? compactJsonText;
      const client = refundsClient(context, merchant);
      const texts = { merchantRefundOrderId, refundReason, extraData };
      const created = await client.create(refundRequest(context, order.orderId, texts));
      if (!isTaken(created, 'a refund under such an id')) return created;
      const found = await client.query({ merchantRefundOrderId });
      expectAccepted(found, 'a query for the refund', 'refunds.query.by-merchant-refund-order-id');
      for (const answer of [created, found]) {
        expectField(answer, 'data.merchantRefundOrderId', merchantRefundOrderId);
        expectField(answer, 'data.merchantOrderId', merchantOrderId);
        expectField(answer, 'data.extraData', extraData, 'refunds.record.extra-data');
      }
      const batch = await client.batchQuery([merchantRefundOrderId]);
      expectAccepted(batch, 'a batch query for the refund', 'refunds.batch-query.known');
      expectField(batch, 'data.0.merchantRefundOrderId', merchantRefundOrderId, 'refunds.batch-query.known');
      return undefined;
    };
    const [withZeros, digits, ...others] = telltaleIds(context);
    const unusual = [
      ...others,
      ` ${context.newOrderId()} `,
      `${context.newOrderId()}  a   b`,
      `${context.newOrderId()}+%2B &=;#?/`,
      // What marks a name, a reference or an expression in languages and formats.
      `:${context.newOrderId()}`,
      `^@$!${context.newOrderId()}~`,
      // What ends a text, joins several or stands for another mark where lists are written as one text.
      ...['\\x', '\\0\\N', '"q"', "'s'", '{a,b}', '[c];d|e', '*', '\\'].map(
        (marks) => `${context.newOrderId()}${marks}`,
      ),
      `${context.newOrderId()}${unseenCharacters.filter((each) => !/\p{Cc}/u.test(each)).join('-')}.`,
    ];
    const refusals = [
      await take(withZeros, 0),
      await take(digits, 1),
      ...(await sideBySide(unusual.map((id, index) => take(id, index + 2)))),
    ];
    const [first, second] = refusals;
    if (!first && second && !(await take(telltaleIds(context)[1], 1))) {
      expectThat(false, second, {
        expected: `a refund under the id ${digits}: accepted, since that was used for none, and ids of digits are taken`,
        actual: `${summary(second)}; there is a refund under the id ${withZeros}`,
        requirement: 'refunds.create.accepted',
      });
    }
    if (refusals.every(Boolean)) throw new PermittedChoice('refunds under ids that look like numbers are refused here');
  },
};

/**
 * Words that objects of a programming language know without being told, of the length that the id of an order has, and of any: who keeps records
 * in such an object finds one that nobody made.
 */
const wordsForOrders = ['propertyIsEnumerable', '__defineGetter__'];
const wordsForRefunds = ['constructor', 'toString', 'null', 'undefined', 'NULL'];

/** Orders of a merchant of its own, because the ids are the same in every run. */
function wordsOfOrders({ product, noun, aNoun, client: clientOf, make }: ProductArrangement): CheckDeclaration {
  return {
    id: `${product}.create.words-of-languages`,
    title: `The id of ${aNoun} may be a word that has a meaning in a programming language`,
    requirements: [
      `${product}.create.accepted`,
      `${product}.view.echo`,
      `${product}.query.by-merchant-order-id`,
      `${product}.errors.unknown-order`,
    ],
    needs: ['own-merchant'],
    async run(context) {
      const merchant = await context.ownMerchant();
      const client = clientOf(context, merchant);
      await sideBySide(
        wordsForOrders.map(async (word) => {
          const unmade = `a query for the ${noun} ${word}, which nobody has made`;
          expectRefused(await client.query(word), unmade, `${product}.errors.unknown-order`);
          const what = `${aNoun} under the merchantOrderId ${word}`;
          const { created } = await make(context, merchant, { merchantOrderId: word }, (answer) =>
            expectAccepted(answer, what, `${product}.create.accepted`),
          );
          const found = await client.query(word);
          expectAccepted(found, `a query for ${what}`, `${product}.query.by-merchant-order-id`);
          for (const each of [created, found]) expectField(each, 'data.merchantOrderId', word, `${product}.view.echo`);
        }),
      );
    },
  };
}

/** Whether two merchants can have refunds of the same id, which is open (point id-namespaces). */
async function hasOwnIds(context: CheckContext, merchant: Credentials): Promise<boolean> {
  const { request } = await makeRefund(context, merchant);
  const other = await context.ownMerchant();
  const { orderId } = await makePaidOrder(context, other);
  const { merchantRefundOrderId } = request;
  return isAccepted(
    await refundsClient(context, other).create(refundRequest(context, orderId, { merchantRefundOrderId })),
  );
}

const wordsOfRefunds: CheckDeclaration = {
  id: 'refunds.create.words-of-languages',
  title: 'The id of a refund may be a word that has a meaning in a programming language',
  requirements: [
    'refunds.create.accepted',
    'refunds.record.references',
    'refunds.query.by-merchant-refund-order-id',
    'refunds.batch-query.known',
    'general.lasting-failure',
  ],
  needs: ['order-events', 'own-merchant'],
  async run(context) {
    const merchant = await context.ownMerchant();
    const { batchQuery } = refundsClient(context, merchant);
    const unmade = await askedAgain(
      context,
      () => batchQuery(wordsForRefunds),
      () => batchQuery([context.newOrderId()]),
    );
    const asked = `a batch query for ${wordsForRefunds.join(', ')}, of which there is no refund`;
    expectNoLastingFailure(unmade, asked, 'accepted or refused', 'general.lasting-failure');
    const taken = await sideBySide(
      wordsForRefunds.map(async (word) => {
        const order = await makePaidOrder(context, merchant);
        const client = refundsClient(context, merchant);
        const created = await client.create(refundRequest(context, order.orderId, { merchantRefundOrderId: word }));
        const what = `a refund under the merchantRefundOrderId ${word}`;
        // Where ids are those of all merchants, an earlier run may have used the word.
        if (!isAccepted(created) && !(await hasOwnIds(context, merchant))) return [];
        expectAccepted(created, what, 'refunds.create.accepted');
        const found = await client.query({ merchantRefundOrderId: word });
        expectAccepted(found, `a query for ${what}`, 'refunds.query.by-merchant-refund-order-id');
        for (const each of [created, found]) expectField(each, 'data.merchantRefundOrderId', word);
        return [word];
      }),
    );
    const words = taken.flat();
    if (words.length === 0) return;
    const batch = `a batch query for refunds under the ids ${words.join(', ')}`;
    expectEach(await batchQuery(words), words, words, batch, 'refunds.batch-query.known');
  },
};

/** Texts of every create that look like values of another type, or like words of a language. */
export const lookAlikeTextChecks: readonly CheckDeclaration[] = [
  orderCheck(hostedOrders),
  orderCheck(checkoutOrders),
  refundCheck,
  wordsOfOrders(hostedOrders),
  wordsOfOrders(checkoutOrders),
  wordsOfRefunds,
];
