import * as http from 'node:http';
import * as https from 'node:https';
import { rootCertificates } from 'node:tls';
import { HttpsProxyAgent } from 'hpagent';
import { getProxyForUrl } from 'proxy-from-env';
import { hostOf } from './limits.ts';

/** Certificates, as PEM text, for targets that need more than the public authorities. */
export interface TlsSettings {
  /** Further trusted authorities beside the public ones. */
  ca?: string;
  /** The runner's certificate and its key, for a target that asks for one. */
  cert?: string;
  key?: string;
}

/** The connections that the checks of a run share. */
export interface Connections {
  routeTo(origin: string): Route;
  /** One further connection for requests that are to come over the same one, each after the answer to the one before. It closes when it is idle. */
  single(): OneConnection;
  /** Opens at most `maximum` connections at once to each host from now on. */
  resize(maximum: number): void;
  /** A kept connection was closed in place of an answer. After some of these none is kept any more: the target closes them without notice. */
  lostKept(): void;
  /** Keeps no connection for a second request from now on. */
  keepNone(): void;
  /** Takes that back. */
  keepAgain(): void;
  /** Breaks off every connection, because the target may have ended them. Later requests open new ones. */
  renew(): void;
  close(): void;
}

/** The way of requests that come over one connection. */
export type OneConnection = Pick<Connections, 'routeTo'>;

/** The way of requests to a host, directly or through a proxy. */
export interface Route {
  secure: boolean;
  agent: http.Agent;
  hostname: string;
  port: string;
  /** Text before the path in the request line. A proxy needs the origin there. */
  prefix: string;
  /** Headers for the proxy, and for the end of a connection that is not kept. */
  headers: Record<string, string>;
}

/**
 * How long an idle connection is kept, in milliseconds. A target may announce a shorter time in `Keep-Alive`. The time is
 * short because a request that meets a closing connection is lost, and no request is sent a second time.
 */
const longestIdle = 1000;

/** After so many kept connections that were closed in place of an answer, each request has one of its own. */
const enoughLost = 3;

/** Tunnels through a proxy, with TLS to the target inside. */
class Tunnels extends HttpsProxyAgent {
  readonly #patience: number;

  /** `patience`: how long the proxy may take to open a tunnel, in milliseconds. */
  constructor(options: ConstructorParameters<typeof HttpsProxyAgent>[0], patience: number) {
    super(options);
    this.#patience = patience;
  }

