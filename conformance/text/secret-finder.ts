import type { Place } from './secret-fields.ts';

/** The shortest secret that is looked for, in characters. A shorter one also occurs in ordinary text, which would be hidden with it. */
export const shortest = 6;

/** The mark at the end of a text that was cut. Before it, redaction also recognises the beginning of a secret. */
export const cutMark = '…';

/** Finds secrets in texts without escapes. */
export interface SecretFinder {
  readonly isEmpty: boolean;
  /** The places of secrets. `strongOnly`: those that are ordinary words are not looked for. Takes time linear in the length of the text. */
  find(text: string, strongOnly: boolean): Place[];
}

/** The written forms of secrets that begin with the same characters. */
interface Forms {
  /** The longest forms first, so that a secret is found whole when it contains another. */
  lengths: number[];
  all: Map<string, { weak: boolean }>;
  /** All of them in order, to look up the beginning of one. */
  ordered: string[];
}

/**
 * A finder of these secrets: as they are, and as Base64 and hexadecimal digits write them, alone or inside longer digits. A secret
 * that is an ordinary word is found only where it stands alone, and not in an address.
 */
export function secretFinder(secrets: Iterable<string>): SecretFinder {
  const forms = new Map<string, { weak: boolean }>();
  for (const secret of secrets) {
    if (secret.length < shortest) continue;
    const weak = isOrdinary(secret);
    for (const form of weak ? [secret] : formsOf(secret)) {
      if (form.length >= shortest && !forms.has(form)) forms.set(form, { weak });
    }
  }
  const byBeginning = grouped(forms);
  const marked = new Uint8Array(2 ** 20);
  for (const beginning of byBeginning.keys()) marked[slotOf(hashOf(beginning))] = 1;
  const longest = Math.max(0, ...[...forms.keys()].map(({ length }) => length));

  /** The length of the secret that begins at this place; 0 when none does. */
  function lengthAt(text: string, at: number, strongOnly: boolean): number {
    const candidates = byBeginning.get(text.slice(at, at + shortest));
    if (!candidates) return 0;
    for (const length of candidates.lengths) {
      const form = candidates.all.get(text.slice(at, at + length));
      if (form && (!form.weak || (!strongOnly && standsAlone(text, at, at + length)))) return length;
    }
    const near = text.slice(at, at + longest + 8);
    const cut = near.indexOf(cutMark);
    // The cut may have gone through an escape.
    const beginning =
      cut < 0 ? '' : near.slice(0, cut).replace(/(\\u?[0-9a-f]{0,3}|%[0-9a-f]?|&#?x?[0-9a-f]{0,4})$/i, '');
    return beginning.length >= shortest && beginsOne(candidates.ordered, beginning) ? cut : 0;
  }

  return {
    isEmpty: forms.size === 0,
    find: (text, strongOnly) => {
      const places: Place[] = [];
      if (forms.size === 0) return places;
      let [from, hash] = [0, 0];
      for (let end = 0; end < text.length; end += 1) {
        const at = end + 1 - shortest;
        hash = rolled(hash, text.charCodeAt(end), at > 0 ? text.charCodeAt(at - 1) : 0);
        if (at < from || marked[slotOf(hash)] !== 1) continue;
        const length = lengthAt(text, at, strongOnly);
        if (length === 0) continue;
        places.push({ start: at, end: at + length });
        from = at + length;
      }
      return places;
    },
  };
}

/** True for a secret that is an ordinary word, a few words, or a short number. Such text stands in addresses and bodies as well. */
function isOrdinary(secret: string): boolean {
  return secret.length < 20 && (/^[a-z]+([-_. ][a-z]+)*$/i.test(secret) || /^[0-9]+$/.test(secret));
}

/** True when a word is none of a longer word, and no part of an address or a path. */
function standsAlone(text: string, start: number, end: number): boolean {
  return !/[\w./@-]/.test(text.charAt(start - 1)) && !/^([\w/@-]|[.:]\w)/.test(text.slice(end, end + 2));
}

function formsOf(secret: string): string[] {
  const hex = Buffer.from(secret).toString('hex');
  return [secret, ...base64Forms(secret), hex, hex.toUpperCase()];
}

/** The Base64 digits of a secret inside longer text: one form for each of the three positions at which its bytes may begin. */
function base64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    // Each digit carries six bits. Digits that also carry bits of the neighbouring text are left out.
    const whole = encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
    return [whole, whole.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

function grouped(forms: ReadonlyMap<string, { weak: boolean }>): Map<string, Forms> {
  const groups = new Map<string, Forms>();
  for (const [form, strength] of forms) {
    const beginning = form.slice(0, shortest);
    const group = groups.get(beginning) ?? { lengths: [], all: new Map(), ordered: [] };
    groups.set(beginning, group);
    group.all.set(form, strength);
  }
  for (const group of groups.values()) {
    group.ordered = [...group.all.keys()].sort();
    group.lengths = [...new Set(group.ordered.map(({ length }) => length))].sort((left, right) => right - left);
  }
  return groups;
}

/** True when one of these texts, which are in order, begins so. */
function beginsOne(ordered: readonly string[], beginning: string): boolean {
  let [low, high] = [0, ordered.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ordered[middle] ?? '') < beginning) low = middle + 1;
    else high = middle;
  }
  return ordered[low]?.startsWith(beginning) ?? false;
}

/** 31 to the power of `shortest`: the weight of the character that leaves the hash. */
const leavingWeight = 31 ** shortest;

/** The hash after moving one place on: one character enters, one leaves. */
function rolled(hash: number, entering: number, leaving: number): number {
  return (Math.imul(hash, 31) + entering - Math.imul(leaving, leavingWeight)) | 0;
}

function hashOf(beginning: string): number {
  let hash = 0;
  for (let each = 0; each < beginning.length; each += 1) hash = rolled(hash, beginning.charCodeAt(each), 0);
  return hash;
}

/** The slot of a hash, a number below 2 ** 20. */
function slotOf(hash: number): number {
  return Math.imul(hash, 0x9e3779b1) >>> 12;
}
