import type { Records, Storage } from '../ports.ts';

/** The same storage, but it calls `wake` after each commit that has written a webhook, so that the webhook is sent at once. */
export function wakingStorage(storage: Storage, wake: () => void): Storage {
  return {
    ...storage,
    reads: storage.reads,
    ping: () => storage.ping(),
    close: () => storage.close(),
    async transaction<T>(work: (records: Records) => Promise<T>): Promise<T> {
      let delivers = false;
      const result = await storage.transaction((records) => {
        delivers = false;
        return work(
          new Proxy(records, {
            get(target, name) {
              if (name === 'insertDelivery' || name === 'updateDelivery') delivers = true;
              const member: unknown = Reflect.get(target, name);
              return typeof member === 'function' ? member.bind(target) : member;
            },
          }),
        );
      });
      if (delivers) wake();
      return result;
    },
  };
}
