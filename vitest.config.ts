import { defineConfig } from 'vitest/config';

/** Tests that end servers and databases at chosen moments: they share the cores with nothing but each other. */
const killing = ['server/resilience/{database-outage,instances,kill}.test.ts'];

export default defineConfig({
  test: {
    // Two cores may be busy with compilers and databases; a hang is what this is to catch.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          include: ['{openapi,server,conformance,docs}/**/*.test.ts'],
          exclude: killing,
          maxWorkers: 2,
          // A worker keeps what it has loaded and compiled from file to file, which is a good part of what they all take.
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      { extends: true, test: { name: 'killing', include: killing, maxWorkers: 2, sequence: { groupOrder: 1 } } },
    ],
  },
});
