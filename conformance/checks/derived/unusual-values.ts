import type { RequirementId } from '../../../generated/catalogue.ts';
import { createCheckoutOrder } from '../../arrange/checkout-orders/operations.ts';
import { noFurtherLetters } from '../../arrange/orders/any-order.ts';
import { createOrder } from '../../arrange/orders/operations.ts';
import { createRefund } from '../../arrange/refunds/operations.ts';
import type { ArrangedOperation } from '../../arrange/requests/arranged-operation.ts';
import { someAtOnce } from '../../arrange/requests/some-at-once.ts';
import { sideBySide } from '../../arrange/situations/situations.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectAccepted, isAccepted, isParameterRefusal, needAccepted, summary } from '../../check/expect.ts';
import { isObject, type JsonObject, setAt, valueAt } from '../../contract/json.ts';
import { NotApplicable } from '../../errors/outcomes.ts';
import { besideEveryField } from '../../values/bodies.ts';
import { fullestExample } from '../../values/classed-values.ts';
import { addressesOfAllForms, otherAddressForms } from '../../values/classes/addresses.ts';
import { freeFields } from '../../values/free-fields.ts';
import { printed } from '../../values/printed.ts';
import { askedAgain, expectNoLastingFailure } from '../support/failures.ts';
import { preparedCreate } from '../support/prepared-creates.ts';

// Right values that look different from usual ones.

/** A create, with the fields in which it takes addresses. */
interface Create {
  operation: ArrangedOperation;
  addresses: readonly (readonly [field: string, requirement: RequirementId])[];
  /** Its callbackUrl need not be https. */
  takesHttp?: true;
}

const httpAddress = 'http://shop.example/hooks';

const creates: readonly Create[] = [
  {
    operation: createOrder,
    addresses: [
      ['callbackUrl', 'orders.create.optional-fields'],
      ['returnUrl', 'orders.create.accepted'],
    ],
  },
  {
    operation: createRefund,
    addresses: [['notifyUrl', 'refunds.create.optional-fields']],
  },
  {
    operation: createCheckoutOrder,
    addresses: [['callbackUrl', 'checkout.create.optional-fields']],
    takesHttp: true,
  },
];

/** The addresses of a create in other forms of writing. They are sent one by one only where all of them together are refused. */
function addressForms(create: Create): CheckDeclaration {
  const { operation, addresses, takesHttp } = create;
  const names = addresses.map(([name]) => name).join(' and ');
  const [[, first] = ['', 'general.json' as const], ...others] = addresses;
  return {
    id: `${operation.name}.address-forms`,
    title: `${names} may have capital letters in scheme and host, an IPv6 address, a port, escapes and a query`,
    requirements: [first, ...others.map(([, requirement]) => requirement)],
    needs: operation.needs,
    async run(context) {
      const send = async (fields: JsonObject) =>
        (await preparedCreate(context, operation, (body) => ({ ...body, ...fields })))();
      if (takesHttp) {
        const what = `callbackUrl = ${httpAddress}, where only that of hosted orders must be https`;
        expectAccepted(await send({ callbackUrl: httpAddress }), what);
      }
      const sent = await sideBySide(
        addressesOfAllForms.map(async (address) => {
          const answer = await send(Object.fromEntries(addresses.map(([name]) => [name, address])));
          return { answer, what: `${names} = ${address}` };
        }),
      );
      const areTaken = sent.every(({ answer }) => isAccepted(answer));
      // Two different ones: a target may mind that both are the same, as they are in the request before.
      const plain = Object.fromEntries(addresses.map(([name]) => [name, `https://shop.example/${name}`]));
      if (!areTaken) needAccepted(await send(plain), `the same request with a plain ${names}`);
      for (const [name, requirement] of areTaken ? [] : addresses) {
        for (const [form, address] of otherAddressForms) {
          expectAccepted(await send({ ...plain, [name]: address }), `${name} with ${form}: ${address}`, requirement);
        }
      }
      for (const { answer, what } of sent) expectAccepted(answer, what);
    },
  };
}

/**
 * Texts of characters that implementations are known to fail at: NUL, a control character and half of a pair of UTF-16, which JSON can hold and
 * databases cannot; and letters that take four bytes. Each alone, because a target may refuse one of them and cut a text at another.
 */
const unusualTexts = ['Two \u0000 tickets', 'Two \u0007 tickets', 'Two tickets \ud800', 'Ada 🧾 𝓛ovelace'];

type Path = readonly string[];

/** The fields that a merchant gets back as they were, where they may have to be JSON: a text in quotes is. */
const keptFields = ['metadata', 'extraData'];

const isKept = (path: Path) => keptFields.includes(path.join('.'));

/** A create with every field of the contract's example, the places of its texts, and a body in which a text stands at some of them. */
function textsOf(operation: ArrangedOperation) {
  const example = besideEveryField({}, fullestExample(operation.name));
  const kept = keptFields.filter((name) => Object.hasOwn(Object(example), name)).map((name) => [name]);
  const withText = (body: JsonObject, at: readonly Path[], text: string): JsonObject =>
    Object(
      at.reduce<unknown>(
        (made, path) => setAt(made, path, isKept(path) ? `"${text}"` : text),
        besideEveryField(body, example),
      ),
    );
  return { example, paths: [...freeFields(example).map(({ path }) => path), ...kept], withText };
}

/** Every place in a body: the body itself, its fields, the entries of its lists, and theirs. */
function placesIn(value: unknown, path: Path = []): Path[] {
  const within = Array.isArray(value) || isObject(value) ? Object.entries(value) : [];
  return [path, ...within.flatMap(([name, each]) => placesIn(each, [...path, name]))];
}

