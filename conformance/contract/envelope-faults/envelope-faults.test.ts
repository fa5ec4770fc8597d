import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { envelopeFault } from './envelope-faults.ts';

const view = { orderId: 'o-1', merchantId: 'M-1', merchantOrderId: 'm-1', status: 'INIT' };
const success = { code: '00000', message: 'Success', data: view };
const refusal = { code: '40001', message: 'there is no order', data: null };
const text = JSON.stringify(success);
const words = (body: unknown, headers: Record<string, string> = {}) =>
  envelopeFault({ headers, text: typeof body === 'string' ? body : JSON.stringify(body) })?.words;

describe('what keeps a reader from an answer', () => {
  it.each<[string, unknown, string, Record<string, string>?]>([
    [
      'breaks off in a text',
      text.slice(0, 30),
      `is no JSON, because it breaks off, in the middle of a text: ${text.slice(0, 30)}`,
    ],
    [
      'breaks off where its length says',
      text.slice(0, 30),
      `is no JSON, because it breaks off at its Content-Length of 30 bytes, in the middle of a text: ${text.slice(0, 30)}`,
      { 'content-length': '30' },
    ],
    [
      'breaks off behind a value',
      '{"code":"00000"',
      'is no JSON, because it breaks off, in the middle of an object: {"code":"00000"',
    ],
    [
      'breaks off in a word',
      '{"code":"0","data":nu',
      'is no JSON, because it breaks off, in the middle of a word: {"code":"0","data":nu',
    ],
    [
      'breaks off in a list',
      '{"code":"0","data":[1,',
      'is no JSON, because it breaks off, in the middle of a list: {"code":"0","data":[1,',
    ],
    [
      'breaks off in a number',
      '{"code":"0","data":1.',
      'is no JSON, because it breaks off, in the middle of a number: {"code":"0","data":1.',
    ],
    [
      'has a comment behind it',
      `${text}\n<!-- served by node 3 -->\n`,
      'has something after its JSON: <!-- served by node 3 -->',
    ],
    [
      'is there twice',
      `{"code":"00000"}${text}`,
      `has something after its JSON: ${text.slice(0, 80)}… (${text.length} characters)`,
    ],
    ['has a guard before it', `)]}',\n${text}`, "has something before its JSON: )]}',"],
    ['is a call of a function', `callback(${text});`, 'has something before its JSON: callback('],
    [
      'has a warning before it',
      `<br /><b>Warning</b>: in x.php${text}`,
      'has something before its JSON: <br /><b>Warning</b>: in x.php',
    ],
    ['has single quotes', "{'code': '00000'}", "is no JSON from character 2 on: 'code': '00000'}"],
    ['has a comma too many', '{"code":"00000","data":null,}', 'is no JSON from character 29 on: }'],
    ['has a value of another language', '{"code":"00000","data":None}', 'is no JSON from character 24 on: None}'],
    ['has a line feed in a text', '{"code":"00000","message":"a\nb"}', 'is no JSON from character 27 on: "a\nb"}'],
    ['has two lines in its only text', '"a\nb"', 'is no JSON from character 1 on: "a\nb"'],
    ['has a comment in it', '{"code": /* none */ null}', 'is no JSON from character 10 on: /* none */ null}'],
    ['has a byte order mark', `\u{feff}${text}`, 'begins with a byte order mark, with which it is no JSON'],
    ['is in UTF-16', Buffer.from(text, 'utf16le').toString(), 'is in UTF-16, where UTF-8 is due'],
    [
      'is XML',
      '<response><code>00000</code></response>',
      'is XML, where JSON is due: <response><code>00000</code></response>',
    ],
    [
      'is compressed',
      gzipSync(text).toString(),
      'is compressed (Content-Encoding: gzip), which no request asked for',
      { 'content-encoding': 'gzip' },
    ],
    [
      'is compressed in secret',
      gzipSync(text).toString(),
      'is compressed (gzip, without Content-Encoding), which no request asked for',
    ],
    [
      'is encoded twice',
      JSON.stringify(JSON.stringify({ code: '00000', data: null })),
      'is a JSON text that holds JSON: it is encoded twice: "{\\"code\\":\\"00000\\",\\"data\\":null}"',
    ],
    [
      'has a number as code',
      { ...success, code: 0 },
      'has a code that is the number 0, and must be text such as "00000"',
    ],
    [
      'has another number',
      { ...refusal, code: 40001 },
      'has a code that is the number 40001, and must be text such as "40001"',
    ],
    ['has no number either', { ...success, code: null }, 'has a code that is null, and must be text such as "00000"'],
    [
      'has other names',
      { errorCode: '00000', errorMsg: 'Success', result: view },
      'has errorCode, errorMsg and result where code, message and data are due',
    ],
    [
      'has other names in a refusal',
      { errorCode: '40001', errorMsg: 'none', result: null },
      'has errorCode, errorMsg and result where code, message and data are due',
    ],
    [
      'has other letters',
      { Code: '00000', Message: 'Success', Data: view },
      'has Code, Message and Data where code, message and data are due',
    ],
    ['has one other name', { status: '40001', message: 'none', data: null }, 'has status where code is due'],
    ['has a truth value', { success: true, data: view }, 'has success and data where code, message and data are due'],
    [
      'is nested',
      { response: success },
      'has its envelope under "response", where code, message and data are due at the top',
    ],
    [
      'is nested with a number',
      { response: { ...success, code: 0 } },
      'has its envelope under "response", where code, message and data are due at the top',
    ],
    [
      'has no envelope',
      view,
      'has no envelope: orderId, merchantId, merchantOrderId and others stand where code, message and data are due',
    ],
    ['is in a list', [success], 'is a list with the envelope in it, where the envelope itself is due'],
    ['is a list of orders', [view], 'is a list, where an object with code, message and data is due'],
    [
      'is cut in the report, and encoded twice',
      `"{\\"code\\":\\"00000\\"… (5000 characters)`,
      'is a JSON text that holds JSON: it is encoded twice: "{\\"code\\":\\"00000\\"',
    ],
    [
      'is cut in the report, and has a number',
      '{"code":0,"data":{"a":"b… (5000 characters)',
      'has a code that is the number 0, and must be text such as "00000"',
    ],
  ])('is told where it %s', (_what, body, told, headers) => {
    expect(words(body, headers)).toBe(told);
  });

  it.each<[string, unknown]>([
    ['a success', success],
    ['a refusal', refusal],
    ['a refusal of nobody knows what', { code: 'E1' }],
    ['a success that the report cuts', `${text.slice(0, 60)}…`],
    ['a success that the report cuts, with its length', `${text.slice(0, 60)}… (5000 characters)`],
    ['an empty body', ''],
    ['a page', '<!doctype html><title>Welcome</title><script>var a = {"b":1}</script>'],
    ['words', 'It works!'],
    ['nothing', 'null'],
    ['a text', '"ok"'],
    ['an empty object', {}],
    ['an empty list', []],
    ['an unknown path', { error: 'Not Found' }],
    ['an unknown path of another framework', { statusCode: 404, message: 'Cannot GET /', error: 'Not Found' }],
    ['an unknown path of a gateway', { code: 5, message: 'Not Found', details: [] }],
    ['another API', { status: 0, info: { total: 0 } }],
  ])('is nothing, or unknown, for %s', (_what, body) => {
    expect(words(body)).toBeUndefined();
  });

  it('has a kind that is the same for answers that differ', () => {
    const kinds = [10, 20, 30, 70].map((end) => envelopeFault({ headers: {}, text: text.slice(0, end) })?.kind);
    expect(new Set(kinds)).toEqual(new Set(['is no JSON, because it breaks off']));
  });

  // Work that grows with the square of the length would not end here within the time that a test has.
  it('is found in a long answer', () => {
    const long = `{"code":"00000","data":"${'a\\n'.repeat(300_000)}`;
    expect(words(long)).toContain('breaks off');
    const nested = '['.repeat(300_000);
    for (const body of [long, nested, `x${'{ '.repeat(300_000)}`, `"${' '.repeat(300_000)}x`]) {
      words(body);
    }
  });
});
