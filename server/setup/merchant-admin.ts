import { bodyReader } from '../http/control-schemas.ts';
import { type MerchantService, merchantService } from '../services/control/merchants.ts';
import { randomIds } from '../services/ids.ts';
import type { Storage } from '../services/ports.ts';
import { openStorage } from '../storage/open-storage.ts';
import type { EncryptionKeys } from '../storage/secret-box.ts';

/** The merchants of a database, for the operator of a server. Functions throw a `SandboxRefusal` for impossible requests. */
export interface MerchantAdmin extends Pick<MerchantService, 'listMerchants' | 'rotateKey'> {
  /** Creates a merchant with its first key; `settings` must fit the schema of the control API. */
  createMerchant(settings: unknown): ReturnType<MerchantService['createMerchant']>;
  /** Encrypts every secret under the first of the encryption keys; resolves with the number of secrets. */
  reEncrypt(): Promise<number>;
  close(): Promise<void>;
}

/** Opens a database, which a server may be using at the same time; rejects when it cannot. */
export async function openMerchantAdmin(database: string, encryptionKeys: EncryptionKeys = []): Promise<MerchantAdmin> {
  const storage = await openStorage(database, encryptionKeys);
  const { createMerchant, listMerchants, rotateKey } = merchantService({ storage, clock: Date.now, ids: randomIds });
  const readSettings = bodyReader('MerchantSettings');
  return {
    createMerchant: async (settings) => createMerchant(readSettings(settings, 'settings')),
    listMerchants,
    rotateKey,
    reEncrypt: async () => {
      let count = 0;
      for (const { merchantId } of await listMerchants()) count += await reEncryptKeys(storage, merchantId);
      return count;
    },
    close: storage.close,
  };
}

/** Writes the keys of a merchant again, which encrypts them under the present key. */
function reEncryptKeys(storage: Storage, merchantId: string): Promise<number> {
  return storage.transaction(async (records) => {
    await records.lockMerchant(merchantId);
    const keys = await records.listApiKeys(merchantId);
    for (const key of keys) await records.updateApiKey(key);
    return keys.length;
  });
}
