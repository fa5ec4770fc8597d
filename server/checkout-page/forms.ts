import express, { type Request, type Response, Router } from 'express';
import { textField } from '../http/json-body.ts';
import type { OrderEventInput, Sandbox } from '../services/control/sandbox.ts';
import { SandboxRefusal } from '../services/control/sandbox-refusal.ts';
import type { RateLimiter } from '../services/rate-limiter.ts';
import type { CustomerSession } from './customer-session.ts';
import type { OrderPage } from './order-page.ts';
import { Problem } from './problems.ts';
import type { PageView } from './view/page-view.ts';
import { exchangeStage, type Stage, signedIn, stages } from './view/stages.ts';

/** The parts of the sandbox that the forms use. */
export type Simulator = Pick<Sandbox, 'orderEvent' | 'advanceClock'>;

/** The limit on the forms of all customers of one merchant. People do not submit more than this. */
const formLimit = { requests: 120, perSeconds: 60 };

const largestForm = '2kb';

/**
 * The forms of a sandbox: the simulated exchanges, and the panel on every stage. A form acts on the state of the page
 * at the moment the form arrives, and leads back to that page. A form of a stage that has closed by then changes
 * nothing. Production has no forms.
 */
export function formRoutes(parts: {
  simulator: Simulator;
  session: CustomerSession;
  rateLimiter: RateLimiter;
  open: (request: Request) => Promise<OrderPage>;
  /** Whether customers use HTTPS. */
  secure: boolean;
}): Router {
  const { simulator, session, rateLimiter, open, secure } = parts;
  const router = Router({ caseSensitive: true });
  const readForm = express.urlencoded({ extended: false, limit: largestForm, parameterLimit: 8, inflate: false });

  /** Adds a form under the path of a stage. */
  function add(
    { path, choice }: Stage,
    name: string,
    work: (view: PageView, page: OrderPage, request: Request, response: Response) => unknown,
  ): void {
    router.post(`/:orderId${path}/${name}`, readForm, async (request, response) => {
      const page = await open(request);
      const { orderId, merchantId } = page.order;
      if (!session.isOurForm(request, orderId, textField(request.body, 'token'))) {
        const text = 'Nothing was changed. Open the order again, and repeat what you did.';
        throw new Problem(403, 'This form is not valid any more', text, page.path);
      }
      rateLimiter.count(merchantId, formLimit);
      const view = page.at(choice(request));
      if (view) await work(view, page, request, response);
      response.redirect(303, view?.path ?? page.path);
    });
  }

  async function happen({ order }: OrderPage, events: readonly OrderEventInput[]): Promise<void> {
    try {
      for (const event of events) await simulator.orderEvent(order.merchantId, order.orderId, event);
    } catch (error) {
      // Another tab, the merchant or the passing of time was faster. The page shows the current state.
      if (!(error instanceof SandboxRefusal && error.reason === 'conflict')) throw error;
    }
  }

  function cookieFor(path: string) {
    return { httpOnly: true, sameSite: 'lax', secure, path } as const;
  }

  for (const stage of stages) {
    add(stage, 'simulation', async ({ simulation }, page, request) => {
      const act = simulation?.acts.find(({ name }) => name === textField(request.body, 'act'));
      if (!act) return;
      if ('events' in act) await happen(page, act.events);
      else await simulator.advanceClock(page.order.merchantId, act.advanceSeconds);
    });
  }
  add(exchangeStage, 'sign-in', ({ path }, _page, _request, response) => {
    response.cookie(signedIn.cookie, signedIn.as, cookieFor(path));
  });
  add(exchangeStage, 'sign-out', ({ path }, _page, _request, response) => {
    response.clearCookie(signedIn.cookie, cookieFor(path));
  });
  add(exchangeStage, 'confirm', async ({ content }, page) => {
    if (content.kind !== 'exchange' || !content.signedIn) return;
    await happen(page, [{ type: 'transaction_detected', paymentMethod: content.exchange.code }]);
  });
  return router;
}