  // The library would otherwise use the idle time of connections as this limit.
  override createConnection(...[options, callback]: Parameters<https.Agent['createConnection']>) {
    return super.createConnection({ ...options, timeout: this.#patience }, callback);
  }
}

/**
 * Opens at most `maximum` connections at once to each host. `timeout`: how long a proxy may take to open a tunnel, in milliseconds. `oneRequestEach`:
 * no connection is used a second time.
 */
export function openConnections({
  maximum,
  timeout,
  tls = {},
  oneRequestEach = false,
}: {
  maximum: number;
  timeout: number;
  tls?: TlsSettings | undefined;
  oneRequestEach?: boolean | undefined;
}): Connections {
  const kept = { keepAlive: !oneRequestEach, maxSockets: maximum, timeout: longestIdle };
  const trusted = trustedWith(tls);
  let [plain, secured] = [new http.Agent(kept), new https.Agent({ ...kept, ...trusted })];
  /** Those that kept connections. Requests under way have them still. */
  const former: http.Agent[] = [];
  let lost = 0;
  const tunnels = new Map<string, Tunnels>();
  const routes = new Map<string, Route>();

  function tunnelsThrough(proxy: string): Tunnels {
    const open = tunnels.get(proxy) ?? new Tunnels({ ...kept, ...trusted, proxy }, timeout);
    tunnels.set(proxy, open);
    return open;
  }

  function breakOff(): void {
    for (const agent of [plain, secured, ...tunnels.values(), ...former]) agent.destroy();
  }

  /** Has later requests keep their connections or not. */
  function keep(keepAlive: boolean): void {
    if (kept.keepAlive === keepAlive) return;
    for (const agent of [plain, secured, ...tunnels.values()]) {
      former.push(agent);
      // What is idle, or soon will be, holds a worker of the target.
      agent.maxFreeSockets = 0;
      for (const idle of Object.values(agent.freeSockets)) for (const socket of idle ?? []) socket.destroy();
    }
    kept.keepAlive = keepAlive;
    [plain, secured] = [new http.Agent(kept), new https.Agent({ ...kept, ...trusted })];
    tunnels.clear();
    routes.clear();
  }

  function findRoute(origin: string): Route {
    const proxy = proxyFor(origin);
    const secure = isSecure(origin);
    // An agent that keeps no idle connection gives one to a request that waits for it, unless the one before has asked for its end.
    const headers: Route['headers'] = kept.keepAlive ? {} : { Connection: 'close' };
    if (proxy === undefined) return { ...placeOf(origin), agent: secure ? secured : plain, prefix: '', headers };
    if (secure) return { ...placeOf(origin), agent: tunnelsThrough(proxy), prefix: '', headers };
    return {
      ...placeOf(proxy),
      agent: isSecure(proxy) ? secured : plain,
      prefix: origin,
      headers: { ...headers, Host: new URL(origin).host, ...proxyCredentials(proxy) },
    };
  }

  return {
    // Every request asks, and a run has few origins.
    routeTo: (origin) => {
      const route = routes.get(origin) ?? findRoute(origin);
      routes.set(origin, route);
      return route;
    },
    single: () => openConnections({ maximum: 1, timeout, tls, oneRequestEach }),
    resize: (size) => {
      kept.maxSockets = size;
      for (const agent of [plain, secured, ...tunnels.values()]) agent.maxSockets = size;
    },
    lostKept: () => {
      lost += 1;
      if (lost >= enoughLost) keep(false);
    },
    keepNone: () => keep(false),
    keepAgain: () => keep(!oneRequestEach && lost < enoughLost),
    renew: breakOff,
    close: breakOff,
  };
}

/** TLS options of Node for these settings: the named authority is trusted beside the public ones. */
export function trustedWith(tls: TlsSettings): Omit<TlsSettings, 'ca'> & { ca?: string[] } {
  const { ca, ...own } = tls;
  return { ...own, ...(ca !== undefined && { ca: [...rootCertificates, ca] }) };
}

/** The proxy that HTTPS_PROXY, HTTP_PROXY and NO_PROXY name for an address. `undefined`: no proxy, as always for this machine itself. */
export function proxyFor(address: string): string | undefined {
  return isLoopback(hostOf(address)) ? undefined : getProxyForUrl(address) || undefined;
}

/** The passwords of the proxies on the way to these addresses, encoded and decoded. */
export function proxyPasswords(addresses: readonly string[]): string[] {
  return addresses.flatMap((address) => {
    const proxy = proxyFor(address) ?? '';
    const { password } = URL.canParse(proxy) ? new URL(proxy) : { password: '' };
    return password === '' ? [] : [password, decodeURIComponent(password)];
  });
}

/** True for the names and loopback addresses of this machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '::1' || /^127(\.[0-9]+){3}$/.test(host);
}

function isSecure(address: string): boolean {
  return new URL(address).protocol === 'https:';
}

/** Where an address leads to. */
export function placeOf(address: string): Pick<Route, 'secure' | 'hostname' | 'port'> {
  const secure = isSecure(address);
  return { secure, hostname: hostOf(address), port: new URL(address).port || (secure ? '443' : '80') };
}

function proxyCredentials(proxy: string): Record<string, string> {
  const { username, password } = new URL(proxy);
  if (username === '') return {};
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'Proxy-Authorization': `Basic ${Buffer.from(credentials).toString('base64')}` };
}
