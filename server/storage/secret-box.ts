import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/** A secret as a row holds it. `encryption_key` is the id of the key; null: the secret is plain text. */
export interface StoredSecret {
  api_secret: string;
  encryption_key: string | null;
}

/** The owner of a secret. A sealed secret opens only in the row of its owner. */
export interface SecretOwner {
  merchantId: string;
  apiKey: string;
}

/** Turns secrets into what the database holds, and back. */
export interface SecretBox {
  seal(secret: string, owner: SecretOwner): StoredSecret;
  /** Throws an `Error` without the secret when the key is not known or the row was changed. */
  open(stored: StoredSecret, owner: SecretOwner): string;
  /** Whether secrets under the key of that id can be opened. */
  knows(keyId: string): boolean;
}

/** The keys of secrets, 32 bytes each. The first seals; all of them open. Empty: secrets are stored as plain text. */
export type EncryptionKeys = readonly Buffer[];

const variable = 'ASSAY_ENCRYPTION_KEY';
const oldVariable = 'ASSAY_ENCRYPTION_KEYS_OLD';

/**
 * Reads the keys from `ASSAY_ENCRYPTION_KEY` and, separated by commas, `ASSAY_ENCRYPTION_KEYS_OLD`.
 *
 * @throws Error that names the variable and the rule, and never the value
 */
export function readEncryptionKeys(environment: NodeJS.ProcessEnv): EncryptionKeys {
  const current = environment[variable] ?? '';
  const old = environment[oldVariable] ?? '';
  if (current === '' && old !== '')
    throw new Error(`${oldVariable} needs ${variable}, which seals secrets from now on`);
  if (current === '') return [];
  return [keyOf(variable, current), ...(old === '' ? [] : old.split(',').map((text) => keyOf(oldVariable, text)))];
}

function keyOf(name: string, text: string): Buffer {
  const key = Buffer.from(text.trim(), 'base64');
  if (key.length === 32 && key.toString('base64') === text.trim()) return key;
  throw new Error(`${name} must be 32 bytes in Base64; make a key with: openssl rand -base64 32`);
}

/** A box that seals with AES-256-GCM under the first key, or not at all without keys. */
export function secretBox(keys: EncryptionKeys): SecretBox {
  const byId = new Map(keys.map((key) => [idOf(key), key]));
  const [current] = byId;
  return {
    seal: (secret, owner) =>
      current === undefined
        ? { api_secret: secret, encryption_key: null }
        : { api_secret: encrypt(current[1], secret, owner), encryption_key: current[0] },
    open: ({ api_secret, encryption_key }, owner) => {
      if (encryption_key === null) return api_secret;
      const key = byId.get(encryption_key);
      if (key === undefined) throw unknownKey(encryption_key);
      return decrypt(key, api_secret, owner);
    },
    knows: (keyId) => byId.has(keyId),
  };
}

/** The error for secrets whose key was not given. */
export function unknownKey(keyId: string): Error {
  return new Error(
    `The database holds secrets that are encrypted under key ${keyId}. Set ${variable} to that key, or add it to ${oldVariable}.`,
  );
}

/** The id of a key: a part of its hash, which does not reveal it. */
function idOf(key: Buffer): string {
  return createHash('sha256').update('assay encryption key\n').update(key).digest('hex').slice(0, 16);
}

const [ivLength, tagLength] = [12, 16];

function ownerBytes({ merchantId, apiKey }: SecretOwner): Buffer {
  return Buffer.from(JSON.stringify([merchantId, apiKey]));
}

/** Base64 of the initialisation vector, the tag and the encrypted text. */
function encrypt(key: Buffer, secret: string, owner: SecretOwner): string {
  const iv = randomBytes(ivLength);
  const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: tagLength }).setAAD(ownerBytes(owner));
  const encrypted = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString('base64');
}

function decrypt(key: Buffer, sealed: string, owner: SecretOwner): string {
  const bytes = Buffer.from(sealed, 'base64');
  const [iv, tag] = [bytes.subarray(0, ivLength), bytes.subarray(ivLength, ivLength + tagLength)];
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: tagLength })
      .setAAD(ownerBytes(owner))
      .setAuthTag(tag);
    return Buffer.concat([decipher.update(bytes.subarray(ivLength + tagLength)), decipher.final()]).toString('utf8');
  } catch {
    throw new Error(`The encrypted secret of a key of merchant ${owner.merchantId} was changed, or is another key's.`);
  }
}
