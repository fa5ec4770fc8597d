import { bodyReader } from '../http/control-schemas.ts';
import { type MerchantService, merchantService } from '../services/control/merchants.ts';
import { randomIds } from '../services/ids.ts';
import { openStorage } from '../storage/open-storage.ts';

/** The merchants of a database, for the operator of a server. Functions throw a `SandboxRefusal` for impossible requests. */
export interface MerchantAdmin extends Pick<MerchantService, 'listMerchants' | 'rotateKey'> {
  /** Creates a merchant with its first key; `settings` must fit the schema of the control API. */
  createMerchant(settings: unknown): ReturnType<MerchantService['createMerchant']>;
  close(): Promise<void>;
}

/** Opens a database, which a server may be using at the same time; rejects when it cannot. */
export async function openMerchantAdmin(database: string): Promise<MerchantAdmin> {
  const storage = await openStorage(database);
  const { createMerchant, listMerchants, rotateKey } = merchantService({ storage, clock: Date.now, ids: randomIds });
  const readSettings = bodyReader('MerchantSettings');
  return {
    createMerchant: async (settings) => createMerchant(readSettings(settings, 'settings')),
    listMerchants,
    rotateKey,
    close: storage.close,
  };
}
