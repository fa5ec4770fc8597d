import type { LookupAddress } from 'node:dns';
import { describe, expect, test } from 'vitest';
import { createGuard, type Guard, isForbiddenAddress, isLoopbackHost, literalAddressProblem } from './address-guard.ts';

describe('addresses that webhooks may not go to', () => {
  test.each([
    ['this network', '0.0.0.0', '0.255.255.255'],
    ['private', '10.0.0.1', '10.255.255.255'],
    ['private', '172.16.0.1', '172.31.255.255'],
    ['private', '192.168.0.1', '192.168.255.255'],
    ["shared by a carrier's customers", '100.64.0.1', '100.127.255.255'],
    ['loopback', '127.0.0.1', '127.255.255.255'],
    ['link-local', '169.254.0.1', '169.254.169.254'],
    ['protocol assignments', '192.0.0.1', '192.0.0.255'],
    ['documentation', '192.0.2.1', '192.0.2.255'],
    ['documentation', '198.51.100.1', '203.0.113.1'],
    ['benchmarking', '198.18.0.1', '198.19.255.255'],
    ['multicast', '224.0.0.1', '239.255.255.255'],
    ['reserved and broadcast', '240.0.0.1', '255.255.255.255'],
    ['unspecified and loopback', '::', '::1'],
    ['link-local', 'fe80::1', 'febf::1'],
    ['link-local with a zone', 'fe80::1%1', 'fe80::1%lo'],
    ['site-local', 'fec0::1', 'feff::1'],
    ['unique local', 'fc00::1', 'fdff::1'],
    ['multicast', 'ff02::1', 'ff0e::1'],
    ['documentation', '2001:db8::1', '3fff::1'],
    ['benchmarking and Teredo', '2001:2::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    ['IPv4-mapped', '::ffff:127.0.0.1', '::ffff:a00:1'],
    ['IPv4-mapped', '::ffff:169.254.169.254', '::ffff:c0a8:1'],
    ['IPv4-compatible', '::127.0.0.1', '::10.0.0.1'],
    ['NAT64', '64:ff9b::127.0.0.1', '64:ff9b::a00:1'],
    ['NAT64 of a local network', '64:ff9b:1::1', '64:ff9b:1::808:808'],
    ['6to4', '2002:7f00:1::', '2002:a00:1::1'],
    ['6to4', '2002:a9fe:a9fe::1', '2002:c0a8:101::1'],
    ['no address at all', 'shop.example', ''],
  ])('%s: %s, %s', (_, one, other) => {
    expect([one, other].map(isForbiddenAddress)).toEqual([true, true]);
  });

  test.each([
    ['8.8.8.8', '1.1.1.1'],
    ['9.255.255.255', '11.0.0.0'],
    ['100.63.255.255', '100.128.0.0'],
    ['126.255.255.255', '128.0.0.0'],
    ['169.253.255.255', '169.255.0.0'],
    ['172.15.255.255', '172.32.0.0'],
    ['192.167.255.255', '192.169.0.0'],
    ['198.17.255.255', '198.20.0.0'],
    ['223.255.255.255', '192.0.1.0'],
    ['2606:4700::1111', '2a00:1450::8'],
    ['2001:200::1', '2001:db9::1'],
    ['::ffff:8.8.8.8', '64:ff9b::8.8.8.8'],
    ['2002:808:808::1', '2003::1'],
  ])('but not %s, %s', (one, other) => {
    expect([one, other].map(isForbiddenAddress)).toEqual([false, false]);
  });
});

describe('URLs by what their host says', () => {
  test.each([
    'https://127.0.0.1/hooks',
    'https://127.0.0.1:8443/hooks',
    'https://user:password@10.1.2.3/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://017700000001/',
    'https://127.1/',
    'https://127.0.1/',
    'https://0/',
    'https://127.0.0.1./',
    'https://%31%32%37.0.0.1/',
    'https://１２７.0.0.1/',
    'https://127。0。0。1/',
    'https://[::1]/',
    'https://[0:0:0:0:0:0:0:1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[fd00::1]/',
    'https://169.254.169.254/latest/meta-data/',
    'https://localhost/',
    'https://LOCALHOST:3000/',
    'https://localhost./',
    'https://%6c%6fcalhost/',
    'https://shop.localhost/',
    'https://shop.localhost./',
    'https://localhost../',
    'nonsense',
  ])('%s is refused', (url) => {
    expect(literalAddressProblem(url)).toMatch(/./);
  });

  test.each([
    'https://shop.example/hooks?to=127.0.0.1',
    'https://127.0.0.1.shop.example/',
    'https://localhost.shop.example/',
    'https://notlocalhost/',
    'https://8.8.8.8/hooks',
    'https://134744072/',
    'https://[2606:4700::1111]/',
  ])('%s is not', (url) => {
    expect(literalAddressProblem(url)).toBeUndefined();
  });

  test.each([
    ['http://localhost:3000/', true],
    ['http://a.localhost/', true],
    ['http://127.9.8.7/', true],
    ['http://[::1]:3000/', true],
    ['http://[::ffff:127.0.0.1]/', true],
    ['http://10.0.0.1/', false],
    ['http://[fd00::1]/', false],
    ['http://shop.example/127.0.0.1', false],
  ])('%s is loopback: %s', (url, expected) => {
    expect(isLoopbackHost(url)).toBe(expected);
  });
});

const entry = (address: string): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 });

