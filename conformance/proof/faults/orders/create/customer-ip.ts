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
  ...(
    [
      ['ipv4-before-a-gap-taken', 'Takes an IPv4 address anywhere in an IPv6 one.', /^[\d.]+::[\da-f:]*$/i],
      ['gaps-of-no-group-taken', 'Takes a gap in an IPv6 address beside eight groups.', /^(?=(:*[\da-f]+){8}:*$).*::/i],
      ['gaps-at-both-ends-taken', 'Takes an IPv6 address with a gap at either end.', /^::[\da-f]+::$/i],
      [
        'too-few-groups-before-ipv4-taken',
        'Takes any number of groups up to six before an IPv4 address.',
        /^([\da-f]{1,4}:){1,5}\d+\.\d+\.\d+\.\d+$/i,
      ],
      [
        'single-colons-at-ends-taken',
        'Takes a colon before or behind the groups of an IPv6 address for a gap.',
        /^:[^:].*[^:]$|^[^:].*[^:]:$/,
      ],
      [
        'exponents-in-ipv4-taken',
        'Reads the parts of an IPv4 address as numbers of any form.',
        /^\d+e\d+\.\d+\.\d+\.\d+$/,
      ],
      ['digits-of-other-scripts-in-ipv4-taken', 'Takes digits of every script in an IPv4 address.', /^[\d.]+\p{Nd}$/u],
    ] as const
  ).map(
    ([id, title, taken]): Fault => ({
      id,
      title,
      breaks: 'orders.create.customer-ip.form',
      caughtBy: 'orders.create.customerIp.anyOf',
      make: {
        merchantApi: readingCreates((body) =>
          taken.test(String(body.customerIp)) ? { ...body, customerIp: '2001:db8::1' } : body,
        ),
      },
    }),
  ),
  ...(
    [
      [
        'gaps-of-one-group-refused',
        'Wants a gap in an IPv6 address to stand for two groups or more.',
        /^(?=(:*[\da-f]+){7}:*$).*::/i,
      ],
      ['gaps-beside-zeros-refused', 'Refuses IPv6 addresses with a group of zeros beside a gap.', /:0::/],
      [
        'ipv4-behind-six-groups-refused',
        'Knows an IPv4 address at the end of an IPv6 one only behind a gap.',
        /^[^.]*:0*[1-9a-f][^:]*:\d+\.[\d.]+$/i,
      ],
      [
        'ipv4-behind-a-prefix-refused',
        'Knows an IPv4 address at the end of an IPv6 one only where it is mapped.',
        /^(?!::ffff|0)[^.]+:[\d.]+\.\d+$/i,
      ],
    ] as const
  ).map(
    ([id, title, refused]): Fault => ({
      id,
      title,
      breaks: 'orders.create.customer-ip.form',
      caughtBy: 'orders.create.customerIp.anyOf',
      make: { merchantApi: refusingCreates(hasText('customerIp', (text) => refused.test(text))) },
    }),
  ),
];
