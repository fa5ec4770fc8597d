import { besideIt, type ConstrainedValue, type ValueClass } from './value-class.ts';

/** True for the patterns and the format of addresses on the web. */
const isAddress = ({ constraint: { keyword, value } }: ConstrainedValue) =>
  keyword === 'pattern'
    ? new RegExp(String(value)).test('https://shop.example/') && !new RegExp(String(value)).test('x')
    : value === 'uri';

const addressClass = (
  name: string,
  title: string,
  derivation: string,
  make: (address: string) => string[],
): ValueClass => ({
  id: `address.${name}`,
  title,
  keywords: ['pattern', 'format'],
  derivation,
  make: (of) => (isAddress(of) ? make(String(of.sample)) : []),
});

const afterScheme = (address: string) => address.replace(/^[a-z]+:\/\//i, '');

/** What follows the scheme, with a port. */
const withPort = (address: string) => afterScheme(address).replace(/^[^/?#]+/, '$&:8080');

/** Addresses on the web and of the network. */
export const addressClasses: readonly ValueClass[] = [
  addressClass(
    'other-scheme',
    'an address of another scheme',
    'Another scheme stands in the place of the right one.',
    (address) => [
      `http://${afterScheme(address)}`,
      `HTTP://${afterScheme(address)}`,
      `http://${withPort(address)}`,
      `HTTP://${withPort(address)}`,
      `http://${withPort(address)}?order=7&of=https`,
      `http://shop:secret@${afterScheme(address)}`,
      `http://${afterScheme(address)}?to=https://shop.example/`,
      'http://localhost:8080/hooks',
      `http://${afterScheme(address).replace(/^[^/?#]+/, '$&:443')}`,
      'http://127.0.0.1/hooks',
      'http://[::1]/hooks',
      `ftp://${afterScheme(address)}`,
      `httpss://${afterScheme(address)}`,
      `xhttps://${afterScheme(address)}`,
      'javascript:alert(1)',
      'mailto:payer@shop.example',
    ],
  ),
  addressClass(
    'no-scheme',
    'an address without a scheme',
    'The scheme is left out, then the host too, and then everything.',
    (address) => [afterScheme(address), `//${afterScheme(address)}`, '/hooks/orders', ''],
  ),
  addressClass(
    'no-host',
    'an address without a host',
    'Nothing, a path, a query, a port or a user stands where the host should, or a slash before it is missing.',
    (address) => [
      ...['https://', 'https:///hooks', 'https://?a=b', 'https://#a', 'https://:443/hooks', 'https://shop@/hooks'],
      ...[`https:${afterScheme(address)}`, `https:/${afterScheme(address)}`],
    ],
  ),
  addressClass(
    'impossible-port',
    'an address with an impossible port',
    'A port beyond 65535 or of letters is given.',
    () => ['https://shop.example:65536/hooks', 'https://shop.example:abc/hooks'],
  ),
  {
    id: 'address.port-zero',
    title: 'an address with port 0',
    keywords: ['pattern'],
    derivation: 'The port is 0, which is a number of a port, but one that nobody can listen on.',
    free: 'field-forms',
    make: (of) => (isAddress(of) ? ['https://shop.example:0/hooks'] : []),
  },
  addressClass(
    'no-address',
    'text that is no address',
    'Words, broken brackets, blanks and a line feed stand for an address.',
    (address) => ['not an address', 'https://[::1/hooks', 'https://shop example/hooks', ...besideIt(address)],
  ),
  {
    id: 'address.no-network-address',
    title: 'text that is no IPv4 or IPv6 address',
    keywords: ['anyOf'],
    derivation:
      'Words, a name, numbers beyond 255, too many or too few of them, in other bases than ten or in digits of another script, groups too many or too few, a gap that leaves no group out, an IPv4 address that is not at the end, a port, a mask, a zone, two gaps, brackets, a list, nothing, and dots, colons and blanks in a right address or beside it.',
    make: () => [
      'not-an-address',
      'localhost',
      // What proxies write in the place of an address or beside it.
      ...['unknown', '-', '', '203.0.113.7, 198.51.100.2', 'for=203.0.113.7', 'fe80::1%eth0'],
      '[2001:db8::1]',
      '2001:db8:0:0:0:0:1',
      '2001:db8:0:0:0:0:0:0:1',
      '999.1.1.1',
      '203.0.113.256',
      '203.0.113.7.1',
      '203.0.113.7:443',
      '203.0.113.7/24',
      ...besideIt('203.0.113.7'),
      ...besideIt('2001:db8::1').slice(0, 2),
      '203.0.113.x',
      // Short and other forms that old functions of C libraries read as addresses.
      ...['203.0.113', '203.113', '203', '3405803783', '0xcb.0.113.7', '0xcb007107'],
      ...['203.0.113.7.', '203.0..7', '203.0.113.', '203,0,113,7', '203.0.113.-7'],
      ...['2001:db8::1:', '2001:db8', '::ffff:203.0.113', '::ffff:203.0.113.256', '2001:db8::g'],
      '2001:db8::1::2',
      '2001:db8::12345',
      ':::1',
      // A gap stands for one group or more, so that there is none beside eight groups.
      ...['1:2:3:4:5:6:7::8', '::1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8::', '1:2:3:4::5:6:7:8'],
      // There is one gap, wherever it stands.
      ...['::1::', '2001::db8::', '2001:db8:::1', ':::'],
      // An IPv4 address stands for the last two groups, and nowhere else.
      ...[
        '1.2.3.4::1',
        '1.2.3.4::',
        '::1.2.3.4:5',
        '1:2:3:4:5:1.2.3.4',
        '1:2:3:4:5:6:7:1.2.3.4',
        '::1:2:3:4:5:6:7.8.9.10',
      ],
      // One colon alone has a group on either side.
      ...[':1:2:3:4:5:6:7', '1:2:3:4:5:6:7:', ':2001:db8::1'],
      ...['2001:db8::-1', '2001:db8::/64', '2001.db8::1'],
      ...['203.0.113.1000', '1e2.0.113.7', '203. 0.113.7', '203.0.113.٧', '.203.0.113.7'],
    ],
  },
  {
    id: 'address.network-address',
    title: 'an IPv4 or IPv6 address',
    keywords: ['anyOf'],
    derivation:
      'Addresses of both kinds that are kept for examples or for private networks: short and written out, in capitals, with zeros at the end, with a gap in each place that leaves out one group or more, and with an IPv4 address at the end, also as long as an address can be.',
    keeps: true,
    make: () => [
      ...['203.0.113.255', '10.0.0.1', '192.168.1.254'],
      '192.0.2.1',
      '2001:db8::1',
      '2001:0db8:0000:0000:0000:0000:0000:0001',
      '2001:DB8::AB',
      '2001:db8::',
      '::ffff:203.0.113.7',
      '0000:0000:0000:0000:0000:ffff:203.113.100.255',
      ...['198.51.100.0', '10.250.199.200', '172.16.99.9'],
      // All eight groups, of one digit and of four.
      ...['2001:db8:a:b:c:d:e:f', '2001:DB8:0:0:8:800:200C:417A'],
      // A gap may stand for one group, and beside groups of zero that are written out.
      ...['2001:db8:1:2:3:4:5::', '2001:db8::3:4:5:6:7', '::2:3:4:5:6:7:8', '2001:db8:0:0::1'],
      // An IPv4 address may end an address of six groups, or one with a gap of any length.
      ...['2001:db8:1:2:3:4:192.0.2.33', '64:ff9b::192.0.2.33', '2001:db8:1:2:3::192.0.2.33', '::FFFF:c000:221'],
      ...['fe80::1', 'fd00::Ab:1'],
    ],
  },
];

/** HTTPS addresses, each in a form that is as right as the plain one: the form in words, and an address that has it. */
export const otherAddressForms: readonly (readonly [form: string, address: string])[] = [
  ['the scheme in capital letters', 'HTTPS://shop.example/hooks'],
  ['the host in capital letters', 'https://Shop.Example/hooks'],
  ['a port', 'https://shop.example:8443/hooks'],
  ['the greatest port', 'https://shop.example:65535/hooks'],
  ['an IPv6 address for its host', 'https://[2001:db8::17]:8443/hooks'],
  ['a user name', 'https://shop@shop.example/hooks'],
  ['escapes in its path', 'https://shop.example/hooks/a%20b%2Fc'],
  ['marks in its path', "https://shop.example/hooks/@shop;v=1/a:b,c+d'(e)!*~$&="],
  ['a query of several parts', 'https://shop.example/hooks?shop=17&event=&list=1%2C2'],
];

/** Addresses that have all of these forms between them. */
export const addressesOfAllForms: readonly string[] = [
  'HTTPS://Shop.Example:65535/hooks/@shop;v=1/a%20b%2Fc?shop=17&event=&list=1%2C2',
  'https://[2001:db8::17]:8443/hooks',
];

/** JSON texts that are no objects. */
export const otherJsonTexts: readonly string[] = ['[1,2]', '[]', '"text"', '17', '1e0', 'true', 'null'];

/** Texts that are no JSON, where the contract wants JSON text, and JSON texts of kinds that it does not name. */
export const jsonTextClasses: readonly ValueClass[] = [
  {
    id: 'text.no-json',
    title: 'text that is no JSON',
    keywords: ['contentMediaType'],
    derivation:
      'Nothing, words, JSON that breaks off or goes on, single quotes, bare names, values and comments of JavaScript, and a comma or a zero too many.',
    make: () => [
      ...['{"not": JSON', 'plain words', '{"a":1}}', "{'a':1}", '{a:1}', 'undefined'],
      '',
      ...['NaN', 'Infinity', '{"a":NaN}', '{"a":-Infinity}', '{"a":1} // b', '{"a":1,}', '{"a":01}'],
    ],
  },
  {
    id: 'text.json-of-another-kind',
    title: 'JSON text that is no object',
    keywords: ['contentMediaType'],
    derivation: 'A list, a text, numbers, a truth value and null are written as JSON.',
    free: 'field-forms',
    make: () => otherJsonTexts,
  },
];
