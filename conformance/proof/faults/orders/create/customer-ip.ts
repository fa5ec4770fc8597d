import { hasText, readingCreates, refusingCreates } from '../../../stand/changes.ts';
import type { Fault } from '../../../stand/fault.ts';

/** Wrong servers that refuse a right customerIp or take a wrong one. */
export const orderCreateCustomerIpFaults: readonly Fault[] = [
  {
    id: 'ipv6-refused',
    title: 'Knows IPv4 addresses only.',
    breaks: 'orders.create.optional-fields',
    caughtBy: 'orders.create.every-optional-field',
    make: { merchantApi: refusingCreates(hasText('customerIp', (text) => text.includes(':'))) },
  },
  {
    id: 'ipv6-in-capitals-refused',
    title: 'Knows small letters only in IPv6 addresses.',
    breaks: 'orders.create.customer-ip.form',
    caughtBy: 'orders.create.customerIp.anyOf',
    make: { merchantApi: refusingCreates(hasText('customerIp', (text) => /:.*[A-F]/.test(text))) },
  },
  {
    id: 'ipv6-with-zeros-left-out-at-the-end-refused',
    title: 'Refuses IPv6 addresses that end with the zeros that are left out.',
    breaks: 'orders.create.customer-ip.form',
    caughtBy: 'orders.create.customerIp.anyOf',
    make: { merchantApi: refusingCreates(hasText('customerIp', (text) => text.endsWith('::'))) },
  },
  {
    id: 'ipv4-in-ipv6-refused',
    title: 'Refuses IPv6 addresses whose end is written as an IPv4 address.',
    breaks: 'orders.create.customer-ip.form',
    caughtBy: 'orders.create.customerIp.anyOf',
    make: { merchantApi: refusingCreates(hasText('customerIp', (text) => /:.*\./.test(text))) },
  },
  {
    id: 'longest-ipv6-refused',
    title: 'Has room for the 39 characters of eight groups in a customerIp, and no more.',
    breaks: 'orders.create.customer-ip.form',
    caughtBy: 'orders.create.customerIp.anyOf',
    make: { merchantApi: refusingCreates(hasText('customerIp', (text) => text.length > 39)) },
  },
  {
    id: 'short-ipv6-taken',
    title: 'Takes any groups of hexadecimal digits for an IPv6 address.',
    breaks: 'orders.create.customer-ip.form',
    caughtBy: 'orders.create.customerIp.anyOf',
    make: {
      merchantApi: readingCreates((body) =>
        /^([0-9a-f]{1,4}:)+[0-9a-f]{1,4}$/i.test(String(body.customerIp))
          ? { ...body, customerIp: '2001:db8::1' }
          : body,
      ),
    },
  },
  {
    id: 'names-of-hosts-taken',
    title: 'Looks up a customerIp that is a name, and drops brackets around it.',
    breaks: 'orders.create.customer-ip.form',
    caughtBy: 'orders.create.customerIp.anyOf',
    make: {
      merchantApi: readingCreates((body) =>
        /^(localhost|\[.*\])$/.test(String(body.customerIp)) ? { ...body, customerIp: '2001:db8::1' } : body,
      ),
    },
  },
  {
    id: 'short-ipv4-taken',
    title: 'Takes for an IPv4 address whatever the old functions of C libraries take for one.',
    breaks: 'orders.create.customer-ip.form',
    caughtBy: 'orders.create.customerIp.anyOf',
    make: {
      merchantApi: readingCreates((body) =>
        /^\d{1,3}(\.\d{1,3}){0,2}$|^0x/.test(String(body.customerIp)) ? { ...body, customerIp: '192.0.2.1' } : body,
      ),
    },
  },
];
