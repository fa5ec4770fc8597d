import { setAt, valueAt } from '../../../../contract/json.ts';
import { readingCreates, refusingCreates, withSchema } from '../../../stand/changes.ts';
import type { Fault } from '../../../stand/fault.ts';

/** Wrong servers that refuse a right paymentMethodConfig, or take a wrong one. */
export const orderCreatePaymentMethodFaults: readonly Fault[] = [
  {
    id: 'null-payment-method-config-refused',
    title: 'Refuses null as paymentMethodConfig.',
    breaks: 'orders.create.payment-method-config.nullable',
    caughtBy: 'orders.create.payment-method-config.unrestricted',
    make: { merchantApi: refusingCreates((body) => body.paymentMethodConfig === null) },
  },
  {
    id: 'empty-method-list-refused',
    title: 'Refuses an empty list of payment methods.',
    breaks: 'orders.create.payment-method-config.nullable',
    caughtBy: 'orders.create.payment-method-config.unrestricted',
    make: {
      parts: withSchema('/components/schemas/PaymentMethodConfig/properties/allowedPaymentMethods', { minItems: 1 }),
    },
  },
  {
    id: 'exchanges-without-method-refused',
    title: 'Wants a method to be named where exchanges are the only type.',
    breaks: 'orders.create.payment-method-config.nullable',
    caughtBy: 'orders.create.payment-method-config.unrestricted',
    make: {
      merchantApi: refusingCreates(({ paymentMethodConfig: config }) => {
        const types = valueAt(config, ['allowedPaymentMethodTypes']);
        const methods = valueAt(config, ['allowedPaymentMethods']);
        const areExchanges = Array.isArray(types) && types.length === 1 && types.includes('EXCHANGE_TRANSFER');
        return areExchanges && Array.isArray(methods) && methods.length === 0;
      }),
    },
  },
  {
    id: 'null-type-list-refused',
    title: 'Refuses null as the list of payment method types.',
    breaks: 'orders.create.payment-method-config.nullable',
    caughtBy: 'orders.create.payment-method-config.unrestricted',
    make: {
      parts: withSchema('/components/schemas/PaymentMethodConfig/properties/allowedPaymentMethodTypes', {
        type: 'array',
      }),
    },
  },
  ...(
    [
      ['methods', 'allowedPaymentMethods', 'allowedPaymentMethodTypes'],
      ['types', 'allowedPaymentMethodTypes', 'allowedPaymentMethods'],
    ] as const
  ).map(
    ([name, absent, other]): Fault => ({
      id: `null-${name}-beside-two-values-refused`,
      title: `Refuses null as ${absent} where ${other} has more than one value.`,
      breaks: 'orders.create.payment-method-config.nullable',
      caughtBy: 'orders.create.payment-method-config.unrestricted',
      make: {
        merchantApi: refusingCreates(({ paymentMethodConfig: config }) => {
          const values = valueAt(config, [other]);
          return valueAt(config, [absent]) === null && Array.isArray(values) && values.length > 1;
        }),
      },
    }),
  ),
  {
    id: 'empty-types-beside-methods-refused',
    title: 'Refuses an empty allowedPaymentMethodTypes where allowedPaymentMethods has values.',
    breaks: 'orders.create.payment-method-config.nullable',
    caughtBy: 'orders.create.payment-method-config.unrestricted',
    make: {
      merchantApi: refusingCreates(({ paymentMethodConfig: config }) => {
        const [types, methods] = [
          valueAt(config, ['allowedPaymentMethodTypes']),
          valueAt(config, ['allowedPaymentMethods']),
        ];
        return Array.isArray(types) && types.length === 0 && Array.isArray(methods) && methods.length > 0;
      }),
    },
  },
  {
    id: 'null-payment-method-config-beside-items-refused',
    title: 'Refuses null as paymentMethodConfig in an order with items.',
    breaks: 'orders.create.payment-method-config.nullable',
    caughtBy: 'orders.create.payment-method-config.unrestricted',
    make: {
      merchantApi: refusingCreates((body) => body.paymentMethodConfig === null && Array.isArray(body.items)),
    },
  },
  {
    id: 'null-methods-beside-wallets-refused',
    title: 'Refuses null as allowedPaymentMethods where wallets are the only type.',
    breaks: 'orders.create.payment-method-config.nullable',
    caughtBy: 'orders.create.payment-method-config.unrestricted',
    make: {
      merchantApi: refusingCreates(({ paymentMethodConfig: config }) => {
        const types = valueAt(config, ['allowedPaymentMethodTypes']);
        const isOfWallets = Array.isArray(types) && !types.includes('EXCHANGE_TRANSFER') && types.length > 0;
        return isOfWallets && valueAt(config, ['allowedPaymentMethods']) === null;
      }),
    },
  },
  {
    id: 'methods-unchecked-beside-wallets',
    title: 'Looks at the exchanges of a paymentMethodConfig only where exchanges are among its types.',
    breaks: 'orders.create.payment-methods.values',
    caughtBy: 'orders.create.payment-method-config.each-list',
    make: {
      merchantApi: readingCreates((body) => {
        const types = valueAt(body, ['paymentMethodConfig', 'allowedPaymentMethodTypes']);
        const isRead = Array.isArray(types) && types.includes('EXCHANGE_TRANSFER');
        return isRead ? body : setAt(body, ['paymentMethodConfig', 'allowedPaymentMethods'], []);
      }),
    },
  },
];
