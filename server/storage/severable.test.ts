import { expect, test } from 'vitest';
import { merchantService } from '../services/control/merchants.ts';
import { randomIds } from '../services/ids.ts';
import { openStorage } from './open-storage.ts';
import { severable } from './severable.ts';

test('a storage that is cut off undoes what is under way, keeps what was committed, and serves its next user', async () => {
  const storage = await openStorage(':memory:');
  const first = severable(storage);
  const { createMerchant } = merchantService({ storage: first.storage, clock: Date.now, ids: randomIds });
  const { merchantId } = await createMerchant({});
  const underWay = first.storage.transaction(async (records) => {
    const merchant = await records.lockMerchant(merchantId);
    if (merchant) await records.updateMerchant({ ...merchant, clockOffset: 60_000 });
    first.sever();
  });
  await expect(underWay).rejects.toThrow('cut off');
  await expect(first.storage.reads.findMerchant(merchantId)).rejects.toThrow('cut off');
  const next = severable(storage);
  expect(await next.storage.reads.findMerchant(merchantId)).toMatchObject({ merchantId, clockOffset: 0 });
  await storage.close();
});
