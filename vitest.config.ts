import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests that end servers and databases at chosen moments: they share the cores with nothing but each other. */
const killing = ['server/resilience/{database-outage,instances,kill}.test.ts'];

/** What takes longest, first of all: at the end it would keep one worker busy while the others have nothing left. */
const long = /\/(proof\/(variants|proof|choices)|site\/site|cli\/(run|package))\.test\.ts$/;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => long.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    // A machine may be busy with much else, and several times slower than another; a hang is what this is to catch.
    testTimeout: 180_000,
    hookTimeout: 240_000,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          include: ['{openapi,server,conformance,docs}/**/*.test.ts'],
          exclude: killing,
          // More than the cores of a small machine, since many tests wait for a browser, a process or a clock.
          maxWorkers: 3,
          // A worker keeps what it has loaded and compiled from file to file, which is a good part of what they all take.
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      { extends: true, test: { name: 'killing', include: killing, maxWorkers: 2, sequence: { groupOrder: 1 } } },
    ],
  },
});
