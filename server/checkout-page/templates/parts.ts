import type { Expiry, ReturnLink } from '../view/page-view.ts';
import { durationText, timeText } from '../view/text.ts';
import { type Html, html } from './html.ts';

/** The data that a form needs beside its fields: its target, and the proof that the form is ours. */
export interface FormParts {
  action: string;
  token: string;
}

/** A form of buttons. A pressed button sends its name and value. */
export function form({ action, token }: FormParts, content: Html): Html {
  return html`<form method="post" action="${action}">
    <input type="hidden" name="token" value="${token}">
    ${content}
  </form>`;
}

/** A time in UTC. Takes milliseconds since the epoch. */
export function time(milliseconds: number): Html {
  return html`<time datetime="${new Date(milliseconds).toISOString()}">${timeText(milliseconds)}</time>`;
}

/** The time left to pay. The script counts it down. */
export function countdown({ at, left }: Expiry): Html {
  return html`<p class="expiry">Pay within <span class="countdown" role="timer" data-countdown="${left}">${durationText(left)}</span>, by ${time(at)}.</p>`;
}

/** The link back to the merchant, or a sentence instead if there is no link. */
export function returnTo(link: ReturnLink | undefined): Html {
  if (!link) return html`<p>You can close this page and go back to the merchant.</p>`;
  return html`<a class="button primary" href="${link.href}" rel="noopener noreferrer" data-return>Return to ${link.host}</a>`;
}

/** A text with a button that copies it. The button is shown only if the script runs. */
export function copyable(label: string, text: string, shown: Html | string = text): Html {
  return html`<dt>${label}</dt>
    <dd class="copyable"><span class="copied-text">${shown}</span><button class="copy" type="button" hidden data-copy="${text}" aria-label="Copy ${label.toLowerCase()}">Copy</button></dd>`;
}

/** An entry of a list of facts. It is empty if the value is absent. */
export function fact(label: string, value: Html | string | undefined): Html {
  if (value === undefined) return html``;
  return html`<dt>${label}</dt><dd>${value}</dd>`;
}

/** An icon beside a heading. The heading says the same. */
export function sign(kind: 'done' | 'failed' | 'closed' | 'under-way'): Html {
  const shapes = {
    done: html`<path d="M7 12.5l3.5 3.5L17 9"/>`,
    failed: html`<path d="M12 7v6M12 16.5v.5"/>`,
    closed: html`<path d="M8 8l8 8M16 8l-8 8"/>`,
    'under-way': html`<path d="M12 7v5l3.5 2"/>`,
  };
  return html`<svg class="sign ${kind}" aria-hidden="true" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"><circle cx="12" cy="12" r="10.5"/>${shapes[kind]}</svg>`;
}
