import { Command } from 'commander';
import { examine } from '../doctor/examine.ts';
import type { Finding } from '../doctor/step.ts';
import { configurationFile, defaultFile, readConfiguration } from '../run/configuration.ts';
import { coloursFor } from '../text/colours.ts';
import { openTarget, type TargetFlags, withTarget } from './target.ts';

const pc = coloursFor(process.stdout);

const marks: Record<Finding['state'], string> = {
  well: pc.green('✓'),
  note: pc.yellow('!'),
  wrong: pc.red('✗'),
  fatal: pc.red('✗'),
};

const exitCodes: Record<Finding['state'], number> = { well: 0, note: 0, wrong: 1, fatal: 3 };

/** `assay doctor`: examines a target before a run, and names the cure for each fault. */
export function doctorCommand(): Command {
  return withTarget(new Command('doctor'))
    .option('--json', 'print the findings as JSON')
    .description('Look at configuration, connection, clock, driver, a signed request and a webhook before a run.')
    .addHelpText(
      'after',
      `
Exit codes: 0 a run can begin; 1 something is wrong, but a run can judge the rest; 2 wrong usage or configuration; 3 a run
could not judge anything; 70 a fault of assay itself.`,
    )
    .action(doctor);
}

async function doctor(flags: TargetFlags & { json?: true }): Promise<void> {
  const configuration = readConfiguration(flags.config, process.env);
  const target = await openTarget(flags, configuration);
  try {
    const file = configurationFile(flags.config) ?? `no ${defaultFile}`;
    const findings: ({ step: string } & Partial<Finding>)[] = [];
    const tell = (step: string, finding: Finding | undefined) => {
      findings.push({ step, ...finding });
      if (!flags.json) show(step, finding);
    };
    tell('configuration', { state: 'well', found: `${file}; the target is ${target.title}` });
    const worst = await examine({ ...target.options, seed: 0, concurrency: 1 }, tell);
    if (flags.json) process.stdout.write(`${JSON.stringify({ worst, findings }, null, 2)}\n`);
    process.exitCode = exitCodes[worst];
  } finally {
    await target.close();
  }
}

function show(name: string, finding: Finding | undefined): void {
  const label = name.padEnd(15);
  if (!finding) {
    process.stdout.write(`- ${label} ${pc.dim('not looked at')}\n`);
    return;
  }
  const { state, found, cure } = finding;
  process.stdout.write(
    `${marks[state]} ${label} ${found}\n${cure === undefined ? '' : `  ${' '.repeat(15)} → ${cure}\n`}`,
  );
}
