import type { RequestHandler } from 'express';

/**
 * Keeps web pages away from a sandbox that runs on the machine of somebody who visits them. The name in Host must be that of
 * the public address or a loopback name, because a page could let a name of its own lead to this machine. A page of another
 * origin is refused by its Origin. A sandbox only: in production such pages have nothing to gain.
 */
export function sandboxGuard(publicUrl: string): RequestHandler {
  const { host: ownHost, hostname, origin } = new URL(publicUrl);
  return (request, response, next) => {
    const { host = '', origin: presented } = request.headers;
    // Nearly every request comes to the public address itself, and reading that address takes longer than most handlers.
    if (host === ownHost && presented === undefined) return next();
    const refuse = (message: string) => response.status(403).json({ message });
    const own = hostOf(`http://${host}`);
    if (own === undefined || !(own.hostname === hostname || isLoopback(own.hostname))) {
      refuse('Host: is not the address of this sandbox; use it, or start the sandbox with --public-url');
    } else if (!isOwnOrigin(presented)) {
      refuse('Origin: is that of another site; a web page may not use a sandbox');
    } else next();

    function isOwnOrigin(value: string | undefined): boolean {
      if (value === undefined || value === origin) return true;
      // The checkout page hides its address, also from its own forms. A token in each form shows where it comes from.
      if (value === 'null') return request.path.startsWith('/checkout/');
      return hostOf(value)?.host === own?.host;
    }
  };
}

/** Whether a host of a URL is a name or address of this machine. */
export function isLoopback(hostname: string): boolean {
  return /^(127(\.[0-9]+){3}|\[?::1\]?|(.*\.)?localhost)$/.test(hostname);
}

function hostOf(address: string): URL | undefined {
  return URL.canParse(address) ? new URL(address) : undefined;
}
