import { attackRun } from './attack-run.ts';
import { hostileTargets } from './targets.ts';

// `npm run attack:runner`: every hostile target against a whole run, with a table of what came of it.

/** The flags of each run. It asks each check once, and waits for nothing long. */
const flags = ['--timeout', '500', '--max-duration', '20', '--seed', '1'];

/** What must hold, in MiB of resident memory and seconds. */
const bounds = { memory: 400, seconds: 40 };

let broken = 0;
process.stdout.write('| attack | exit code | memory (MiB) | time (s) | |\n|---|--:|--:|--:|---|\n');
for (const target of hostileTargets) {
  const { code, memory, seconds } = await attackRun(target, flags);
  const holds = (code === 1 || code === 3) && memory < bounds.memory && seconds < bounds.seconds;
  if (!holds) broken += 1;
  process.stdout.write(
    `| ${target.name} | ${code} | ${memory.toFixed(0)} | ${seconds.toFixed(1)} | ${holds ? 'holds' : 'BROKEN'} |\n`,
  );
}
process.exitCode = broken > 0 ? 1 : 0;
