import { isSea } from 'node:sea';
import { constants, Script } from 'node:vm';

/** Imports the module at a `file:` address. */
export function importModule(address: string): Promise<Record<string, unknown>> {
  return isSea() ? importByScript(address) : import(address);
}

/** In the single executable, `import()` knows only the modules of Node itself, but not so in a script that asks for the usual loader. */
function importByScript(address: string): Promise<Record<string, unknown>> {
  const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
  const script = new Script('(address) => import(address)', { importModuleDynamically });
  // Node 20 warns at the call that this is experimental. Whoever wrote the driver can do nothing about it.
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return script.runInThisContext()(address);
  } finally {
    process.emitWarning = emitWarning;
  }
}
