import type { CheckReport, Report } from '../run/report.ts';

/** The skipped checks of a run, grouped by their reason, since one reason often holds for many checks. */
export function skippedByReason({ checks }: Report): { reason: string; checks: CheckReport[] }[] {
  const groups = new Map<string, CheckReport[]>();
  for (const check of checks.filter(({ verdict }) => verdict === 'skipped')) {
    const reason = check.reason ?? '';
    groups.set(reason, [...(groups.get(reason) ?? []), check]);
  }
  return [...groups].map(([reason, grouped]) => ({ reason, checks: grouped }));
}
