import type { Check } from '../check/check.ts';
import { allChecks } from '../checks/index.ts';
import type { CheckResult } from '../run/verdict.ts';
import { allFaults } from './faults/index.ts';
import type { Job, Judged } from './jobs.ts';
import type { Make } from './stand/fault.ts';
import { openStand, patience, patientReceiver } from './stand.ts';
import { conformingServers } from './variants/conforming-servers.ts';

/** Judges servers of the proof in this process. */
export interface Judges {
  /** Never rejects: a server that fails by itself has an `error`. */
  judge(job: Job): Promise<Judged>;
  close(): Promise<void>;
}

const servers: Readonly<Record<Job['kind'], readonly { id: string; make: Make }[]>> = {
  variant: conformingServers,
  fault: allFaults,
};

/** How long checks wait for a change or a webhook of a server, in milliseconds. */
const waits = { patient: patience, brief: { settle: 1000, webhookWait: 2000 } };

const checkById = new Map(allChecks.map((check) => [check.id, check]));

/** Opens a stand for each kind of wait: servers that are judged with patience are patient with receivers of webhooks too. */
export async function openJudges(): Promise<Judges> {
  const stands = { patient: await openStand(patientReceiver), brief: await openStand() };

  async function against({ kind, id, checks, patient }: Job): Promise<Judged['against']> {
    const server = servers[kind].find((each) => each.id === id);
    if (!server) throw new Error('the proof has no such server');
    const judging = checks.map((check) => checkById.get(check)).filter((check): check is Check => check !== undefined);
    const wait = patient ? 'patient' : 'brief';
    const { results } = await stands[wait].judge(server.make, judging, { ...waits[wait], concurrency: 8 });
    return results.flatMap(speaksAgainst);
  }

  return {
    judge: async (job) => {
      const { kind, id } = job;
      const started = performance.now();
      const milliseconds = () => Math.round(performance.now() - started);
      try {
        return { kind, id, against: await against(job), milliseconds: milliseconds() };
      } catch (error) {
        return { kind, id, against: [], milliseconds: milliseconds(), error: String(error) };
      }
    },
    close: async () => {
      await Promise.all([stands.patient.close(), stands.brief.close()]);
    },
  };
}

/** What a result says against a server, as a list of one or none. */
export function speaksAgainst({ check, verdict, requirement, reason }: CheckResult): Judged['against'] {
  const speaks = verdict === 'failed' || verdict === 'warned' || (verdict === 'inconclusive' && check.level === 'MUST');
  return speaks ? [{ check: check.id, verdict, ...(requirement && { requirement }), ...(reason && { reason }) }] : [];
}
