import type { Summary } from '../view/page-view.ts';
import { type Html, html } from './html.ts';

/** Items beyond this number are folded away at first. */
const itemsAtOnce = 3;

/** Amounts with more characters than this are written smaller. */
const longAmount = 16;

/** The summary of the purchase, beside every stage. */
export function summaryPart(summary: Summary): Html {
  const { merchant, merchantOrderId, description, items, price, due, rate } = summary;
  return html`<aside class="summary" aria-labelledby="summary-title">
    <h2 id="summary-title"><span class="note">Pay</span> <bdi>${merchant}</bdi></h2>
    <p class="total ${due.length > longAmount && 'long'}">${due}</p>
    ${
      rate !== undefined &&
      html`<p class="note">for ${price}, at ${rate.usdRate} USDT for one USD${
        rate.final
          ? ', the rate when the payment was detected.'
          : ' at present; the rate when your payment is detected counts.'
      }</p>`
    }
    ${description !== undefined && html`<p class="description" dir="auto">${description}</p>`}
    ${items.length > itemsAtOnce ? html`<details><summary>${items.length + summary.furtherItems} items</summary>${itemList(summary)}</details>` : itemList(summary)}
    <p class="note order-id">Order <bdi>${merchantOrderId}</bdi></p>
  </aside>`;
}

// Pictures are left out because they would tell other sites who pays for which goods, and their content could change.
function itemList({ items, furtherItems }: Summary): Html {
  if (items.length === 0) return html``;
  return html`<ul class="items">
    ${items.map(
      ({ name, quantity, amount, description }) => html`<li>
        <span class="item-name" dir="auto">${name}</span>
        <span class="item-price">${quantity !== '1' && `${quantity} × `}${amount}</span>
        ${description !== undefined && html`<span class="note" dir="auto">${description}</span>`}
      </li>`,
    )}
    ${furtherItems > 0 && html`<li class="note">and ${furtherItems} more</li>`}
  </ul>`;
}
