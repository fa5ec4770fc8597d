import { commandDriver } from './command-driver.ts';
import type { Driver } from './driver.ts';
import { moduleDriver } from './module-driver.ts';
import { commandPrefix } from './program-name.ts';

/**
 * Opens the driver that `--driver` names: `command:` with a command line, or the file of a module. Each step may take
 * `timeout` milliseconds. Throws `UsageError`, or `Inconclusive` when a program does not answer as a driver.
 */
export function namedDriver(name: string, timeout: number): Promise<Driver> {
  return name.startsWith(commandPrefix)
    ? commandDriver(name.slice(commandPrefix.length), timeout)
    : moduleDriver(name, timeout);
}
