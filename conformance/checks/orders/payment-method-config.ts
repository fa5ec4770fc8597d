import type { RequirementId } from '../../../generated/catalogue-ids.ts';
import { type OrderCreateRequest, ordersClient } from '../../arrange/orders/client.ts';
import { optionalFields } from '../../arrange/orders/optional-fields.ts';
import { orderRequest } from '../../arrange/orders/orders.ts';
import { sendOrderCreate } from '../../arrange/products.ts';
import { sideBySide } from '../../arrange/situations/situations.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectAccepted, expectRefused, needAccepted } from '../../check/expect.ts';
import { show } from '../../contract/show.ts';

/** Forms of a paymentMethodConfig in which a list restricts nothing: null, empty or absent. */
const unrestricted: Record<string, NonNullable<OrderCreateRequest['paymentMethodConfig']> | null> = {
  'null as a whole': null,
  'both lists null': { allowedPaymentMethodTypes: null, allowedPaymentMethods: null },
  'both lists empty': { allowedPaymentMethodTypes: [], allowedPaymentMethods: [] },
  'no list of types beside an empty one of methods': { allowedPaymentMethodTypes: null, allowedPaymentMethods: [] },
  'an empty list of types beside none of methods': { allowedPaymentMethodTypes: [], allowedPaymentMethods: null },
  'an exchange beside no list of types': { allowedPaymentMethods: ['EXCHANGE_TWO'] },
  'no list': {},
};

/** The values of each list, alone and all together. */
const valuesOf = {
  allowedPaymentMethodTypes: [['ON_CHAIN_TRANSFER'], ['EXCHANGE_TRANSFER'], ['ON_CHAIN_TRANSFER', 'EXCHANGE_TRANSFER']],
  allowedPaymentMethods: [['EXCHANGE_ONE'], ['EXCHANGE_TWO'], ['EXCHANGE_ONE', 'EXCHANGE_TWO']],
} as const;

type ListName = keyof typeof valuesOf;

/** A paymentMethodConfig with each permitted content of one list beside the other one, which is null or empty. */
const besideUnset = (name: ListName, other: ListName) =>
  valuesOf[name].flatMap((values) => [null, []].map((unset) => ({ [name]: values, [other]: unset })));

/** Configurations in which one list has values, and the other one is null or empty. They come in either order. */
const halfUnset: readonly object[] = [
  ...besideUnset('allowedPaymentMethodTypes', 'allowedPaymentMethods'),
  ...besideUnset('allowedPaymentMethods', 'allowedPaymentMethodTypes'),
  { allowedPaymentMethods: null, allowedPaymentMethodTypes: ['ON_CHAIN_TRANSFER'] },
];

/** The lists by which a hosted order restricts how it is paid. */
export const paymentMethodConfigChecks: readonly CheckDeclaration[] = [
  {
    id: 'orders.create.payment-method-config.each-list',
    title: 'Each list of paymentMethodConfig is held to its values, whatever the other one is',
    requirements: ['orders.create.payment-methods.values', 'orders.create.payment-method-types.values'],
    async run(context) {
      const refuse = async (paymentMethodConfig: object, requirement: RequirementId) => {
        const client = ordersClient(context, await context.merchant());
        const answer = await client.createAnything({ ...orderRequest(context), paymentMethodConfig });
        expectRefused(answer, `paymentMethodConfig = ${show(paymentMethodConfig)}`, requirement);
      };
      const types = [undefined, null, [], ['ON_CHAIN_TRANSFER'], ['EXCHANGE_TRANSFER']];
      const methods = [undefined, null, [], ['EXCHANGE_ONE']];
      await sideBySide([
        ...types.map((allowedPaymentMethodTypes) =>
          refuse(
            { allowedPaymentMethodTypes, allowedPaymentMethods: ['EXCHANGE_NONE'] },
            'orders.create.payment-methods.values',
          ),
        ),
        ...methods.map((allowedPaymentMethods) =>
          refuse(
            { allowedPaymentMethodTypes: ['NO_TRANSFER'], allowedPaymentMethods },
            'orders.create.payment-method-types.values',
          ),
        ),
        // Behind every value that there is.
        refuse(
          { allowedPaymentMethodTypes: ['ON_CHAIN_TRANSFER', 'EXCHANGE_TRANSFER', 'NO_TRANSFER'] },
          'orders.create.payment-method-types.values',
        ),
        refuse(
          { allowedPaymentMethods: ['EXCHANGE_ONE', 'EXCHANGE_TWO', 'EXCHANGE_NONE'] },
          'orders.create.payment-methods.values',
        ),
      ]);
    },
  },
  {
    id: 'orders.create.payment-method-config.unrestricted',
    title:
      'paymentMethodConfig may be null, and its lists null, empty or absent, also one of them beside any values of the other',
    requirements: ['orders.create.payment-method-config.nullable'],
    async run(context) {
      needAccepted((await sendOrderCreate(context, {})).answer, 'the same request without paymentMethodConfig');
      for (const [what, paymentMethodConfig] of Object.entries(unrestricted)) {
        const { answer } = await sendOrderCreate(context, { paymentMethodConfig });
        expectAccepted(answer, `a paymentMethodConfig with ${what}`);
      }
      const expectTaken = async (paymentMethodConfig: object | null, others: object, where: string) => {
        const { answer } = await sendOrderCreate(context, { ...others, paymentMethodConfig });
        expectAccepted(answer, `paymentMethodConfig = ${show(paymentMethodConfig)}${where}`);
      };
      await sideBySide(halfUnset.map((config) => expectTaken(config, {}, '')));
      needAccepted((await sendOrderCreate(context, optionalFields)).answer, 'a request with every optional field');
      const bothNull = { allowedPaymentMethodTypes: null, allowedPaymentMethods: null };
      await sideBySide(
        [null, bothNull].map((config) => expectTaken(config, optionalFields, ', beside every other field')),
      );
    },
  },
];
