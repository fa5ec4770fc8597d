import { lookup } from 'node:dns/promises';
import { connect } from 'node:net';
import { connect as secureConnect, type TLSSocket } from 'node:tls';
import { limit } from '../../generated/catalogue.ts';
import { clockAhead, reachTarget, smallestSkew } from '../run/session.ts';
import { isLoopback, proxyFor, trustedWith } from '../wire/connections.ts';
import { hostOf } from '../wire/limits.ts';
import { type Finding, fatal, note, type Patient, type Step, well, wrong } from './step.ts';

/** Looks up the host names of the target and its control API. */
export const addressStep: Step = {
  name: 'address',
  whenThrown: 'fatal',
  look: ({ options }) =>
    worstOf(
      addressesOf(options).map(async (address) => {
        const host = hostOf(address);
        const proxy = proxyFor(address);
        if (proxy !== undefined) return well(`${host} is reached through the proxy ${new URL(proxy).host}`);
        try {
          const found = await lookup(host, { all: true });
          return well([host, ...found.map((each) => each.address).filter((each) => each !== host)].join(' is at '));
        } catch (error) {
          return fatal(
            `${host} has no address: ${codeOf(error)}`,
            'correct the name; if only a proxy knows it, set HTTPS_PROXY or HTTP_PROXY',
          );
        }
      }),
    ),
};

/** Connects to the target and its control API, and checks their certificates. */
export const connectionStep: Step = {
  name: 'connection',
  whenThrown: 'fatal',
  look: ({ options }) =>
    worstOf(
      addressesOf(options).map(async (address) => {
        const { host, protocol } = new URL(address);
        if (proxyFor(address) !== undefined)
          return well(`${host} is reached through a proxy, so the connection was not tried`);
        try {
          if (protocol === 'https:') return well(`${host}: ${await certificateAt(address, options)}`);
          await portAt(address, options.timeout);
          if (isLoopback(hostOf(address))) return well(`${host} accepts connections`);
          return note(`${host} accepts connections, in plain text`, 'use https if others share the network');
        } catch (error) {
          return fatal(`${host}: ${codeOf(error)}`, cureOf(codeOf(error)));
        }
      }),
    ),
};

/** Sends the target a request and compares its clock with ours. */
export const clockStep: Step = {
  name: 'clock',
  whenThrown: 'fatal',
  cureWhenThrown:
    'the target takes connections and does not answer: look at its log, and give its address with https if this port speaks TLS',
  look: async (patient) => {
    patient.session = await reachTarget(patient.options);
    const ahead = await clockAhead(patient.session.target, patient.session);
    if (ahead === undefined) return note('the target answers without a Date header, so requests carry our own time');
    if (Math.abs(ahead) < smallestSkew) return well('the target answers, and its clock agrees with ours');
    const window = limit('auth.timestamp.window', 'max');
    const off = `the target's clock is ${Math.round(Math.abs(ahead) / 1000)} s ${ahead > 0 ? 'ahead of' : 'behind'} ours`;
    if (Math.abs(ahead) < window) return note(`${off}; requests carry the time of the target`);
    return wrong(
      `${off}; a run sends the time of the target, but the target refuses other clients whose clocks are right`,
      'set the clock that is wrong',
    );
  },
};

function addressesOf({ target, control }: Patient['options']): string[] {
  const addresses = [target, ...(control ? [control.url] : [])];
  return addresses.filter((each, index) => addresses.findIndex((other) => sameOrigin(other, each)) === index);
}

const sameOrigin = (left: string, right: string) => new URL(left).origin === new URL(right).origin;

/** Joins several findings into one, with the worst state and its cure. The words of the worst finding stand first. */
async function worstOf(looking: readonly Promise<Finding>[]): Promise<Finding> {
  const findings = await Promise.all(looking);
  const worst = (['fatal', 'note', 'well'] as const).flatMap((state) =>
    findings.filter((each) => each.state === state),
  );
  const [first] = worst;
  return { ...(first ?? well('')), found: worst.map(({ found }) => found).join('; ') };
}

/** Resolves when the port of this address accepts a connection. Rejects when it does not. */
function portAt(address: string, timeout: number): Promise<void> {
  const { port } = new URL(address);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostOf(address), port: Number(port || 80) }, () => {
      socket.destroy();
      resolve();
    });
    socket.setTimeout(timeout, () => socket.destroy(new Error('no connection in time')));
    socket.on('error', reject);
  });
}

/** The TLS version and the certificate of the server at this address, in words. Rejects when the certificate cannot be trusted. */
function certificateAt(address: string, { tls = {}, timeout }: Patient['options']): Promise<string> {
  const [host, { port }] = [hostOf(address), new URL(address)];
  return new Promise((resolve, reject) => {
    const socket: TLSSocket = secureConnect(
      { ...trustedWith(tls), host, port: Number(port || 443), ...(/[a-z]/.test(host) && { servername: host }) },
      () => {
        const { issuer, valid_to: until } = socket.getPeerCertificate();
        resolve(`${socket.getProtocol()}, a certificate of ${issuer.O ?? issuer.CN}, until ${until}`);
        socket.destroy();
      },
    );
    socket.setTimeout(timeout, () => socket.destroy(new Error('no connection in time')));
    socket.on('error', reject);
  });
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}

function cureOf(code: string): string {
  if (/^(UNABLE_TO|SELF_SIGNED|DEPTH_ZERO)/.test(code)) return 'configure the authority of its certificate as tls.ca';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return 'use a name that the certificate covers, or renew the certificate';
  if (code === 'CERT_HAS_EXPIRED') return 'renew the certificate';
  if (code === 'ECONNREFUSED') return 'start the server, or correct the port';
  if (/^(EPROTO|ERR_SSL_(WRONG_VERSION|PACKET_LENGTH))/.test(code)) return 'use http if this port speaks plain HTTP';
  if (/CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE/.test(code))
    return 'configure a client certificate as tls.cert and tls.key';
  return 'check whether a firewall is on the way, and whether HTTPS_PROXY is needed';
}
