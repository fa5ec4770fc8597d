import type { Content, PageView } from '../view/page-view.ts';
import { type Html, html } from './html.ts';
import { closedPage, failedPage, processingPage, receiptPage } from './outcome.ts';
import { simulationPanel } from './simulation-panel.ts';
import { summaryPart } from './summary.ts';
import { cancelledPage, choosePage, exchangePage, transferPage } from './waiting.ts';

/** How often a page without the script reloads to show changes, in seconds. */
const refreshSeconds = 10;

/**
 * A whole page. `assets`: the path of the style sheet and the script. `token`: for the page's forms; a page without
 * forms needs none.
 */
export function checkoutPage(view: PageView, { assets, token = '' }: { assets: string; token?: string }): string {
  const { content, sandbox, summary } = view;
  const live = !final.has(content.kind);
  return document({
    assets,
    title: `${titles[content.kind]}, ${summary.due} to ${summary.merchant}`,
    head: html`${content.kind === 'processing' && html`<noscript><meta http-equiv="refresh" content="${refreshSeconds}"></noscript>`}
      <script type="module" src="${assets}/checkout.js"></script>`,
    body: html`<header class="banner"><p>${
      sandbox
        ? html`<strong>Sandbox.</strong> Everything here is simulated; no money moves.`
        : html`<strong>Reference server.</strong> Nobody has the keys of its addresses. Send no real money.`
    }</p></header>
    <div class="page" data-page="${keyOf(view)}" ${live && html`data-live-page`}>
      ${summaryPart(summary)}
      <main>
        <div class="card">${contentPart(view, token)}</div>
        ${simulationPanel(view, token)}
      </main>
    </div>
    <p class="connection" role="status" data-connection></p>
    <p class="visually-hidden" role="status" data-announcer></p>`,
  });
}

/** A page that explains what is wrong with a request. `back`: the path of the order's page, if there is one. */
export function problemPage(
  problem: { title: string; message: string; back: string | undefined },
  assets: string,
): string {
  const { title, message, back } = problem;
  return document({
    assets,
    title,
    head: html``,
    body: html`<div class="page single"><main><div class="card">
      <h1>${title}</h1>
      <p>${message}</p>
      ${back !== undefined && html`<p class="actions"><a class="button primary" href="${back}">Back to the order</a></p>`}
    </div></main></div>`,
  });
}

function document(parts: { assets: string; title: string; head: Html; body: Html }): string {
  const { assets, title, head, body } = parts;
  return html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>${title}</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <link rel="icon" type="image/svg+xml" href="${assets}/icon.svg">
    <link rel="stylesheet" href="${assets}/checkout.css">
    ${head}
  </head>
  <body>
    ${body}
  </body>
</html>
`.toString();
}

const final: ReadonlySet<Content['kind']> = new Set(['receipt', 'failed', 'closed']);

const titles: Readonly<Record<Content['kind'], string>> = {
  choose: 'Choose how to pay',
  transfer: 'Pay by transfer',
  exchange: 'Pay from an exchange',
  cancelled: 'Cancelled',
  processing: 'Payment detected',
  receipt: 'Payment complete',
  failed: 'Payment failed',
  closed: 'Closed',
};

/** The key of a page. Two pages have the same key if they differ only in the parts marked as live. */
function keyOf({ path, content }: PageView): string {
  return `${path} ${content.kind}${content.kind === 'exchange' && content.signedIn ? ' signed-in' : ''}`;
}

function contentPart(view: PageView, token: string): Html {
  const { content } = view;
  switch (content.kind) {
    case 'choose':
      return choosePage(view, content);
    case 'transfer':
      return transferPage(view, content);
    case 'exchange':
      return exchangePage(view, content, token);
    case 'cancelled':
      return cancelledPage(view, content);
    case 'processing':
      return processingPage(view, content);
    case 'receipt':
      return receiptPage(view, content);
    case 'failed':
      return failedPage(view, content);
    case 'closed':
      return closedPage(view, content);
  }
}
