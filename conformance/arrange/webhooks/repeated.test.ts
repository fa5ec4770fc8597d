import { expect, it } from 'vitest';
import type { Reply } from '../../wire/mailbox.ts';
import { inWords } from './repeated.ts';

it.each<[string, Reply]>([
  ['HTTP 500', { status: 500, body: 'failed' }],
  ['no answer', 'no-answer'],
  ['a closed connection', 'close'],
  ['HTTP 302', { status: 302, headers: { Location: 'https://shop.example/' } }],
  ['HTTP 429 with Retry-After: soon', { status: 429, headers: { 'Retry-After': 'soon' } }],
  [
    'HTTP 502 with Content-Encoding: gzip with a body that breaks off',
    { status: 502, headers: { 'Content-Encoding': 'gzip' }, ends: 'early' },
  ],
  ['HTTP 503 with a body that does not end', { status: 503, ends: 'never' }],
  ['HTTP 500 with a body of 2000 bytes', { status: 500, body: 'x'.repeat(2000) }],
])('calls a reply %s', (words, reply) => {
  expect(inWords(reply)).toBe(words);
});
