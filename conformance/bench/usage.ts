import { readFileSync } from 'node:fs';

/** The CPU times of a process in its `/proc/PID/stat`, by their place behind the name: of itself, and of its children that have ended. */
const places = { own: 11, children: 13 };

/** How many of these units are a second; Linux shows them so on every machine. */
const unitsPerSecond = 100;

/**
 * The CPU time that a process has taken itself, or that its children took that have ended, with their own; in milliseconds. It is read from
 * `/proc`, which Linux has.
 */
export function cpuTime(of: keyof typeof places, pid: number | 'self' = 'self'): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system] = fields.slice(places[of]);
  return ((Number(user) + Number(system)) / unitsPerSecond) * 1000;
}
