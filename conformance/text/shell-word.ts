/** A run of characters that a terminal would act on; a line feed is no harm inside quotes. */
const unprintable = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

const octal = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');

/**
 * Text as one quoted word of a POSIX shell, which takes every character as it stands. What a terminal would act on is
 * written so that only the shell sees it.
 */
export function quotedWord(text: string): string {
  const quoted = `'${text.replaceAll("'", "'\\''")}'`;
  return quoted.replace(unprintable, (run) => `'"$(printf '${octal(run)}')"'`);
}

/** The same, without quotes where they are not needed. */
export function shellWord(text: string): string {
  return /^[\w@%+:,./-][\w@%+=:,./-]*$/.test(text) ? text : quotedWord(text);
}
