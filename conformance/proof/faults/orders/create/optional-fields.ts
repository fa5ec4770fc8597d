import { isObject } from '../../../../contract/json.ts';
import { hasText, refusingCreates } from '../../../stand/changes.ts';
import type { Fault } from '../../../stand/fault.ts';

/** Wrong servers that demand optional fields of a create, or refuse them. */
export const orderCreateOptionalFieldFaults: readonly Fault[] = [
  {
    id: 'callback-url-demanded',
    title: 'Refuses an order without a callbackUrl, which is optional.',
    breaks: 'orders.create.accepted',
    caughtBy: 'orders.create.minimal',
    make: { merchantApi: refusingCreates((body) => body.callbackUrl === undefined) },
  },
  {
    id: 'metadata-refused',
    title: 'Refuses an order with metadata.',
    breaks: 'orders.create.optional-fields',
    caughtBy: 'orders.create.every-optional-field',
    make: { merchantApi: refusingCreates((body) => body.metadata !== undefined) },
  },
  {
    id: 'customer-ip-needs-user-agent',
    title: 'Refuses an order with a customerIp and without a userAgent.',
    breaks: 'orders.create.optional-fields',
    caughtBy: 'orders.create.every-optional-field',
    make: {
      merchantApi: refusingCreates(({ customerIp, userAgent }) => customerIp !== undefined && userAgent === undefined),
    },
  },
  {
    id: 'callback-url-without-path-refused',
    title: 'Refuses a callbackUrl without a path.',
    breaks: 'orders.create.optional-fields',
    caughtBy: 'orders.create.optional-parts',
    make: { merchantApi: refusingCreates(hasText('callbackUrl', (text) => /^https:\/\/[^/]*$/.test(text))) },
  },
  {
    id: 'customer-email-demanded',
    title: 'Refuses a customer without an email.',
    breaks: 'orders.create.optional-fields',
    caughtBy: 'orders.create.optional-parts',
    make: { merchantApi: refusingCreates(({ customer }) => isObject(customer) && customer.email === undefined) },
  },
  {
    id: 'customer-email-demanded-beside-others',
    title: 'Refuses a customer with a name and a phone and without an email.',
    breaks: 'orders.create.optional-fields',
    caughtBy: 'orders.create.optional-parts',
    make: {
      merchantApi: refusingCreates(
        ({ customer }) =>
          isObject(customer) &&
          customer.name !== undefined &&
          customer.phone !== undefined &&
          customer.email === undefined,
      ),
    },
  },
  {
    id: 'sub-merchants-refused-beside-empty-lists',
    title: 'Refuses sub-merchants beside a paymentMethodConfig of two empty lists.',
    breaks: 'orders.create.optional-fields',
    caughtBy: 'orders.create.pairs-of-fields',
    make: {
      merchantApi: refusingCreates(({ paymentMethodConfig, subMerchants }) => {
        const lists = isObject(paymentMethodConfig) ? Object.values(paymentMethodConfig) : [];
        const areEmpty = lists.length === 2 && lists.every((list) => Array.isArray(list) && list.length === 0);
        return areEmpty && subMerchants !== undefined;
      }),
    },
  },
];
