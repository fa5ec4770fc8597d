import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{openapi,server,conformance,docs}/**/*.test.ts'],
    // Two cores may be busy with compilers and databases; a hang is what this is to catch.
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
