import { generate } from 'selfsigned';

/** A certificate and its key, as PEM texts. */
export interface Certified {
  cert: string;
  key: string;
}

/** Makes a certificate authority that nobody trusts yet. */
export async function makeAuthority(): Promise<Certified> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'An authority of its own' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  return { cert, key };
}

/** Issues a certificate of this authority for a host name and for 127.0.0.1. */
export async function issueFor(name: string, authority: Certified): Promise<Certified> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    algorithm: 'sha256',
    ca: authority,
    extensions: [
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: name },
          { type: 7, ip: '127.0.0.1' },
        ],
      },
    ],
  });
  return { cert, key };
}
