import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { BlockList, isIPv4, isIPv6, type LookupFunction } from 'node:net';
import { promisify } from 'node:util';

/** Ranges of IPv4 that are not the public internet, as in IANA's registry of special-purpose addresses. */
const specialIPv4: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8], // this network, unspecified
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // shared by carriers
  ['127.0.0.0', 8], // loopback
  ['169.254.0.0', 16], // link-local, and the metadata services of clouds
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relays, withdrawn
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarking
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
];

/** The parts of IPv6 that can lead to the public internet; all others, such as loopback, local and multicast, cannot. */
const publicIPv6: readonly (readonly [network: string, prefix: number])[] = [
  ['2000::', 3], // global unicast
  ['::ffff:0:0', 96], // IPv4-mapped
  ['64:ff9b::', 96], // NAT64
];

/** The ranges within these parts that are not public. */
const specialIPv6: readonly (readonly [network: string, prefix: number])[] = [
  ['2001::', 23], // protocol assignments: Teredo, benchmarking, ORCHID
  ['2001:db8::', 32], // documentation
  ['3fff::', 20], // documentation
  // An IPv6 address that embeds an IPv4 address is judged as that one.
  ...specialIPv4.flatMap(([network, prefix]) => [
    [`::ffff:${network}`, 96 + prefix] as const,
    [`64:ff9b::${network}`, 96 + prefix] as const,
    [`2002:${hexGroups(network)}::`, 16 + prefix] as const, // 6to4
  ]),
];

const forbiddenIPv4 = blockList('ipv4', specialIPv4);
const reachableIPv6 = blockList('ipv6', publicIPv6);
const forbiddenIPv6 = blockList('ipv6', specialIPv6);
const loopback = blockList('ipv4', [['127.0.0.0', 8]]);
loopback.addAddress('::1', 'ipv6');

function blockList(family: 'ipv4' | 'ipv6', ranges: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of ranges) list.addSubnet(network, prefix, family);
  return list;
}

function hexGroups(ipv4: string): string {
  const bytes = ipv4.split('.').map((byte) => Number(byte).toString(16).padStart(2, '0'));
  return bytes.join('').replace(/^(.{4})/, '$1:');
}

/** True unless `ip` is an address on the public internet; text that is no IP address, or has a zone, is forbidden too. */
export function isForbiddenAddress(ip: string): boolean {
  if (isIPv4(ip)) return forbiddenIPv4.check(ip, 'ipv4');
  if (!isIPv6(ip) || ip.includes('%')) return true;
  return !reachableIPv6.check(ip, 'ipv6') || forbiddenIPv6.check(ip, 'ipv6');
}

/**
 * Why webhooks may not go to `url`, judged by its host alone; `undefined` when the host is permitted. A name other than
 * localhost is judged later, when it is resolved for a connection.
 */
export function literalAddressProblem(url: string): string | undefined {
  const problem = urlProblem(url);
  if (problem !== undefined) return problem;
  const host = literalHost(url);
  const refused = isIPv4(host) || isIPv6(host) ? isForbiddenAddress(host) : isLocalhost(host);
  return refused ? `${host} is not an address on the public internet` : undefined;
}

/** Why nothing can be sent to `url`, whatever its host leads to; `undefined` when it is a URL with a host and a possible port. */
function urlProblem(url: string): string | undefined {
  if (!URL.canParse(url) || new URL(url).port === '0') {
    return 'the address is not a URL with a host and, where it has one, a port from 1 to 65535';
  }
  return undefined;
}

/** True when the host of `url` is a loopback address or localhost. */
export function isLoopbackHost(url: string): boolean {
  const host = literalHost(url);
  if (isIPv4(host)) return loopback.check(host, 'ipv4');
  return isIPv6(host) ? loopback.check(host, 'ipv6') : isLocalhost(host);
}

/** The URL parser has already brought decimal, octal, hexadecimal, short and percent-encoded forms into the usual one. */
function literalHost(url: string): string {
  return new URL(url).hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '');
}

const isLocalhost = (host: string) => host === 'localhost' || host.endsWith('.localhost');

/** All addresses of a host name. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

/** Where webhooks may go. */
export interface Guard {
  /** Why webhooks may not go to this URL, judged by the URL alone; `undefined` when they may. */
  addressProblem(url: string): string | undefined;
  /** For the `lookup` option of a connection, which is then made to one of the addresses that were looked at here. */
  lookup: LookupFunction;
}

/** A host name leads to an address to which webhooks may not go. */
export class ForbiddenAddressError extends Error {
  constructor() {
    super('the host name leads to an address that is not on the public internet');
  }
}

const systemResolve: Resolve = (hostname) => promisify(systemLookup)(hostname, { all: true });

/** In production mode webhooks go to the public internet only; in sandbox mode to any host. */
export function createGuard(mode: 'sandbox' | 'production', resolve: Resolve = systemResolve): Guard {
  const resolveOnce = sharedWhileUnderWay(resolve);
  if (mode === 'sandbox') return { addressProblem: urlProblem, lookup: lookupBy(resolveOnce) };
  const resolvePublic: Resolve = async (hostname) => {
    const addresses = await resolveOnce(hostname);
    // One forbidden address is enough, because any of them could be the one that is connected to.
    if (addresses.some(({ address }) => isForbiddenAddress(address))) throw new ForbiddenAddressError();
    return addresses;
  };
  return { addressProblem: literalAddressProblem, lookup: lookupBy(resolvePublic) };
}

/** The system resolves few names at once, so one that is slow must not take more than one place. */
function sharedWhileUnderWay(resolve: Resolve): Resolve {
  const underWay = new Map<string, Promise<LookupAddress[]>>();
  return (hostname) => {
    const known = underWay.get(hostname);
    if (known) return known;
    const started = resolve(hostname).finally(() => underWay.delete(hostname));
    underWay.set(hostname, started);
    return started;
  };
}

function lookupBy(resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (!first) callback(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), '');
        else if (options.all) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), ''),
    );
  };
}
