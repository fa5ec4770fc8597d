import { constraints, currencies } from '../../../generated/catalogue.ts';
import { besideIt, type ConstrainedValue, type ValueClass } from './value-class.ts';

const keywords = ['enum', 'const'];
const membersOf = ({ constraint: { value } }: Pick<ConstrainedValue, 'constraint'>) => [value].flat().map(String);

/** Every text that some other list of the contract has: the members of its enumerations, and the currencies of the platform. */
const listedSomewhere = [
  ...new Set([
    ...currencies.map(({ code }) => String(code)),
    ...constraints
      .filter(({ keyword }) => keywords.includes(keyword))
      .flatMap((constraint) => membersOf({ constraint })),
  ]),
];

const otherCase = (text: string) => (text === text.toLowerCase() ? text.toUpperCase() : text.toLowerCase());
const capitalized = (text: string) => text.slice(0, 1) + text.slice(1).toLowerCase();

/** A text without its last word. `undefined`: it has one word. */
const stemOf = (text: string): string | undefined => /^.+(?=_)/.exec(text)?.[0];

/**
 * What is taken for a text of the list by a comparison of its beginning or of its letters alone, and what may stand beside it in a list of later
 * days, or stands beside it in the contract: refunds name the ways to pay by a further word.
 */
function namesakesOf(text: string): string[] {
  const stem = stemOf(text);
  const ofWords =
    stem === undefined
      ? []
      : [stem, `${stem}_THREE`, `${stem}_PAY`, `${text}_PAY`, text.replaceAll('_', '-'), text.replaceAll('_', '')];
  return [...ofWords, `${text}S`, `${text}X`];
}

/**
 * Texts beside a list of permitted ones that no schema enumerates: of every class below whose values are no member. The classes look at
 * the first member of the list where one is enough.
 */
export function textsBeside(members: readonly string[]): { title: string; text: string }[] {
  const made = enumerationClasses
    .filter(({ keeps }) => !keeps)
    .flatMap(({ title, make }) => {
      const constraint = { keyword: 'enum', value: [...members] };
      return make({ constraint, sample: members[0], isRequired: true, random: () => 0 }).map((text) => ({
        title,
        text: String(text),
      }));
    });
  return made.filter(({ text }) => !members.includes(text));
}

/** The kinds of names that lists have, by the form of their members, with names of the same kind that the platform has not. */
const kinds: readonly { form: RegExp; others: readonly string[] }[] = [
  { form: /^USD/, others: ['TUSD', 'DAI', 'FDUSD', 'PYUSD', 'BUSD', 'USDE', 'EURC', 'BTC', 'GBP'] },
  { form: /^EXCHANGE_(?!TRANSFER$)/, others: ['EXCHANGE_THREE', 'BINANCE', 'BYBIT', 'COINBASE', 'OKX'] },
  { form: /_TRANSFER$/, others: ['BANK_TRANSFER', 'WALLET_TRANSFER', 'OFF_CHAIN_TRANSFER', 'CARD'] },
  { form: /^[a-z]+$/, others: ['base', 'arbitrum', 'optimism', 'avalanche', 'ton', 'btc', 'ethereum'] },
];

/** Lists of permitted texts. */
export const enumerationClasses: readonly ValueClass[] = [
  {
    id: 'enumeration.member',
    title: 'a member of the list',
    keywords,
    derivation: 'Each text of the list is sent.',
    keeps: true,
    make: (of) => membersOf(of),
  },
  {
    id: 'enumeration.unknown',
    title: 'a text that no list has',
    keywords,
    derivation: 'A currency that the platform does not have, a made-up text, and nothing where the field is required.',
    make: ({ isRequired }) => ['EUR', 'NOT_IN_THE_LIST', ...(isRequired ? [''] : [])],
  },
  {
    id: 'enumeration.known-elsewhere',
    title: 'a name of the same kind that other platforms have',
    keywords,
    derivation:
      'Further stablecoins and currencies, exchanges, ways to pay and networks stand for one of the list: a program that knows them all may hold a name to its own list only.',
    make: (of) => {
      const members = membersOf(of);
      return kinds.find(({ form }) => members.every((member) => form.test(member)))?.others ?? [];
    },
  },
  {
    id: 'enumeration.no-text',
    title: 'an entry that is no text',
    keywords,
    derivation: 'Nothing, a number, a truth value, an object and a list stand as an entry of a list.',
    make: ({ constraint: { path } }) => (path?.at(-1) === '*' ? [null, 0, true, {}, []] : []),
  },
  {
    id: 'enumeration.of-another-list',
    title: 'a member of another list',
    keywords,
    derivation: 'Each text that another list of the contract has and this one has not, also without its last word.',
    make: (of) => {
      const texts = listedSomewhere.flatMap((text) => [text, stemOf(text) ?? text]);
      return [...new Set(texts)].filter((text) => !membersOf(of).includes(text));
    },
  },
  {
    id: 'enumeration.other-case',
    title: 'a member in letters of the other case',
    keywords,
    derivation: 'Each text of the list in the other case, and with a capital first letter only.',
    make: (of) => membersOf(of).flatMap((text) => [otherCase(text), capitalized(text)]),
  },
  {
    id: 'enumeration.padded',
    title: 'a member with a blank or a line feed beside it',
    keywords,
    derivation:
      'A space, a tab or a line feed stands before the first text of the list and that of a right request, behind it, or on both sides.',
    make: (of) => {
      const [first = '', ...others] = membersOf(of);
      const own = others.filter((text) => text === of.sample);
      return [first, ...own].flatMap(besideIt);
    },
  },
  {
    id: 'enumeration.part',
    title: 'a part of a member, or more than one',
    keywords,
    derivation: 'A text of the list without its last character, with another one, and joined to a second by a comma.',
    make: (of) => {
      const [first = '', second = first] = membersOf(of);
      return [first.slice(0, -1), `${first}X`, `${first},${second}`];
    },
  },
  {
    id: 'enumeration.namesake',
    title: 'a text that resembles a member',
    keywords,
    derivation:
      'A text of the list without its last word, with another one in its place, as refunds name ways to pay, with its words joined otherwise, and with one more letter.',
    make: (of) => membersOf(of).flatMap(namesakesOf),
  },
];
