import { allChecks } from '../checks/index.ts';
import { conformingServers } from './conforming-servers.ts';
import { allFaults } from './faults.ts';
import { openStand } from './stand.ts';

/** What all checks say of one wrong server, or of one conforming one. Sent by a worker of the proof, one message each. */
export interface Judged {
  kind: 'fault' | 'variant';
  id: string;
  /** Checks whose verdict speaks against the server: failed, warned or, for MUSTs, inconclusive. */
  against: { check: string; verdict: 'failed' | 'warned' | 'inconclusive'; requirement?: string; reason?: string }[];
}

/** How long checks wait for what nothing dates, and for webhooks, in milliseconds. */
const waits = { settle: 1000, webhookWait: 2000 };

/** Judges every `count`-th wrong and conforming server, from the one at `index` on, and tells the parent process of each. */
async function judgeSlice(index: number, count: number): Promise<void> {
  const stand = await openStand();
  const servers = [
    ...conformingServers.map((variant) => ({ kind: 'variant' as const, ...variant })),
    ...allFaults.map((fault) => ({ kind: 'fault' as const, ...fault })),
  ];
  for (const { kind, id, make } of servers.filter((_, position) => position % count === index)) {
    const webhookWait = kind === 'variant' ? 8000 : waits.webhookWait;
    const results = await stand.judge(make, allChecks, { ...waits, webhookWait, concurrency: 8 });
    const against = results.flatMap(({ check, verdict, requirement, reason }): Judged['against'] => {
      const speaks =
        verdict === 'failed' || verdict === 'warned' || (verdict === 'inconclusive' && check.level === 'MUST');
      return speaks
        ? [{ check: check.id, verdict, ...(requirement && { requirement }), ...(reason && { reason }) }]
        : [];
    });
    process.send?.({ kind, id, against } satisfies Judged);
  }
  await stand.close();
}

const [index = '0', count = '1'] = process.argv.slice(2);
await judgeSlice(Number(index), Number(count));
process.disconnect?.();
