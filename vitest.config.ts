import { defineConfig } from 'vitest/config';
import { BaseSequencer, type Reporter, type TestModule, type TestSpecification } from 'vitest/node';

/** The test of the single executable, which takes long to make: `npm run test:binary`. */
const binary = 'conformance/binary/executable.test.ts';

/**
 * The run of every check. Its two processes use two cores: beside other tests it takes many times as long, a webhook is not
 * received before its sender gives up, and some checks stay without a verdict.
 */
const wholeRun = 'conformance/cli/whole-run.test.ts';

/**
 * What takes longest, first of all: at the end it would keep one worker busy while the others have nothing left. Files that
 * compute stand beside files that wait most of the time, for a clock, a process or a receiver, so that the cores are busy and no more than that.
 */
const long = [
  ...[
    'conformance/proof/variants',
    'conformance/proof/unwarned-variants',
    'conformance/proof/proof',
    'server/attack/attack',
  ],
  'conformance/proof/signs',
  ...['docs/site/site', 'server/resilience/instances', 'conformance/proof/choices', 'server/resilience/kill'],
  ...[
    'conformance/proof/proof-of-rules',
    'conformance/tests/fairness',
    'conformance/proof/hopeless',
    'conformance/proof/told-causes',
  ],
  ...['conformance/attack/attack', 'server/resilience/database-outage'],
  ...['conformance/reporters/reports', 'server/checkout-page/journeys', 'server/tests/databases'],
  ...['conformance/cli/run-without-driver', 'conformance/cli/package', 'docs/samples/samples'],
  ...['server/resilience/bad-input', 'server/storage/sqlite', 'conformance/cli/serve'],
  ...['server/services/delivery/workers', 'openapi/generate/generate', 'server/checkout-page/accessibility'],
  ...['conformance/cli/judge', 'conformance/cli/prove', 'conformance/prove/gate', 'conformance/proof/crew'],
  ...['conformance/mutation/mutation', 'conformance/cli/pipelines', 'conformance/drivers/drivers'],
  ...['conformance/cli/canaries', 'server/tests/choices', 'conformance/cli/merchant', 'conformance/doctor/doctor'],
  ...['openapi/lint/compatibility', 'openapi/lint/linters', 'server/tests/refunds/creates'],
  ...['conformance/cli/interruption', 'conformance/cli/run'],
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const place = ({ moduleId }: TestSpecification) => {
      const index = long.findIndex((path) => moduleId.endsWith(`/${path}.test.ts`));
      return index < 0 ? long.length : index;
    };
    return sorted.sort((left, right) => place(left) - place(right));
  }
}

/** Prints at the end which test files took longest, in seconds from the first import to the last hook. */
const slowestFiles: Reporter = {
  onTestRunEnd(modules) {
    const seconds = (module: TestModule) => {
      const { collectDuration, setupDuration, duration } = module.diagnostic();
      return (collectDuration + setupDuration + duration) / 1000;
    };
    const slowest = [...modules].sort((left, right) => seconds(right) - seconds(left)).slice(0, 10);
    const lines = slowest.map((module) => `${seconds(module).toFixed(1).padStart(8)} s  ${module.relativeModuleId}`);
    process.stdout.write(`\n Slowest files\n${lines.join('\n')}\n\n`);
  },
};

export default defineConfig({
  test: {
    // The middle one is vitest's own default on GitHub.
    reporters: ['default', ...(process.env.GITHUB_ACTIONS ? ['github-actions'] : []), slowestFiles],
    // A machine may be busy with much else, and many times slower than another; a hang is what this is to catch.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    // A worker ends when the PostgreSQL that it has started has ended.
    teardownTimeout: 60_000,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          include: ['{openapi,server,conformance,docs}/**/*.test.ts'],
          exclude: [binary, wholeRun],
          // More than the cores of a small machine, since many tests wait for a browser, a process or a clock.
          maxWorkers: 4,
          // A worker keeps what it has loaded and compiled from file to file, which is a good part of what they all take.
          isolate: false,
          // In MB. Young objects outlive the usual space while a server is judged, and collecting them took an eighth of the CPU time.
          execArgv: ['--max-semi-space-size=64'],
          sequence: { groupOrder: 0 },
        },
      },
      { extends: true, test: { name: 'alone', include: [wholeRun], sequence: { groupOrder: 1 } } },
      { extends: true, test: { name: 'binary', include: [binary], sequence: { groupOrder: 2 } } },
    ],
  },
});
