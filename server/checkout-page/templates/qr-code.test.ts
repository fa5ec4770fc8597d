import decodeQR from 'qr/decode.js';
import { describe, expect, test } from 'vitest';
import { qrCode } from './qr-code.ts';

describe('a QR code', () => {
  /** Reads the SVG as a phone would, with its dark runs drawn as pixels. */
  function read(svg: string): string {
    const [, side = ''] = /viewBox="0 0 ([0-9]+) /.exec(svg) ?? [];
    const scale = 4;
    const width = Number(side) * scale;
    const data = new Uint8Array(width * width * 4).fill(255);
    for (const [, x, y, length] of svg.matchAll(/M([0-9]+) ([0-9]+)h([0-9]+)v1h-[0-9]+z/g)) {
      for (let row = Number(y) * scale; row < (Number(y) + 1) * scale; row++) {
        const start = (row * width + Number(x) * scale) * 4;
        for (let at = start; at < start + Number(length) * scale * 4; at += 4) data.fill(0, at, at + 3);
      }
    }
    return decodeQR({ width, height: width, data });
  }

  test.each(['TTest5VZ7', `ethereum:0x${'7e57'.repeat(10)}@1/transfer?address=0x${'7e57'.repeat(10)}&uint256=1`])(
    'of %s says so',
    (text) => {
      expect(read(qrCode(text, 'a code').toString())).toBe(text);
    },
  );

  test('has a name for those who cannot see it', () => {
    expect(qrCode('x', 'QR code of "x"').toString()).toContain('role="img" aria-label="QR code of &quot;x&quot;"');
  });
});
