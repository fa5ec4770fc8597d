import { brotliDecompressSync, gunzipSync, inflateSync, type ZlibOptions } from 'node:zlib';

const decoders: Readonly<Record<string, (body: Buffer, options: ZlibOptions) => Buffer>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

/**
 * A body without the encoding that its `Content-Encoding` header names. `undefined`: it has none, or one that is not known, or cannot be decoded
 * into so many bytes at most.
 */
export function withoutEncoding(body: Buffer, encoding: string | undefined, most: number): Buffer | undefined {
  const decode = decoders[encoding?.trim().toLowerCase() ?? ''];
  try {
    return decode?.(body, { maxOutputLength: most });
  } catch {
    return undefined;
  }
}
