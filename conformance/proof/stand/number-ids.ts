/** A way in which a server reads ids as numbers: `read` gives what ids of one number have in common; `undefined`: the id is no number to it. */
export interface NumberReading {
  name: string;
  words: string;
  read(id: string): string | undefined;
}

const safely = (number: number) => (Number.isSafeInteger(number) ? String(number) : undefined);

/** Ways that mix up ids of the characters that an order's id may have. */
export const numberReadings: readonly NumberReading[] = [
  {
    name: 'zeros',
    words: 'in zeros before at most 15 digits',
    read: (id) => (/^[0-9]+$/.test(id) ? safely(Number(id)) : undefined),
  },
  {
    name: 'exponents',
    words: 'in whether a number has an exponent',
    read: (id) => (/^0*[1-9][0-9]*(e[0-9]+)?$/.test(id) ? safely(Number(id)) : undefined),
  },
  {
    name: 'hexadecimal',
    words: 'in whether a number is written in hexadecimal digits',
    read: (id) => (/^(0x[0-9a-f]+|[0-9]+)$/.test(id) ? safely(Number(id)) : undefined),
  },
  {
    name: 'doubles',
    words: 'in digits that a double does not hold',
    read: (id) => (/^[1-9][0-9]+$/.test(id) ? String(Number(id)) : undefined),
  },
  {
    name: 'exponents-of-nothing',
    words: 'in the exponent of a 0',
    read: (id) => (/^0e[0-9]+$/.test(id) ? '0' : undefined),
  },
];

/** Ways that only ids without a form show. */
export const formlessNumberReadings: readonly NumberReading[] = [
  {
    name: 'fractions',
    words: 'in whether a number has a fraction of nothing',
    read: (id) => (/^[0-9]+(\.0)?$/.test(id) ? safely(Number(id)) : undefined),
  },
  {
    name: 'signs',
    words: 'in whether a number has a sign',
    read: (id) => (/^\+?[0-9]+$/.test(id) ? safely(Number(id)) : undefined),
  },
];

/** The first id that a server has met of all that it reads as one number, and every other id as it is. */
export function asFirstMet({ read }: NumberReading): (id: string) => string {
  const met = new Map<string, string>();
  return (id) => {
    const number = read(id);
    if (number === undefined) return id;
    const first = met.get(number) ?? id;
    met.set(number, first);
    return first;
  };
}
