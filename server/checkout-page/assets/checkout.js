/**
 * Adds what the server alone cannot do: the script copies, counts down, and shows changes without a reload. Everything
 * on the page can be read and done without this script too.
 */

const pollInterval = 3_000;
const tickInterval = 1_000;

/** The end of the page's countdown, in milliseconds of `performance.now()`; absent if the page has no countdown. */
let countdownEnd = countdownOf(document);
/** Cancels the automatic return to the merchant, if one has begun. */
let stay = () => {};

enhance();
setInterval(tick, tickInterval);
setTimeout(poll, pollInterval);
// A page that was in the background, or that the browser restores from its store, may be long out of date.
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) refresh();
});
addEventListener('pageshow', (event) => {
  if (event.persisted) refresh();
});

document.addEventListener('click', async (event) => {
  const button = event.target instanceof Element ? event.target.closest('button') : null;
  if (button?.dataset.copy !== undefined) await copy(button, button.dataset.copy);
  if (button?.dataset.stay !== undefined) stay();
});

/** Adapts the server's page to a browser with scripts. */
function enhance() {
  // Browsers let pages copy in secure contexts only. Elsewhere the text can be selected.
  for (const button of document.querySelectorAll('[data-copy]')) {
    if (button instanceof HTMLElement) button.hidden = !navigator.clipboard;
  }
  tick();
}

/** @param {HTMLButtonElement} button @param {string} text */
async function copy(button, text) {
  const result = await navigator.clipboard.writeText(text).then(
    () => 'Copied',
    () => 'Not copied',
  );
  button.textContent = result;
  announce(result);
  setTimeout(() => {
    button.textContent = 'Copy';
  }, 2_000);
}

/** @param {string} text */
function announce(text) {
  const announcer = document.querySelector('[data-announcer]');
  if (announcer) announcer.textContent = text;
}

/** @param {ParentNode} page */
function countdownOf(page) {
  const element = page.querySelector('[data-countdown]');
  return element instanceof HTMLElement ? performance.now() + Number(element.dataset.countdown) : undefined;
}

/** Shows the time left. When no time is left, asks the server for the state of the order. */
function tick() {
  const element = document.querySelector('[data-countdown]');
  if (!element || countdownEnd === undefined) return;
  const left = Math.max(0, Math.ceil((countdownEnd - performance.now()) / 1000));
  // A time longer than a day stays as the server wrote it.
  if (left < 86_400) element.textContent = clockText(left);
  if (left === 0) refresh();
}

/** @param {number} seconds */
function clockText(seconds) {
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  if (parts[0] === 0) parts.shift();
  return parts.map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, '0'))).join(':');
}

async function poll() {
  if (!document.hidden) await refresh();
  if (isLive()) setTimeout(poll, pollInterval);
}

function isLive() {
  return document.querySelector('[data-live-page]') !== null;
}

let refreshing = false;

/** Asks the server for the current state of this page, and shows the differences. */
async function refresh() {
  if (refreshing || !isLive()) return;
  refreshing = true;
  try {
    const response = await fetch(location.href, { cache: 'no-store' });
    if (!response.ok) throw new Error(String(response.status));
    show(new DOMParser().parseFromString(await response.text(), 'text/html'), response.url);
    connection('');
  } catch {
    connection('There is no connection. This page may not show the latest; it keeps trying.');
  } finally {
    refreshing = false;
  }
}

/** @param {string} text */
function connection(text) {
  const element = document.querySelector('[data-connection]');
  if (element && element.textContent !== text) element.textContent = text;
}

/** @param {Document} next @param {string} address */
function show(next, address) {
  const [page, nextPage] = [document, next].map((each) => each.querySelector('[data-page]'));
  if (!(page instanceof HTMLElement) || !(nextPage instanceof HTMLElement)) return;
  countdownEnd = countdownOf(next);
  if (page.dataset.page === nextPage.dataset.page) return showLiveParts(page, nextPage);
  page.replaceWith(nextPage);
  document.title = next.title;
  history.replaceState(null, '', address);
  enhance();
  const heading = nextPage.querySelector('h1');
  heading?.focus();
  returnSoon(nextPage);
}

/**
 * Replaces the live parts only, so that whatever is focused, selected or being read stays as it is.
 *
 * @param {HTMLElement} page
 * @param {HTMLElement} nextPage
 */
function showLiveParts(page, nextPage) {
  for (const part of page.querySelectorAll('[data-live]')) {
    const next = nextPage.querySelector(`[data-live="${part.getAttribute('data-live')}"]`);
    if (next && next.innerHTML !== part.innerHTML) part.replaceChildren(...next.childNodes);
  }
  tick();
}

/**
 * Takes the customer who has just seen the payment complete back to the merchant, unless they want to stay. A customer
 * who opens the receipt later, to read it, is not taken back.
 *
 * @param {HTMLElement} page
 */
function returnSoon(page) {
  const notice = page.querySelector('[data-auto-return]');
  const seconds = notice?.querySelector('[data-seconds]');
  const link = page.querySelector('a[data-return]');
  if (!(notice instanceof HTMLElement) || !seconds || !(link instanceof HTMLAnchorElement)) return;
  notice.hidden = false;
  announce(notice.textContent ?? '');
  let left = Number(seconds.textContent);
  const timer = setInterval(() => {
    left -= 1;
    seconds.textContent = String(left);
    if (left > 0) return;
    clearInterval(timer);
    link.click();
  }, 1_000);
  stay = () => {
    clearInterval(timer);
    notice.hidden = true;
    link.focus();
  };
}
