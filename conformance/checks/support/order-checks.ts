import type { Area, RequirementId } from '../../../generated/catalogue.ts';
import { noFurtherLetters } from '../../arrange/orders/any-order.ts';
import type { ProductArrangement } from '../../arrange/products.ts';
import { sideBySide } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import {
  expectAccepted,
  expectField,
  expectUnchanged,
  isAccepted,
  isParameterRefusal,
  needAccepted,
  summary,
} from '../../check/expect.ts';
import { keysOf } from '../../check/keys-of.ts';
import type { Need } from '../../check/needs.ts';
import type { JsonObject } from '../../contract/json.ts';
import { lengthLimit } from '../../contract/lengths.ts';
import { show } from '../../contract/show.ts';
import { successCode } from '../../contract/success-code.ts';
import { NotApplicable } from '../../errors/outcomes.ts';
import { everyPair } from '../../values/pairs.ts';
import { type Answer, field } from '../../wire/exchange.ts';

// Checks that both products have, each declared once and asked of one product.

/** A create with the required fields only makes an order that a query finds. */
export function minimalCreate({ product, aNoun, create }: ProductArrangement, title: string): CheckDeclaration {
  return {
    id: `${product}.create.minimal`,
    title,
    requirements: [
      `${product}.create.accepted`,
      `${product}.create.optional-fields`,
      'general.base-path',
      'general.success-code',
    ],
    async run(context) {
      const { client, merchantOrderId, answer } = await create(context, {});
      // Where the answer shows an order, only its code is wrong.
      const made = typeof field(answer, 'data.orderId') === 'string';
      if (made) expectField(answer, 'code', successCode, 'general.success-code');
      expectAccepted(answer, `a create of ${aNoun} with every required field`);
      const query = await client.query(merchantOrderId);
      expectAccepted(query, 'a query for the order that was just made', `${product}.query.by-merchant-order-id`);
    },
  };
}

/** A create is accepted with every optional field, with each alone, and with all but each; `create` sends one with such fields. */
export function everyOptionalField<Fields extends object>(
  { product, aNoun }: ProductArrangement,
  create: (context: CheckContext, fields: Partial<NoInfer<Fields>>) => Promise<{ answer: Answer }>,
  all: Fields,
): CheckDeclaration {
  return {
    id: `${product}.create.every-optional-field`,
    title:
      'A request with every optional field makes an order, and so does one with each of them alone, or with all but one',
    requirements: [`${product}.create.optional-fields`],
    async run(context) {
      needAccepted((await create(context, {})).answer, 'the same request without optional fields');
      const { answer } = await create(context, all);
      expectAccepted(answer, `a create of ${aNoun} with every optional field`);
      await sideBySide(
        keysOf(all).flatMap((name) => {
          const { [name]: alone, ...others } = all;
          const expectTaken = async (fields: object, which: string) =>
            expectAccepted((await create(context, fields)).answer, `a create of ${aNoun} with ${which}`);
          return [
            expectTaken({ [name]: alone }, `no other optional field than ${String(name)}`),
            expectTaken(others, `every optional field but ${String(name)}`),
          ];
        }),
      );
    },
  };
}

/**
 * The fields of creates in which an object has each choice of its optional fields, all of them and none too, under what they are in words: an
 * implementation may want one field of an object wherever another one is there. `noun`: the object; `whole`: all of its optional fields.
 */
export function choicesOf<Part extends object, Fields>(
  noun: string,
  whole: Part,
  fields: (part: Partial<Part>) => Fields,
): Record<string, Fields> {
  const choices: (keyof Part)[][] = [[]];
  for (const name of keysOf(whole)) choices.push(...choices.map((names) => [...names, name]));
  return Object.fromEntries(
    choices.map((names) => {
      const part: Partial<Part> = {};
      for (const name of names) part[name] = whole[name];
      return [`${noun} with ${names.length > 0 ? `${names.join(' and ')} only` : 'no field'}`, fields(part)];
    }),
  );
}

/**
 * Each optional field of an object may stand alone, and a list may be empty. `parts`: the fields of a create for each, in words; `create`
 * sends one with these fields.
 */
export function optionalParts<Changes extends object>(
  { product }: ProductArrangement,
  create: (context: CheckContext, changes: Changes | Record<string, never>) => Promise<{ answer: Answer }>,
  parts: Readonly<Record<string, Changes>>,
): CheckDeclaration {
  return {
    id: `${product}.create.optional-parts`,
    title:
      'Of the optional fields of customer and items any may be left out, whichever others are there, and so may the path of a callbackUrl',
    requirements: [`${product}.create.optional-fields`],
    async run(context) {
      needAccepted((await create(context, {})).answer, 'the same request without them');
      await sideBySide(
        Object.entries(parts).map(async ([what, changes]) =>
          expectAccepted((await create(context, changes)).answer, what),
        ),
      );
    },
  };
}

/**
 * Every value of an optional field is accepted beside every value of each other one. `valuesOf`: the fields of a create for each value of each
 * optional part, of which the first stands for none of it; `create` sends one with such fields.
 */
