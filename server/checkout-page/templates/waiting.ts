import type { Content, ExchangeOption, NetworkOption, PageView, Transfer } from '../view/page-view.ts';
import { durationText } from '../view/text.ts';
import { type Html, html } from './html.ts';
import { copyable, countdown, fact, form, returnTo } from './parts.ts';
import { qrCode } from './qr-code.ts';

type ContentOf<Kind extends Content['kind']> = Extract<Content, { kind: Kind }>;

/** The first stage, with every method that is offered. */
export function choosePage({ orderPath }: PageView, { networks, exchanges, expiry }: ContentOf<'choose'>): Html {
  return html`<h1 tabindex="-1">Choose how to pay</h1>
    ${countdown(expiry)}
    ${exchanges.length > 0 && methods('From an exchange account', exchanges.map(exchangeOption))}
    ${networks.length > 0 && methods('From a wallet, with USDT on one of these networks', networks.map(networkOption))}
    <p class="actions"><a class="quiet" href="${orderPath}/cancelled">Cancel</a></p>`;
}

function methods(title: string, options: readonly Html[]): Html {
  return html`<section class="methods">
    <h2>${title}</h2>
    <ul>${options}</ul>
  </section>`;
}

function networkOption({ name, confirmationTime, path }: NetworkOption): Html {
  return option(path, name, `in about ${durationText(confirmationTime)}`);
}

function exchangeOption({ name, connected, path }: ExchangeOption): Html {
  return option(path, name, connected ? 'sign in and confirm' : 'not connected');
}

function option(path: string, name: string, note: string): Html {
  return html`<li><a href="${path}"><span class="method-name">${name}</span><span class="note">${note}</span></a></li>`;
}

/** The address and the amount of a transfer on one network. */
export function transferPage({ orderPath, path }: PageView, content: Transfer): Html {
  const { network, due, amount, address, paymentUri, confirmations, confirmationTime, expiry } = content;
  return html`<h1 tabindex="-1">Send USDT on ${network}</h1>
    ${countdown(expiry)}
    <div class="transfer">
      <dl class="facts">
        ${copyable('Amount', amount, due)}
        ${copyable('Address', address)}
        ${fact('Network', network)}
      </dl>
      <figure>
        ${qrCode(paymentUri ?? address, `QR code of ${paymentUri === undefined ? 'the address' : 'the payment'}`)}
        <figcaption>${
          paymentUri === undefined
            ? 'It has the address. Enter the amount in your wallet.'
            : html`Scan it, or <a href="${paymentUri}">open a wallet on this device</a>.`
        }</figcaption>
      </figure>
    </div>
    <ul class="warnings">
      <li>Send USDT on ${network} and nothing else.</li>
      <li>Send at least this amount, the network's fee not included. When less arrives, the payment fails.</li>
      <li>Nobody has the key of this address: it belongs to a reference server. Never send real money to it.</li>
    </ul>
    <p class="state" role="status"><span class="pulse"></span>Waiting for your payment. It is complete after ${confirmations} confirmations, which usually take ${durationText(confirmationTime)}.</p>
    <noscript><p><a class="button secondary" href="${path}">Look again for the payment</a></p></noscript>
    ${otherWays(orderPath)}`;
}

/** The sign-in at an exchange, and the confirmation there. The exchange is simulated, so it asks for no password. */
export function exchangePage(
  { orderPath, path, summary }: PageView,
  content: ContentOf<'exchange'>,
  token: string,
): Html {
  const { exchange, connected, signedIn, due, expiry } = content;
  const { name } = exchange;
  if (!connected) {
    return html`<h1 tabindex="-1">${name} is not connected</h1>
      <p>This is a reference server without connections to exchanges. Nothing can be paid from ${name} here.</p>
      ${otherWays(orderPath)}`;
  }
  if (!signedIn) {
    return html`<h1 tabindex="-1">Sign in to ${name}</h1>
      ${countdown(expiry)}
      <div class="exchange">
        ${exchangeTitle(name)}
        <p>It has one customer, who needs no password. Never enter real credentials on a page like this.</p>
        ${form({ action: `${path}/sign-in`, token }, html`<button class="button primary">Sign in as test customer</button>`)}
      </div>
      ${otherWays(orderPath)}`;
  }
  return html`<h1 tabindex="-1">Confirm at ${name}</h1>
    ${countdown(expiry)}
    <div class="exchange">
      ${exchangeTitle(name)}
      <dl class="facts rows">
        ${fact('Account', 'Test customer')}
        ${fact('To', html`<bdi>${summary.merchant}</bdi>`)}
        ${fact('Amount', due)}
      </dl>
      ${form({ action: `${path}/confirm`, token }, html`<button class="button primary">Pay ${due}</button>`)}
      ${form({ action: `${path}/sign-out`, token }, html`<button class="button secondary">Sign out</button>`)}
    </div>
    ${otherWays(orderPath)}`;
}

function exchangeTitle(name: string): Html {
  return html`<p class="exchange-title"><strong>${name}</strong> <span class="tag">simulated</span></p>`;
}

/** The page of a customer who has cancelled. The order still waits, because only the merchant or time closes it. */
export function cancelledPage({ orderPath, returnTo: link }: PageView, { expiry }: ContentOf<'cancelled'>): Html {
  return html`<h1 tabindex="-1">You have cancelled</h1>
    <p>Nothing was paid. The order stays open, in case you change your mind.</p>
    ${countdown(expiry)}
    <p class="actions">${returnTo(link)}<a class="button secondary" href="${orderPath}">Pay after all</a></p>`;
}

function otherWays(orderPath: string): Html {
  return html`<p class="actions"><a class="quiet" href="${orderPath}">Choose another way to pay</a><a class="quiet" href="${orderPath}/cancelled">Cancel</a></p>`;
}
