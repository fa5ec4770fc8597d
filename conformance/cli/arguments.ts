import { InvalidArgumentError } from 'commander';
import { UsageError } from '../errors/usage-errors.ts';
import { didYouMean } from '../text/did-you-mean.ts';

// Readers for the values of flags. commander puts the name of the flag before their messages.

/** Reads a flag that may be given several times: adds its value to the ones before. */
export function repeated(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value];
}

/** Reads a flag that may be given several times, with one of these choices each time. */
export function oneOf(choices: readonly string[]) {
  return (value: string, before: string[] | undefined): string[] => {
    if (choices.includes(value)) return repeated(value, before);
    throw new InvalidArgumentError(`It is one of ${choices.join(', ')}${didYouMean(value, choices) || '.'}`);
  };
}

/** The longest time that a timer of Node can wait, in milliseconds. A longer one would end at once. */
const longestTimer = 2 ** 31 - 1;

/** Reads a whole number from `least` up to `most`. */
export function wholeNumber(least: number, most = longestTimer) {
  return (value: string): number => {
    const number = Number(value);
    if (/^[0-9]+$/.test(value) && number >= least && number <= most) return number;
    throw new InvalidArgumentError(`It is a whole number from ${least} to ${most}.`);
  };
}

/**
 * Reads an address. It must have no query, because paths are added to it, and no user, because credentials have flags of their
 * own. The message does not repeat the value, which may hold a password.
 */
export function addressOf(flag: string) {
  return (value: string): string => {
    const url = URL.canParse(value) ? new URL(value) : undefined;
    const bare = url && !url.username && !url.password && !url.search && !url.hash;
    if (bare && /^https?:$/.test(url.protocol)) return value;
    throw new UsageError(`${flag} must be an http or https address without user, query or fragment`);
  };
}

/** A message of commander about an unknown option, without the value of the option, which may be a secret. */
export function withoutValue(message: string): string {
  return message.replace(/(unknown option '[^'=]*)=.*'/s, "$1'");
}
