import picocolors from 'picocolors';

/**
 * Colours for what is written to `output`: only on a terminal, and only where neither NO_COLOR nor CI forbids it. The
 * library's own guess is not used, because it takes CI for a reason to colour.
 */
export function coloursFor(
  output: { readonly isTTY?: boolean | undefined },
  environment: Readonly<Record<string, string | undefined>> = process.env,
) {
  const { NO_COLOR, CI, TERM } = environment;
  return picocolors.createColors(output.isTTY === true && !NO_COLOR && !CI && TERM !== 'dumb');
}
