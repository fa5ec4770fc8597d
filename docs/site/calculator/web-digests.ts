import { base64, type Digests } from '../../../conformance/wire/signing/digests.ts';

const names = { sha1: 'SHA-1', sha256: 'SHA-256', sha512: 'SHA-512' } as const;

/**
 * Runs a synchronous computation with the asynchronous digests of Web Crypto.
 *
 * `compute` runs several times. A digest that is not known yet is empty in this run, and known in the next run. The result
 * of the first run that needs no unknown digest is returned. So `compute` must be pure. A digest of a digest needs one
 * more run.
 */
export async function withWebDigests<Result>(compute: (digests: Digests) => Result): Promise<Result> {
  const known = new Map<string, Uint8Array>();
  for (;;) {
    const missing = new Map<string, Promise<Uint8Array>>();
    const ask = (name: string, digest: () => Promise<Uint8Array>): Uint8Array => {
      const found = known.get(name);
      if (found !== undefined) return found;
      if (!missing.has(name)) missing.set(name, digest());
      return new Uint8Array();
    };
    const result = compute({
      sha256: (bytes) => ask(base64(bytes), () => sha256(bytes)),
      hmac: (algorithm, key, message) =>
        ask([algorithm, base64(key), base64(message)].join(' '), () => hmac(algorithm, key, message)),
    });
    if (missing.size === 0) return result;
    for (const [name, digest] of missing) known.set(name, await digest);
  }
}

async function sha256(bytes: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', Uint8Array.from(bytes)));
}

async function hmac(algorithm: keyof typeof names, key: Uint8Array, message: Uint8Array): Promise<Uint8Array> {
  // Web Crypto refuses an empty key. HMAC pads keys with zeros, so one zero byte has the same effect.
  const bytes = key.length === 0 ? Uint8Array.of(0) : Uint8Array.from(key);
  const imported = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: names[algorithm] }, false, [
    'sign',
  ]);
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, Uint8Array.from(message)));
}
