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
  /** Attacks, and says how. Rejects when the server does not do what it must. */
  run(victim: Victim, scale: Scale, restart: () => Promise<Victim>): Promise<string>;
}

export const attacks: readonly Attack[] = [
  { name: 'huge amounts in many parts', run: (victim) => hugeAmounts(victim) },
  {
    name: 'half-sent bodies',
    run: (victim, scale) => halfSentBodies(victim, scale === 'whole' ? 300 : 60),
  },
  {
    name: 'bodies in single bytes',
    run: (victim, scale) => singleBytes(victim, scale === 'whole' ? 20 : 2),
  },
  {
    name: 'nested bodies, wrongly signed',
    run: (victim, scale) => nestedBodies(victim, scale === 'whole' ? 20 : 5),
  },
  {
    name: 'slow receivers',
    run: (victim, scale) => slowReceivers(victim, scale === 'whole' ? 1_500 : 300),
  },
  {
    name: 'a backlog of large webhooks',
    run: (victim, scale, restart) => largeBacklog(victim, scale === 'whole' ? 250 : 20, restart),
  },
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
  { name, run }: Attack,
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
  const done = await run(first, scale, restart).catch((error: unknown) => {
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