export function pairsOfFields<Fields extends object>(
  { product, aNoun }: ProductArrangement,
  create: (context: CheckContext, fields: Partial<NoInfer<Fields>>) => Promise<{ answer: Answer }>,
  valuesOf: (context: CheckContext) => Promise<readonly (readonly Partial<Fields>[])[]>,
): CheckDeclaration {
  return {
    id: `${product}.create.pairs-of-fields`,
    title:
      'Every value of an optional field, be it empty, full or null, may stand beside every value of each other one',
    requirements: [`${product}.create.optional-fields`],
    async run(context) {
      needAccepted((await create(context, {})).answer, 'the same request without optional fields');
      const parts = await valuesOf(context);
      await sideBySide(
        everyPair(parts.map((values) => values.length)).map(async (row) => {
          const fields: Partial<Fields> = Object.assign({}, ...row.map((value, part) => parts[part]?.[value]));
          expectAccepted((await create(context, fields)).answer, `a create of ${aNoun} with ${show(fields)}`);
        }),
      );
    },
  };
}

/** An optional text, in words, with the fields of a create in which it is empty, and the requirement that permits it. */
export type EmptyText<Fields extends object> = readonly [
  name: string,
  fields: Partial<Fields>,
  requirement: RequirementId,
];

/** An optional text whose rule is a longest length only, or that has no rule, may be empty; `create` sends a create with such fields. */
export function emptyTexts<Fields extends object>(
  { product }: ProductArrangement,
  create: (context: CheckContext, fields: Partial<NoInfer<Fields>>) => Promise<{ answer: Answer }>,
  texts: readonly EmptyText<Fields>[],
): CheckDeclaration {
  const names = texts.map(([name]) => name);
  const [, , first] = texts[0] ?? ['', {}, `${product}.create.optional-fields` as const];
  return {
    id: `${product}.create.empty-texts`,
    title: `${names.slice(0, -1).join(', ')} and ${names.at(-1)} may be empty`,
    requirements: [first, ...new Set(texts.map(([, , requirement]) => requirement).filter((each) => each !== first))],
    async run(context) {
      needAccepted((await create(context, {})).answer, 'the same request without them');
      await sideBySide(
        texts.map(async ([name, fields, requirement]) =>
          expectAccepted((await create(context, fields)).answer, `an empty ${name}`, requirement),
        ),
      );
    },
  };
}

/** A merchantOrderId may have every character that its rule allows. */
export function merchantOrderIdAlphabet({ product, create }: ProductArrangement): CheckDeclaration {
  return {
    id: `${product}.create.merchant-order-id.alphabet`,
    title: 'A merchantOrderId may have capital and small letters, digits, underscore and hyphen, and is kept as it is',
    requirements: [`${product}.create.merchant-order-id.characters`, `${product}.view.echo`],
    async run(context) {
      needAccepted((await create(context, {})).answer, 'the same request with another merchantOrderId');
      const merchantOrderId = `_${context.newOrderId()}_Az-`;
      const { client, answer } = await create(context, { merchantOrderId });
      expectAccepted(answer, `a merchantOrderId of ${merchantOrderId}`);
      for (const each of [answer, await client.query(merchantOrderId)]) {
        expectField(each, 'data.merchantOrderId', merchantOrderId, `${product}.view.echo`);
      }
    },
  };
}

/** A letter beyond ASCII, and a text of it that has so many characters at most. */
interface Wide {
  letter: string;
  fill(limit: number): string;
}

/**
 * Letters of two, three and four bytes. A place at which careless code cuts a text, such as 100, 255 or 1024 bytes, lies inside a character
 * of one of them. A letter of four bytes counts as two where a language counts in UTF-16, so its text has half as many.
 */
const wideLetters: readonly Wide[] = [
  { letter: 'ż', fill: (limit) => 'ż'.repeat(limit) },
  { letter: '語', fill: (limit) => '語'.repeat(limit) },
  { letter: '😀', fill: (limit) => `a${'😀'.repeat(Math.floor((limit - 1) / 2))}` },
];

/** A text whose length has a limit. */
export interface LimitedText<Fields extends object> {
  /** Its place, as the contract's rules name it. */
  name: string;
  /** The fields of a create that hold this text, in which so many characters stand `around` it. */
  fields(text: string): Partial<Fields>;
  around?: number;
  /** A merchant may not be allowed to send it at all. */
  mayBeRefused?: true;
}

