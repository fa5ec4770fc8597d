import type { RequirementId } from '../../../generated/catalogue.ts';
import { createCheckoutOrder } from '../../arrange/checkout-orders/operations.ts';
import { createOrder } from '../../arrange/orders/operations.ts';
import { createRefund } from '../../arrange/refunds/operations.ts';
import type { ArrangedOperation } from '../../arrange/requests/arranged-operation.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectAccepted, isAccepted, needAccepted } from '../../check/expect.ts';
import type { JsonObject } from '../../contract/json.ts';
import { addressOfAllForms, otherAddressForms } from '../../values/classes/addresses.ts';
import { printed } from '../../values/printed.ts';
import { askedAgain, expectNoLastingFailure } from '../support/failures.ts';
import { preparedCreate } from '../support/prepared-creates.ts';

// Right values that look different from usual ones.

/** A create, with the fields in which it takes addresses and a field that may hold any text. */
interface Create {
  operation: ArrangedOperation;
  addresses: readonly (readonly [field: string, requirement: RequirementId])[];
  text: string;
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
    text: 'description',
  },
  {
    operation: createRefund,
    addresses: [['notifyUrl', 'refunds.create.optional-fields']],
    text: 'refundReason',
  },
  {
    operation: createCheckoutOrder,
    addresses: [['callbackUrl', 'checkout.create.optional-fields']],
    text: 'description',
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
    title: `${names} may have capital letters in scheme and host, a port, escapes and a query`,
    requirements: [first, ...others.map(([, requirement]) => requirement)],
    needs: operation.needs,
    async run(context) {
      const send = async (fields: JsonObject) =>
        (await preparedCreate(context, operation, (body) => ({ ...body, ...fields })))();
      if (takesHttp) {
        const what = `callbackUrl = ${httpAddress}, where only that of hosted orders must be https`;
        expectAccepted(await send({ callbackUrl: httpAddress }), what);
      }
      const all = await send(Object.fromEntries(addresses.map(([name]) => [name, addressOfAllForms])));
      const plain = Object.fromEntries(addresses.map(([name]) => [name, 'https://shop.example/hooks']));
      if (!isAccepted(all)) needAccepted(await send(plain), `the same request with a plain ${names}`);
      for (const [name, requirement] of isAccepted(all) ? [] : addresses) {
        for (const [form, address] of otherAddressForms) {
          expectAccepted(await send({ ...plain, [name]: address }), `${name} with ${form}: ${address}`, requirement);
        }
      }
      expectAccepted(all, `${names} = ${addressOfAllForms}`);
    },
  };
}

/** Characters that JSON can hold and that databases and encodings cannot: NUL, a control character and half of a pair of UTF-16. */
const unusualText = 'Two tickets \u0000\u0007\ud800';

/** A text with characters that implementations are known to fail at. Whether it is taken or refused is left open. */
function unusualCharacters(create: Create): CheckDeclaration {
  const { operation, text } = create;
  return {
    id: `${operation.name}.unusual-characters`,
    title: `A ${text} with control characters is accepted or refused, and does not make the service fail`,
    requirements: ['general.lasting-failure'],
    needs: operation.needs,
    async run(context) {
      const ask = await preparedCreate(context, operation, (body) => ({ ...body, [text]: unusualText }));
      const other = async () => (await preparedCreate(context, operation, (body) => body))();
      const answer = await askedAgain(context, ask, other);
      expectNoLastingFailure(answer, `${operation.noun} with ${text} = ${printed(unusualText)}`, 'accepted or refused');
    },
  };
}

export const unusualValueChecks: readonly CheckDeclaration[] = creates.flatMap((create) => [
  addressForms(create),
  unusualCharacters(create),
]);
