import type { Storage } from '../services/ports.ts';

/** A storage that can be cut off from its user, while the data stays for the next one. */
export interface SeverableStorage {
  storage: Storage;
  /** Lets every call fail from now on, also those under way. Transactions that are not committed yet are undone. */
  sever(): void;
}

/**
 * Makes a storage severable, so that a server can end in the middle of its work within a process that goes on. As after the kill of
 * a process, what was committed stays, and nothing else.
 */
export function severable(storage: Storage): SeverableStorage {
  let severed = false;
  const expectWhole = () => {
    if (severed) throw new Error('the server has ended, and its storage is cut off');
  };
  async function guarded<Result>(call: () => Promise<Result>): Promise<Result> {
    expectWhole();
    const result = await call();
    expectWhole();
    return result;
  }
  /** The object, each of whose methods fails once the storage is cut off. */
  const guardedObject = <Target extends object>(target: Target): Target =>
    new Proxy(target, {
      get: (_, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...given: unknown[]) => guarded(() => Reflect.apply(member, target, given));
      },
    });
  return {
    storage: {
      insertOrder: (order) => guarded(() => storage.insertOrder(order)),
      transaction: (work) =>
        guarded(() => storage.transaction((records) => guarded(() => work(guardedObject(records))))),
      reads: guardedObject(storage.reads),
      ping: () => guarded(() => storage.ping()),
      close: () => storage.close(),
    },
    sever: () => {
      severed = true;
    },
  };
}