/** The longest text is measured in characters, not in bytes; `create` sends a create with such fields. */
export function lengthsInCharacters<Fields extends object>(
  { product }: ProductArrangement,
  create: (context: CheckContext, fields: Partial<NoInfer<Fields>>) => Promise<{ answer: Answer }>,
  texts: readonly LimitedText<Fields>[],
): CheckDeclaration {
  const limited = texts.map((each) => ({ ...each, ...lengthLimit(product, each.name, 'maxLength') }));
  return {
    id: `${product}.create.lengths-in-characters`,
    title: 'A text may have as many characters as its rule says, whatever bytes they take',
    requirements: limited.map(({ requirement }) => requirement),
    async run(context) {
      const judge = async (each: (typeof limited)[number]) => {
        const { name, fields, around = 0, mayBeRefused, limit, requirement } = each;
        const send = async (text: string) => (await create(context, fields(text))).answer;
        const isTaken = async (letter: string) => {
          const short = await send(letter);
          const isLeftOpen = letter !== 'z' || mayBeRefused;
          if (!isLeftOpen || !isParameterRefusal(short)) {
            needAccepted(short, `the same request with ${letter} as its ${name}`);
          }
          return isAccepted(short);
        };
        if (!(await isTaken('z'))) return false;
        const judged = wideLetters.map(async ({ letter, fill }) => {
          // A target that takes some of these letters is judged by them.
          if (!(await isTaken(letter))) return false;
          const text = fill(limit - around);
          const what = `${name} of ${[...text].length} characters, ${letter} again and again`;
          expectAccepted(await send(text), what, requirement);
          return true;
        });
        return (await sideBySide(judged)).includes(true);
      };
      if (!(await sideBySide(limited.map(judge))).includes(true)) throw new NotApplicable(noFurtherLetters);
    },
  };
}

/** Whether texts may have letters beyond ASCII. */
export function letters({ product, create }: ProductArrangement): CheckDeclaration {
  return {
    id: `${product}.create.letters`,
    title: 'What texts with letters beyond ASCII are answered with',
    requirements: ['general.letters'],
    async run(context) {
      needAccepted((await create(context, { description: 'Two tickets' })).answer, 'the same request in ASCII');
      const { answer } = await create(context, { description: 'Dwa bilety — zażółć, 税込' });
      context.observeIn(answer, 'field-forms', `${product}, letters beyond ASCII: ${summary(answer)}`);
    },
  };
}

/** Two right requests of one operation that differ in every field that comes back, and how to send a body. */
export interface Requests {
  request: JsonObject;
  other: JsonObject;
  send(body: JsonObject): Promise<Answer>;
}

/** The fields of a request under names that begin with a capital letter. A reader that heeds no case takes them for the contract's own. */
const capitalised = (request: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(request).map(([name, value]) => [name.charAt(0).toUpperCase() + name.slice(1), value]),
  );

/**
 * Whether a field is refused that the contract does not name, also one whose name resembles that of a field; `id` names the merchant's own
 * id in request and answer. `prepare` makes requests for one create. What an answer shows of a field is judged by what every answer must echo.
 */
export function unknownField(
  area: Extract<Area, 'orders' | 'refunds' | 'checkout'>,
  id: string,
  prepare: (context: CheckContext) => Promise<Requests>,
): CheckDeclaration {
  const bodies: readonly ((requests: Requests) => JsonObject)[] = [
    ({ request }) => ({ ...request, assayUnknownField: 'x' }),
    ({ request, other }) => ({ ...request, ...capitalised(other) }),
    ({ request, other }) => ({ ...capitalised(other), ...request }),
  ];
  return {
    id: `${area}.create.unknown-field`,
    title: 'What a field that the contract does not name is answered with',
    requirements: ['general.unknown-fields'],
    long: true,
    async run(context) {
      const { request: right, send: sendRight } = await prepare(context);
      needAccepted(await sendRight(right), 'the same request without the field');
      for (const bodyOf of bodies) {
        const requests = await prepare(context);
        const { request, send } = requests;
        const answer = await send(bodyOf(requests));
        const isIgnored = field(answer, `data.${id}`) === request[id];
        const value = !isAccepted(answer) ? 'refused' : isIgnored ? 'ignored' : null;
        const seen = value ?? `taken for one that it names: data.${id} = ${show(field(answer, `data.${id}`))}`;
        context.observeIn(answer, 'unknown-fields', `${area}: ${seen}, code ${show(field(answer, 'code'))}`, value);
      }
      const { request, send } = await prepare(context);
      const answer = await send(capitalised(request));
      if (!isAccepted(answer)) return;
      const seen = `taken for one that it names, whose name begins with a small letter, code ${show(field(answer, 'code'))}`;
      context.observeIn(answer, 'unknown-fields', `${area}: ${seen}`, null);
    },
  };
}

/** A paid order shows the same payment each time; `makePaid` makes one. */
export function stableWhenPaid(
  { product, noun }: ProductArrangement,
  needs: readonly Need[],
  makePaid: (context: CheckContext) => Promise<{ query(): Promise<Answer> }>,
  names: readonly string[],
): CheckDeclaration {
  return {
    id: `${product}.view.stable-when-paid`,
    title: `A paid ${noun} shows the same payment each time it is asked for`,
    requirements: [`${product}.states.final`, `${product}.view.paid-fields`],
    needs,
    async run(context) {
      const order = await makePaid(context);
      const first = await order.query();
      expectUnchanged(first, await order.query(), names, 'another query');
    },
  };
}
