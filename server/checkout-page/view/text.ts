/**
 * Invisible characters that turn or hide the text beside them. Joiners are not included because scripts and emoji need
 * them.
 */
const invisible = /(?![\u200c\u200d])[\p{Cf}\p{Cs}]/gu;

/**
 * A merchant's text in a form that a page may show: on one line, at most `length` characters long with `…` at the end
 * of a longer text, without controls, marks that change the direction of writing, or heaps of accents that run over
 * other lines.
 */
export function plainText(text: string, length: number): string {
  // Only as much of a very long text is processed as can be shown.
  const plain = text
    .slice(0, 8 * length)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .replace(invisible, '')
    .replace(/(\p{M}{4})\p{M}+/gu, '$1')
    .trim();
  const characters = [...plain];
  const cut = characters.length > length || text.length > 8 * length;
  return cut ? `${characters.slice(0, length - 1).join('')}…` : plain;
}

/** Created when the first time is shown, because creating it would be a noticeable part of the server's start. */
let utc: Intl.DateTimeFormat | undefined;

/** A time for people, in UTC. Takes milliseconds since the epoch. */
export function timeText(milliseconds: number): string {
  utc ??= new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' });
  return `${utc.format(milliseconds)} UTC`;
}

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/**
 * A duration for people in its two largest units, `59 minutes 12 seconds`, rounded up to seconds. Takes milliseconds.
 */
export function durationText(milliseconds: number): string {
  let rest = Math.max(0, Math.ceil(milliseconds / 1000));
  const parts = units.map(([name, seconds]) => {
    const count = Math.floor(rest / seconds);
    rest -= count * seconds;
    return { count, text: `${count} ${name}${count === 1 ? '' : 's'}` };
  });
  const first = parts.findIndex(({ count }) => count > 0);
  if (first === -1) return '0 seconds';
  const [large, small] = parts.slice(first);
  return small && small.count > 0 ? `${large?.text} ${small.text}` : `${large?.text}`;
}
