import type { Migration } from 'kysely';
import * as initial from './0001-initial.ts';
import * as refundsAndDeliveries from './0002-refunds-and-deliveries.ts';
import * as deliveryUrl from './0003-delivery-url.ts';
import * as encryptedSecrets from './0004-encrypted-secrets.ts';
import * as deliveryPayloads from './0005-delivery-payloads.ts';

/**
 * Every migration by name, oldest first; names sort in that order. A migration that has been released never changes:
 * a correction is a new one. The list is written out so that it is also found in the compiled package.
 */
export const migrations: Record<string, Migration> = {
  '0001-initial': initial,
  '0002-refunds-and-deliveries': refundsAndDeliveries,
  '0003-delivery-url': deliveryUrl,
  '0004-encrypted-secrets': encryptedSecrets,
  '0005-delivery-payloads': deliveryPayloads,
};
