import picocolors from 'picocolors';

/**
 * The colours for text written to `output`. Text is coloured only on a terminal, and only without NO_COLOR and CI in the
 * environment. The library's own choice is not used, because it colours in CI.
 */
export function coloursFor(
  output: { readonly isTTY?: boolean | undefined },
  environment: Readonly<Record<string, string | undefined>> = process.env,
) {
  const { NO_COLOR, CI, TERM } = environment;
  return picocolors.createColors(output.isTTY === true && !NO_COLOR && !CI && TERM !== 'dumb');
}
