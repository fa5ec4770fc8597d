import { describe, expect, it } from 'vitest';
import { commands } from './program.ts';

describe('the list of commands', () => {
  it.each([...commands])('shows how %s is called', async (name, { usage, load }) => {
    const command = await load();
    expect(command.name()).toBe(name);
    expect(usage).toBe(command.usage());
  });
});
