import { InvalidArgumentError } from 'commander';
import { closest } from 'fastest-levenshtein';
import { UsageError } from '../errors/usage-errors.ts';

// How the values of flags are read. commander puts the flag's name before these messages.

/** A flag that may be given several times. */
export function repeated(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value];
}

/** The same for a flag that has its choices. */
export function oneOf(choices: readonly string[]) {
  return (value: string, before: string[] | undefined): string[] => {
    if (choices.includes(value)) return repeated(value, before);
    throw new InvalidArgumentError(`It is one of ${choices.join(', ')}; did you mean ${closest(value, [...choices])}?`);
  };
}

export function wholeNumber(least: number) {
  return (value: string): number => {
    const number = Number(value);
    if (/^[0-9]+$/.test(value) && number >= least) return number;
    throw new InvalidArgumentError(`It is a whole number from ${least} up.`);
  };
}

/**
 * The address that a flag holds: without a query, since paths are put behind it, and without a user, since credentials go
 * elsewhere. The message leaves the value out, in which a password may stand.
 */
export function addressOf(flag: string) {
  return (value: string): string => {
    const url = URL.canParse(value) ? new URL(value) : undefined;
    const bare = url && !url.username && !url.password && !url.search && !url.hash;
    if (bare && /^https?:$/.test(url.protocol)) return value;
    throw new UsageError(`${flag} must be an http or https address without user, query or fragment`);
  };
}

/** What commander says of an unknown option, without its value: behind a misspelt flag it could be a secret. */
export function withoutValue(message: string): string {
  return message.replace(/(unknown option '[^'=]*)=.*'/s, "$1'");
}
