/** A new self-signed certificate for these host names and IP addresses, with its key, both as PEM text. */
export async function selfSigned(hosts: readonly string[]): Promise<{ key: string; cert: string }> {
  const isAddress = (host: string) => /^[0-9.]+$/.test(host) || host.includes(':');
  const altNames = hosts.map((host) =>
    isAddress(host) ? ({ type: 7, ip: host } as const) : ({ type: 2, value: host } as const),
  );
  // Loaded only when it is needed, because loading takes long.
  const { generate } = await import('selfsigned');
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'assay' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames }],
  });
  return { key, cert };
}
