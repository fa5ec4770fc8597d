import type { ErrorRequestHandler } from 'express';
import { contextOf } from '../http/request-context.ts';
import { SandboxRefusal } from '../services/control/sandbox-refusal.ts';
import { Refusal } from '../services/refusal.ts';
import { problemPage } from './templates/page.ts';

/** An error that is answered with a page that explains the problem. */
export class Problem extends Error {
  readonly status: number;
  readonly title: string;
  /** The path of the order's page, for the link back. */
  readonly back: string | undefined;

  constructor(status: number, title: string, text: string, back?: string) {
    super(text);
    this.status = status;
    this.title = title;
    this.back = back;
  }
}

/**
 * The answer to every address that opens nothing. It is the same whatever the reason, so that it reveals nothing about
 * others.
 */
export function nothingHere(): Problem {
  return new Problem(404, 'There is nothing here', 'Open the address that the merchant has sent you to, whole.');
}

/** Answers an error with a page. `assets`: the path of the style sheet. */
export function problemHandler(
  assets: string,
  log: (message: string, error: unknown, context: { requestId: string }) => void,
): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    if (response.headersSent) return next(error);
    const problem = problemOf(error);
    if (problem.status >= 500) log('a checkout page failed', error, { requestId: contextOf(request).requestId });
    if (error instanceof Refusal && error.retryAfter !== undefined) response.set('Retry-After', `${error.retryAfter}`);
    response.status(problem.status).type('html').send(problemPage(problem, assets));
  };
}

function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof Refusal && error.reason === 'rate-limit-exceeded') {
    return new Problem(429, 'Too many forms', 'Nothing was changed. Wait a minute, then try again.');
  }
  if (error instanceof SandboxRefusal) {
    return new Problem(422, 'That cannot be simulated', `Nothing was changed: ${error.message}.`);
  }
  // Express itself refuses a body that is too large or compressed, and an address with broken encoding.
  if (error instanceof Error && 'status' in error && typeof error.status === 'number' && error.status < 500) {
    return new Problem(error.status, 'That did not work', 'Nothing was changed. Go back and try again.');
  }
  return new Problem(
    500,
    'Something went wrong',
    'Wait a moment, then open this page again. No payment is lost by it.',
  );
}
