import type { Content, PageView, PaymentFacts, Summary } from '../view/page-view.ts';
import { type Html, html } from './html.ts';
import { copyable, fact, returnTo, sign, time } from './parts.ts';

type ContentOf<Kind extends Content['kind']> = Extract<Content, { kind: Kind }>;

/** A payment that was detected and is being confirmed. */
export function processingPage({ orderPath }: PageView, { payment }: ContentOf<'processing'>): Html {
  const { exchange, network, missing, block } = payment;
  return html`${sign('under-way')}<h1 tabindex="-1">Payment detected</h1>
    <p>${exchange === undefined ? `Your transfer is on ${network}.` : `${exchange} has sent the payment on ${network}.`} You can leave this page; the payment goes on without it.</p>
    ${
      block &&
      html`<div class="confirmations">
        <span data-live="progress"><progress aria-hidden="true" max="${block.requiredConfirmations}" value="${block.confirmations}"></progress></span>
        <p role="status" data-live="confirmations">${block.confirmations} of ${block.requiredConfirmations} confirmations</p>
      </div>`
    }
    ${missing !== undefined && html`<p class="alert">${payment.paid} arrived, which is ${missing} less than is due. The payment will fail.</p>`}
    <dl class="facts rows">
      ${fact('Amount', payment.paid)}
      ${copyable('Transaction', payment.transactionHash)}
    </dl>
    <noscript><p><a class="button secondary" href="${orderPath}">Look again</a></p></noscript>`;
}

/** The receipt. */
export function receiptPage({ summary, returnTo: link }: PageView, { payment, paidAt }: ContentOf<'receipt'>): Html {
  return html`${sign('done')}<h1 tabindex="-1">Payment complete</h1>
    <p><bdi>${summary.merchant}</bdi> has received ${payment.paid}.</p>
    ${payment.excess !== undefined && html`<p class="alert">You have paid ${payment.excess} more than was due. The merchant can tell you what becomes of it.</p>`}
    <p class="actions">${returnTo(link)}</p>
    ${link && html`<p class="auto-return" data-auto-return hidden>You go back to ${link.host} in <span data-seconds>30</span> seconds. <button class="quiet" type="button" data-stay>Stay here</button></p>`}
    <h2 class="receipt-title">Receipt</h2>
    <dl class="facts rows">
      ${fact('Paid', payment.paid)}
      ${fact('Due', payment.paid === payment.due ? undefined : payment.due)}
      ${fact('Paid at', time(paidAt))}
      ${paymentFacts(payment, summary)}
    </dl>`;
}

/** A payment that failed. */
export function failedPage({ summary, returnTo: link }: PageView, { payment }: ContentOf<'failed'>): Html {
  return html`${sign('failed')}<h1 tabindex="-1">Payment failed</h1>
    ${
      payment?.missing === undefined
        ? html`<p>The payment could not be completed.</p>`
        : html`<p>${payment.paid} arrived, which is ${payment.missing} less than the ${payment.due} that were due.</p>`
    }
    <p>This order cannot be paid any more. Ask the merchant for a new one, and about anything you have sent; name the order and the transaction.</p>
    <p class="actions">${returnTo(link)}</p>
    <dl class="facts rows">${payment ? paymentFacts(payment, summary) : orderFacts(summary)}</dl>`;
}

/** An order that was not paid. */
export function closedPage({ summary, returnTo: link }: PageView, { expired }: ContentOf<'closed'>): Html {
  return html`${sign('closed')}<h1 tabindex="-1">${expired ? 'The time to pay is over' : 'The merchant has cancelled this order'}</h1>
    <p>This order is closed and cannot be paid any more. If you have sent something all the same, ask the merchant about it.</p>
    <p class="actions">${returnTo(link)}</p>
    <dl class="facts rows">${orderFacts(summary)}</dl>`;
}

function paymentFacts(payment: PaymentFacts, summary: Summary): Html {
  const { exchange, network, block } = payment;
  return html`${fact('Method', exchange ?? 'Transfer from a wallet')}
    ${fact('Network', network)}
    ${copyable('Transaction', payment.transactionHash)}
    ${fact('From', payment.fromAddress)}
    ${fact('To', payment.toAddress)}
    ${block && html`${fact('Block', String(block.number))}${fact('Confirmations', `${block.confirmations} of ${block.requiredConfirmations}`)}`}
    ${orderFacts(summary)}`;
}

function orderFacts({ merchant, merchantOrderId }: Summary): Html {
  return html`${fact('Order', html`<bdi>${merchantOrderId}</bdi>`)}${fact('Merchant', html`<bdi>${merchant}</bdi>`)}`;
}
