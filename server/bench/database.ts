import { join } from 'node:path';
import { ordersMachine } from '../../generated/catalogue.ts';
import { newHostedOrder } from '../domain/order.ts';
import { randomIds } from '../services/ids.ts';
import { openStorage } from '../storage/open-storage.ts';
import type { Credentials } from '../tests/support/signing.ts';
import { orderIdOf, orderRequest } from './requests.ts';

/** The number of orders written in one transaction. */
const batch = 10_000;

/**
 * Brings a database's schema up to date and creates a merchant in it, with orders of the ids 1 to `orders`.
 *
 * @param database a folder for a SQLite file, or `postgres://…`
 */
export async function provision(database: string, orders: number): Promise<Credentials> {
  const storage = await openStorage(locationOf(database));
  const createdAt = Date.now();
  const merchantId = randomIds.merchantId();
  const credentials = { merchantId, apiKey: randomIds.apiKey(), apiSecret: randomIds.apiSecret() };
  const settings = { checkoutEnabled: false, balances: {}, paymentMethods: [], usdRate: '1', automatic: false };
  await storage.transaction(async (records) => {
    await records.insertMerchant({ merchantId, settings, ledger: {}, clockOffset: 0, createdAt });
    await records.insertApiKey({ ...credentials, createdAt, endsAt: null });
  });
  for (let first = 1; first <= orders; first += batch) {
    await storage.transaction(async (records) => {
      for (let number = first; number < first + batch && number <= orders; number += 1) {
        const request = orderRequest(orderIdOf(number));
        const made = { orderId: randomIds.orderId(), usdRate: '1', now: createdAt, machine: ordersMachine };
        await records.insertOrder(newHostedOrder({ ...made, merchantId, request }));
      }
    });
  }
  await storage.close();
  return credentials;
}

/** True for the address of a PostgreSQL server, false for the folder of a SQLite file. */
export function isPostgres(database: string): boolean {
  return database.startsWith('postgres:');
}

/** The location to open. The reference server keeps this file in the folder that it is given. */
export function locationOf(database: string): string {
  return isPostgres(database) ? database : join(database, 'assay.sqlite');
}
