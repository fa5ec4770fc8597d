import { allChecks } from '../checks/index.ts';
import type { CheckResult } from '../run/verdict.ts';
import { allFaults } from './faults/index.ts';
import { checksOfFault, checksOfVariant } from './stand/checks-of-server.ts';
import { openStand, patience, patientReceiver } from './stand.ts';
import { conformingServers } from './variants/conforming-servers.ts';

/** The verdicts on one wrong or conforming server. */
export interface Judged {
  kind: 'fault' | 'variant';
  id: string;
  /** Checks whose verdict speaks against the server: failed, warned or, for MUSTs, inconclusive. */
  against: { check: string; verdict: 'failed' | 'warned' | 'inconclusive'; requirement?: string; reason?: string }[];
  /** Why the server could not be judged, where it failed by itself. */
  error?: string;
}

/** Every server of the proof with the checks that judge it. The conforming ones come first, because they take longest. */
export const serversToJudge = [
  ...conformingServers.map((variant) => ({
    ...{ kind: 'variant' as const, id: variant.id, make: variant.make },
    ...{ checks: checksOfVariant(allChecks, variant), wait: patience },
  })),
  ...allFaults.map((fault) => ({
    ...{ kind: 'fault' as const, id: fault.id, make: fault.make },
    ...{ checks: checksOfFault(allChecks, fault), wait: { settle: 1000, webhookWait: 2000 } },
  })),
];

/** Judges servers of the proof in this process. */
export interface Judges {
  /** Judges the server at a position of `serversToJudge`. Never rejects: a server that fails by itself has an `error`. */
  judge(position: number): Promise<Judged>;
  close(): Promise<void>;
}

/** Opens a stand for the servers of each kind: only conforming servers have to be patient with receivers of webhooks. */
export async function openJudges(): Promise<Judges> {
  const stands = { variant: await openStand(patientReceiver), fault: await openStand() };
  return {
    judge: async (position) => {
      const server = serversToJudge[position];
      if (!server) throw new Error(`the proof has no server at position ${position}`);
      const { kind, id, make, checks, wait } = server;
      try {
        const { results } = await stands[kind].judge(make, checks, { ...wait, concurrency: 8 });
        return { kind, id, against: results.flatMap(speaksAgainst) };
      } catch (error) {
        return { kind, id, against: [], error: String(error) };
      }
    },
    close: async () => {
      await Promise.all([stands.variant.close(), stands.fault.close()]);
    },
  };
}

function speaksAgainst({ check, verdict, requirement, reason }: CheckResult): Judged['against'] {
  const speaks = verdict === 'failed' || verdict === 'warned' || (verdict === 'inconclusive' && check.level === 'MUST');
  return speaks ? [{ check: check.id, verdict, ...(requirement && { requirement }), ...(reason && { reason }) }] : [];
}
