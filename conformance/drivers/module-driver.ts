import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { messageOf } from '../errors/message-of.ts';
import { Inconclusive } from '../errors/outcomes.ts';
import { UsageError } from '../errors/usage-errors.ts';
import { didYouMean } from '../text/did-you-mean.ts';
import { checkedDriver } from './checked-driver.ts';
import { type Driver, driverSteps } from './driver.ts';
import { importModule } from './import-module.ts';

/**
 * Loads the driver that a module exports, by default or under the name `driver`. Each step may take `timeout` milliseconds.
 * Throws `UsageError` when the module cannot be loaded or exports no driver.
 */
export async function moduleDriver(file: string, timeout: number): Promise<Driver> {
  const exported = await load(file);
  const driver: unknown = exported.default ?? exported.driver;
  if (typeof driver !== 'object' || driver === null) {
    const names = Object.keys(exported).join(', ') || 'nothing';
    throw new UsageError(
      `the driver ${file} exports ${names}; it must export the driver, by default or under the name driver`,
    );
  }
  return objectDriver(driver, timeout, file);
}

/** Makes a checked driver of a foreign object. `name` stands for the object in errors. Throws `UsageError` when it has no step. */
export function objectDriver(driver: object, timeout: number, name = 'object'): Driver {
  const steps = driverSteps.filter((step) => Reflect.get(driver, step) !== undefined);
  const wrong = steps.find((step) => typeof Reflect.get(driver, step) !== 'function');
  if (wrong !== undefined) throw new UsageError(`the driver ${name}: ${wrong} must be a function`);
  if (steps.length === 0) {
    const [first] = Object.keys(driver);
    const instead = first === undefined ? '' : `. It has ${first}${didYouMean(first, driverSteps)}`;
    throw new UsageError(`the driver ${name} has none of the steps ${driverSteps.join(', ')}${instead}`);
  }
  return checkedDriver(steps, (step, args, transport) => {
    const call = async (): Promise<unknown> =>
      Reflect.apply(Reflect.get(driver, step), driver, [...Object.values(args), transport]);
    return inTime(call, timeout).catch((error: unknown) => {
      if (error instanceof Inconclusive) throw error;
      throw new Inconclusive(`the driver's ${step} failed: ${messageOf(error)}`);
    });
  });
}

async function load(file: string): Promise<Record<string, unknown>> {
  if (!existsSync(file)) {
    throw new UsageError(`there is no driver ${file}; to use a program instead of a module, give command:CMD`);
  }
  try {
    return await importModule(pathToFileURL(resolve(file)).href);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    const why =
      code === 'ERR_UNKNOWN_FILE_EXTENSION'
        ? `Node ${process.versions.node} does not load files of this kind; use JavaScript (.mjs), or Node 22.18 or later for .ts`
        : String(error);
    throw new UsageError(`the driver ${file} cannot be loaded: ${why}`);
  }
}

async function inTime(call: () => Promise<unknown>, timeout: number): Promise<unknown> {
  const ended = new AbortController();
  const tooLate = delay(timeout, undefined, { signal: ended.signal, ref: false }).then(() => {
    throw new Error(`it did not end in ${timeout} ms (see --timeout)`);
  });
  // Ending the wait below rejects this promise, which is no error.
  tooLate.catch(() => {});
  try {
    return await Promise.race([call(), tooLate]);
  } finally {
    ended.abort();
  }
}
