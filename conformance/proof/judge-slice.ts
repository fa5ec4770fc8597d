import { allChecks } from '../checks/index.ts';
import type { CheckResult } from '../run/verdict.ts';
import { checksOfFault, checksOfVariant } from './checks-of-server.ts';
import { allFaults } from './faults/index.ts';
import { openStand, patience } from './stand/stand.ts';
import { conformingServers } from './variants/conforming-servers.ts';

/** The verdicts on one wrong or conforming server. A worker of the proof sends one message for each. */
export interface Judged {
  kind: 'fault' | 'variant';
  id: string;
  /** Checks whose verdict speaks against the server: failed, warned or, for MUSTs, inconclusive. */
  against: { check: string; verdict: 'failed' | 'warned' | 'inconclusive'; requirement?: string; reason?: string }[];
  /** Why the server could not be judged, where it failed by itself. */
  error?: string;
}

/** Judges every `count`-th wrong and conforming server, from the one at `index` on, and sends each result to the parent process. */
async function judgeSlice(index: number, count: number): Promise<void> {
  const stand = await openStand();
  const servers = [
    ...conformingServers.map((variant) => ({
      ...{ kind: 'variant' as const, id: variant.id, make: variant.make },
      ...{ checks: checksOfVariant(allChecks, variant), wait: patience },
    })),
    ...allFaults.map((fault) => ({
      ...{ kind: 'fault' as const, id: fault.id, make: fault.make },
      ...{ checks: checksOfFault(allChecks, fault), wait: { settle: 1000, webhookWait: 2000 } },
    })),
  ];
  for (const { kind, id, make, checks, wait } of servers.filter((_, position) => position % count === index)) {
    try {
      const { results } = await stand.judge(make, checks, { ...wait, concurrency: 8 });
      tell({ kind, id, against: results.flatMap(speaksAgainst) });
    } catch (error) {
      tell({ kind, id, against: [], error: String(error) });
    }
  }
  await stand.close();
}

function speaksAgainst({ check, verdict, requirement, reason }: CheckResult): Judged['against'] {
  const speaks = verdict === 'failed' || verdict === 'warned' || (verdict === 'inconclusive' && check.level === 'MUST');
  return speaks ? [{ check: check.id, verdict, ...(requirement && { requirement }), ...(reason && { reason }) }] : [];
}

function tell(judged: Judged): void {
  process.send?.(judged);
}

const [index = '0', count = '1'] = process.argv.slice(2);
await judgeSlice(Number(index), Number(count));
process.disconnect?.();
