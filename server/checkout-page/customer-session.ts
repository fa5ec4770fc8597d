import { createHmac, randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import { equalInConstantTime } from '../signing/request-signature.ts';

/**
 * Proves that a form comes from a page of this server. Each browser has a random secret in a cookie that scripts cannot
 * read, and each form has a token made of that secret and its order. The server stores nothing, so any instance can
 * check a token.
 */
export interface CustomerSession {
  /** Returns the token for the forms of an order. Gives the browser a secret if it has none. */
  formToken(request: Request, response: Response, orderId: string): string;
  /** Whether a form was sent from one of our pages, with a token for this order. */
  isOurForm(request: Request, orderId: string, token: string | undefined): boolean;
}

/** `secure`: customers use HTTPS. */
export function customerSession({ secure }: { secure: boolean }): CustomerSession {
  // Because of the prefix, no other host of the domain can set the cookie.
  const name = secure ? '__Host-checkout' : 'checkout';
  const cookie = new RegExp(`(?:^|; ?)${name}=([A-Za-z0-9_-]{43})(?:;|$)`);
  const secretOf = ({ headers }: Request) => cookie.exec(headers.cookie ?? '')?.[1];

  return {
    formToken: (request, response, orderId) => {
      const known = secretOf(request);
      const secret = known ?? randomBytes(32).toString('base64url');
      if (known === undefined) {
        // The cookie is lax, not strict: a customer who comes back from the merchant's site must not get a new secret,
        // which would invalidate the forms of other tabs. Even so, browsers send forms of other sites without the
        // cookie.
        response.cookie(name, secret, { httpOnly: true, sameSite: 'lax', secure, path: '/' });
      }
      return tokenOf(secret, orderId);
    },
    isOurForm: (request, orderId, token) => {
      const secret = secretOf(request);
      // For browsers that do not send the header, only the token decides.
      const site = request.headers['sec-fetch-site'] ?? 'same-origin';
      if (secret === undefined || token === undefined || site !== 'same-origin') return false;
      return equalInConstantTime(token, tokenOf(secret, orderId));
    },
  };
}

function tokenOf(secret: string, orderId: string): string {
  return createHmac('sha256', secret).update(orderId).digest('base64url');
}