/** What a connection would be given. */
function lookUp({ lookup }: Guard, hostname: string, all: boolean): Promise<unknown> {
  return new Promise((resolve, reject) => {
    lookup(hostname, { all }, (error, address, family) => {
      if (error) reject(error);
      else resolve(all ? address : { address, family });
    });
  });
}

describe('names are judged by every address that they lead to', () => {
  const guardWith = (mode: 'sandbox' | 'production', ...addresses: string[]) =>
    createGuard(mode, async () => addresses.map(entry));

  test.each([
    ['loopback', ['127.0.0.1']],
    ['loopback in IPv6', ['::1']],
    ['a private address', ['10.0.0.1']],
    ['a public and a private address', ['93.184.215.14', '10.0.0.1']],
    ['a private and a public address', ['10.0.0.1', '93.184.215.14']],
    ['a public address and a loopback one in IPv6', ['93.184.215.14', '::ffff:127.0.0.1']],
  ])('%s', async (_, addresses) => {
    const guard = guardWith('production', ...addresses);
    await expect(lookUp(guard, 'shop.example', true)).rejects.toThrow(/not on the public internet/);
    await expect(lookUp(guard, 'shop.example', false)).rejects.toThrow(/not on the public internet/);
    await expect(lookUp(guardWith('sandbox', ...addresses), 'shop.example', true)).resolves.toEqual(
      addresses.map(entry),
    );
  });

  test('a connection is given just the addresses that were judged', async () => {
    const answers = [['93.184.215.14', '2606:4700::1111'], ['127.0.0.1']];
    const guard = createGuard('production', async () => (answers.shift() ?? []).map(entry));
    await expect(lookUp(guard, 'shop.example', true)).resolves.toEqual([
      entry('93.184.215.14'),
      entry('2606:4700::1111'),
    ]);
    await expect(lookUp(guard, 'shop.example', true)).rejects.toThrow(/not on the public internet/);
    expect(answers).toEqual([]);
  });

  test('and one of them, where one is asked for', async () => {
    const guard = guardWith('production', '2606:4700::1111', '93.184.215.14');
    await expect(lookUp(guard, 'shop.example', false)).resolves.toEqual({ address: '2606:4700::1111', family: 6 });
  });

  test('a name without an address, and one that cannot be looked up', async () => {
    await expect(lookUp(guardWith('production'), 'shop.example', true)).rejects.toMatchObject({ code: 'ENOTFOUND' });
    const failing = createGuard('production', () => Promise.reject(Object.assign(new Error(), { code: 'EAI_AGAIN' })));
    await expect(lookUp(failing, 'shop.example', true)).rejects.toMatchObject({ code: 'EAI_AGAIN' });
  });

  test('a slow name is looked up once at a time, and anew after that', async () => {
    const asked: string[] = [];
    const answers: ((addresses: LookupAddress[]) => void)[] = [];
    const guard = createGuard('production', (hostname) => {
      asked.push(hostname);
      return new Promise((resolve) => answers.push(resolve));
    });
    const both = [lookUp(guard, 'slow.example', true), lookUp(guard, 'slow.example', true)];
    const other = lookUp(guard, 'shop.example', true);
    expect(asked).toEqual(['slow.example', 'shop.example']);
    for (const answer of answers) answer([entry('93.184.215.14')]);
    await Promise.all([...both, other]);

    const again = lookUp(guard, 'slow.example', true);
    expect(asked).toEqual(['slow.example', 'shop.example', 'slow.example']);
    answers.at(-1)?.([entry('127.0.0.1')]);
    await expect(again).rejects.toThrow(/not on the public internet/);
  });
});

test('what only the URL tells is refused in production mode, nothing in sandbox mode', () => {
  expect(createGuard('production').addressProblem('https://10.0.0.1/')).toBe(
    '10.0.0.1 is not an address on the public internet',
  );
  expect(createGuard('production').addressProblem('https://shop.example/')).toBeUndefined();
  expect(createGuard('sandbox').addressProblem('http://127.0.0.1/')).toBeUndefined();
});
