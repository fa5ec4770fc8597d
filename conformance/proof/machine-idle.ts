import { cpus } from 'node:os';

/** Tells which part of the CPU time of the whole machine was idle lately, from 0 to 1. It looks once in `interval` milliseconds. */
export function openMachineIdle(interval = 500): () => number {
  let before = { at: performance.now(), ...cpuTimes() };
  let share = 0;
  return () => {
    const at = performance.now();
    if (at - before.at < interval) return share;
    const now = { at, ...cpuTimes() };
    share = (now.idle - before.idle) / Math.max(1, now.all - before.all);
    before = now;
    return share;
  };
}

/** The times of all cores since the machine was started, in milliseconds. */
function cpuTimes(): { idle: number; all: number } {
  const times = cpus().map((core) => core.times);
  const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0);
  return { idle: sum(times.map(({ idle }) => idle)), all: sum(times.flatMap((each) => Object.values(each))) };
}
