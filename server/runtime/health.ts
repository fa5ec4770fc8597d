import { type Response, Router } from 'express';
import type { Storage } from '../services/ports.ts';
import { within } from './within.ts';

/** How long the database may take to answer, in milliseconds. */
const patience = 2_000;

/** The routes below `/health`. `/live` answers while the process runs; `/ready` answers 503 while the database does not answer. */
export function healthRoutes(storage: Storage): Router {
  const answer = (response: Response, status: number, word: string) => {
    response.status(status).set('Cache-Control', 'no-store').json({ status: word });
  };
  return Router()
    .get('/live', (_request, response) => answer(response, 200, 'live'))
    .get('/ready', async (_request, response) => {
      const ready = await within(patience, storage.ping()).then(
        () => true,
        () => false,
      );
      if (ready) answer(response, 200, 'ready');
      else answer(response, 503, 'the database does not answer');
    });
}
