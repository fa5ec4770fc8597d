/** A run of characters that a terminal would act on. A line feed does no harm inside quotes. */
const unprintable = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

const octal = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');

/**
 * Text as one quoted word of a POSIX shell. Characters that a terminal would act on become a `printf` command, which only
 * the shell evaluates.
 */
export function quotedWord(text: string): string {
  const quoted = `'${text.replaceAll("'", "'\\''")}'`;
  return quoted.replace(unprintable, (run) => `'"$(printf '${octal(run)}')"'`);
}

/** Text as one word of a POSIX shell, in quotes only if it needs them. */
export function shellWord(text: string): string {
  return /^[\w@%+:,./-][\w@%+=:,./-]*$/.test(text) ? text : quotedWord(text);
}
