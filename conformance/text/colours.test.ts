import { describe, expect, it } from 'vitest';
import { coloursFor } from './colours.ts';

describe('colours', () => {
  const terminal = { isTTY: true };

  it.each<[string, { isTTY?: boolean }, Record<string, string>, boolean]>([
    ['on a terminal', terminal, {}, true],
    ['where nobody looks', {}, {}, false],
    ['where NO_COLOR forbids it', terminal, { NO_COLOR: '1' }, false],
    ['in CI, which is no reason for it', terminal, { CI: 'true' }, false],
    ['on a terminal without any', terminal, { TERM: 'dumb' }, false],
  ])('are used or not %s', (_where, output, environment, coloured) => {
    expect(coloursFor(output, environment).red('x') !== 'x').toBe(coloured);
  });
});
