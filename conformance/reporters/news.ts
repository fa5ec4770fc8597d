import { counted } from '../contract/counted.ts';
import type { Report } from '../run/report.ts';

/** How many checks are named in the sentence about news. */
const mostNamed = 5;

/** What an upgrade of the suite would change, in a sentence; `undefined` where every check counts. */
export function newsText({ suite, checks }: Report): string | undefined {
  const { judgedAs, version: now } = suite;
  if (judgedAs === undefined) return undefined;
  const news = checks.flatMap(({ id, news }) => (news ? [{ id, ...news }] : []));
  const by = `judged as by suite ${judgedAs}`;
  if (news.length === 0) return `${by}; suite ${now} has no newer check for this run`;
  const newer = counted(news.length, 'newer check does not count', 'newer checks do not count');
  const failing = news.filter(({ verdict }) => verdict === 'failed');
  if (failing.length === 0) return `${by}; ${newer}, and none of them would fail with suite ${now}`;
  const named = failing.slice(0, mostNamed).map(({ id }) => id);
  const others = failing.length - named.length;
  const list = [...named, ...(others > 0 ? [`${others} more`] : [])].join(', ');
  return `${by}; ${newer}, of which ${failing.length} would fail with suite ${now}: ${list}`;
}