/** Texts with characters that implementations are known to fail at. Whether they are taken or refused is left open. */
function unusualCharacters({ operation }: Create): CheckDeclaration {
  const { example, paths, withText } = textsOf(operation);
  const names = [...new Set(paths.map((path) => path.at(-1)))];
  return {
    id: `${operation.name}.unusual-characters`,
    title: `Text with control characters or letters of four bytes is accepted or refused, and does not make the service fail: ${names.join(', ')}`,
    requirements: ['general.lasting-failure'],
    needs: operation.needs,
    async run(context) {
      const other = async () => (await preparedCreate(context, operation, (body) => body))();
      const send = async (at: readonly Path[], text: string) =>
        askedAgain(context, await preparedCreate(context, operation, (body) => withText(body, at, text)), other);
      for (const text of unusualTexts) {
        // Where all of them together are refused, the first that is wrong hides the others.
        const all = await send(paths, text);
        await someAtOnce(isAccepted(all) ? [] : paths, async (path) => {
          const what = `${operation.noun} with ${path.join('.')} = ${printed(text)}`;
          expectNoLastingFailure(await send([path], text), what, 'accepted or refused');
        });
        expectNoLastingFailure(all, `${operation.noun} with ${printed(text)} in every text`, 'accepted or refused');
      }
      for (const path of paths.filter(isKept)) {
        const escaped = (body: JsonObject) =>
          Object(setAt(besideEveryField(body, example), path, JSON.stringify({ note: unusualTexts[0] })));
        const answer = await askedAgain(context, await preparedCreate(context, operation, escaped), other);
        const what = `${operation.noun} with a NUL in ${path.join('.')}, escaped as JSON does`;
        expectNoLastingFailure(answer, what, 'accepted or refused');
      }
      // Most of these have a form, so that each is sent alone.
      const known = paths.map((path) => path.join('.'));
      const isFurtherText = (path: Path) =>
        typeof valueAt(example, path) === 'string' && !known.includes(path.join('.'));
      await someAtOnce(placesIn(example).filter(isFurtherText), async (path) => {
        const withNul = (body: JsonObject) => {
          const whole = besideEveryField(body, example);
          return Object(setAt(whole, path, `${valueAt(whole, path)}\0`));
        };
        const answer = await askedAgain(context, await preparedCreate(context, operation, withNul), other);
        const what = `${operation.noun} with ${path.join('.')} = ${printed(valueAt(withNul({}), path))}`;
        expectNoLastingFailure(answer, what, 'accepted or refused');
      });
    },
  };
}

/** A text with letters of two, three and four bytes. JSON may write the last one as two escapes, the halves of a pair of UTF-16. */
const furtherLetters = 'Zo\u00eb \u7a0e\u8fbc \u{1f9fe}';

/** The same in ASCII. */
const furtherWords = 'Zoe and a bill';

/** JSON in ASCII, as many libraries write it: each unit of UTF-16 beyond it is an escape. */
const asciiJson = (body: JsonObject): string =>
  JSON.stringify(body).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Letters beyond ASCII may be escapes. That they come back as they were is judged by what every answer must echo. */
function escapedLetters({ operation }: Create): CheckDeclaration {
  const { example, paths, withText } = textsOf(operation);
  const isAddress = (path: Path) => URL.canParse(String(valueAt(example, path)));
  const places = paths.filter((path) => !isAddress(path));
  const withLetters = (body: JsonObject) => withText(body, places, furtherLetters);
  const withWords = (body: JsonObject) => withText(body, places, furtherWords);
  return {
    id: `${operation.name}.escaped-letters`,
    title: 'A body that writes letters beyond ASCII as escapes is taken where one is that has them as they are',
    requirements: ['general.json'],
    needs: operation.needs,
    async run(context) {
      const plain = await (await preparedCreate(context, operation, withLetters))();
      // A target that refuses the same request with other words refuses something else.
      const inAscii = isParameterRefusal(plain) && (await (await preparedCreate(context, operation, withWords))());
      if (inAscii) needAccepted(inAscii, `the same request with ${furtherWords} in place of ${furtherLetters}`);
      if (isParameterRefusal(plain)) throw new NotApplicable(`${noFurtherLetters}: ${summary(plain)}`);
      needAccepted(plain, `the same request with ${furtherLetters} as it is`);
      const answer = await (await preparedCreate(context, operation, withLetters, asciiJson))();
      expectAccepted(answer, `${operation.noun} with ${furtherLetters} in escapes`);
    },
  };
}

/** null in the place of anything. Whether it counts as a value of the wrong type or as nothing is left open. */
function nulls({ operation }: Create): CheckDeclaration {
  const example = besideEveryField({}, fullestExample(operation.name));
  return {
    id: `${operation.name}.nulls`,
    title:
      'null in the place of the body, a field or an entry is accepted or refused, and does not make the service fail',
    requirements: ['general.lasting-failure'],
    needs: operation.needs,
    long: true,
    async run(context) {
      const other = async () => (await preparedCreate(context, operation, (body) => body))();
      await someAtOnce(placesIn(example), async (place) => {
        const write = (body: JsonObject) => JSON.stringify(setAt(besideEveryField(body, example), place, null));
        const answer = await askedAgain(
          context,
          await preparedCreate(context, operation, (body) => body, write),
          other,
        );
        const what = `${operation.noun} with ${place.length === 0 ? 'null for its body' : `${place.join('.')} = null`}`;
        expectNoLastingFailure(answer, what, 'accepted or refused');
      });
    },
  };
}

export const unusualValueChecks: readonly CheckDeclaration[] = creates.flatMap((create) => [
  addressForms(create),
  unusualCharacters(create),
  escapedLetters(create),
  nulls(create),
]);
