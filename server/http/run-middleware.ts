import type { NextFunction, Request, Response } from 'express';

/**
 * Runs a middleware of Express. Resolves when it calls `next`; rejects when it throws or calls `next` with an error.
 *
 * @param later receives the error of a second call of `next`. A validator of answers makes one when an answer is sent
 *   that breaks the contract.
 */
export function runMiddleware(
  middleware: (request: Request, response: Response, next: NextFunction) => unknown,
  request: Request,
  response: Response,
  later: (error: unknown) => void = () => {},
): Promise<void> {
  return new Promise((resolve, reject) => {
    let hasPassed = false;
    const next = (error?: unknown) => {
      if (hasPassed) return later(error);
      hasPassed = true;
      if (error === undefined) resolve();
      else reject(error);
    };
    middleware(request, response, next);
  });
}
