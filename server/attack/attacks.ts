import { hugeAmounts, largeBacklog, slowReceivers } from './merchants.ts';
import { halfSentBodies, nestedBodies, singleBytes } from './strangers.ts';
import { startVictim, type Victim } from './victim.ts';

/** The resident memory that the attacked process may reach, in MB. Buffers are outside of its heap. */
const mostMemory = 400;

/** How large an attack is: the whole one, or a short form for the tests. */
export type Scale = 'whole' | 'short';

/**
 * The longest time for which the server may not answer others, in milliseconds. The tests share the machine with others, so
 * their limit catches only what blocks for very long.
 */
const longestSilence: Readonly<Record<Scale, number>> = { whole: 2_000, short: 15_000 };

interface Attack {
  name: string;
  /** How often it does what it does. Absent for `short`: it takes too long for the tests. */
  times: Readonly<{ whole: number; short?: number }>;
  /** Attacks, and says how. Rejects when the server does not do what it must. */
  run(victim: Victim, times: number, restart: () => Promise<Victim>): Promise<string>;
}

export const attacks: readonly Attack[] = [
  {
    ...{ name: 'huge amounts in many parts', times: { whole: 1, short: 1 } },
    run: (victim) => hugeAmounts(victim),
  },
  { name: 'half-sent bodies', times: { whole: 300, short: 60 }, run: halfSentBodies },
  { name: 'bodies in single bytes', times: { whole: 20 }, run: singleBytes },
  { name: 'nested bodies, wrongly signed', times: { whole: 20, short: 5 }, run: nestedBodies },
  { name: 'slow receivers', times: { whole: 1_500 }, run: slowReceivers },
  { name: 'a backlog of large webhooks', times: { whole: 250, short: 20 }, run: largeBacklog },
];

/** The measured effect of an attack. */
export interface Outcome {
  name: string;
  /** Milliseconds. */
  silence: number;
  /** MB. */
  memory: number;
  /** What was done, or what went wrong. */
  text: string;
  holds: boolean;
}

/** Carries out an attack against a new process; `flags` name its database, which it has to itself. */
export async function attack(
  { name, times, run }: Attack,
  flags: readonly string[],
  { scale, server }: { scale: Scale; server?: string | undefined },
): Promise<Outcome> {
  const victims = [await startVictim(flags, server)];
  const [first] = victims;
  if (!first) throw new Error('there is no server to attack');
  const restart = async () => {
    await first.kill();
    const again = await startVictim(flags, server);
    victims.push(again);
    return again;
  };
  const problems: string[] = [];
  const done = await run(first, times[scale] ?? times.whole, restart).catch((error: unknown) => {
    problems.push(error instanceof Error ? error.message : String(error));
    return '';
  });
  const last = victims.at(-1) ?? first;
  if (!last.isAlive()) problems.push('the server has ended');
  const silence = Math.max(...victims.map((victim) => victim.longestSilence()));
  const memory = last.peakMemory();
  const limit = longestSilence[scale];
  if (silence > limit) problems.push(`the server was silent for more than ${limit} ms`);
  if (memory > mostMemory) problems.push(`the server took more than ${mostMemory} MB`);
  await last.kill();
  return { name, silence, memory, text: [done, ...problems].filter(Boolean).join('; '), holds: problems.length === 0 };
}
