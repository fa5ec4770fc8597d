/** What a report's page does beyond being read: it filters, copies, and opens what is linked to or printed. */

/** @type {HTMLElement | null} */
const filters = document.querySelector('.filters');
/** @type {HTMLElement[]} */
const items = Array.from(document.querySelectorAll('[data-item]'));
const texts = new Map(items.map((item) => [item, ownText(item)]));
/** @type {HTMLElement[]} */
const groups = Array.from(document.querySelectorAll('[data-group]'));

if (filters) {
  filters.hidden = false;
  filters.addEventListener('input', filter);
  filters.addEventListener('click', ({ target }) => {
    if (target instanceof HTMLButtonElement) clear();
  });
}
for (const button of document.querySelectorAll('button[data-copy]')) {
  if (button instanceof HTMLElement) button.hidden = false;
}
document.addEventListener('click', ({ target }) => {
  const button = target instanceof Element ? target.closest('button[data-copy]') : null;
  if (button instanceof HTMLButtonElement) copy(button);
});
addEventListener('hashchange', reveal);
addEventListener('beforeprint', () => {
  for (const details of document.querySelectorAll('details')) details.open ||= details.matches('.card, .area');
});
reveal();

/**
 * What is searched: an exchange holds too much that is alike.
 * @param {Element} item
 */
function ownText(item) {
  const parts = item.matches('details')
    ? item.querySelectorAll(':scope > summary, blockquote, .compare, .target-text')
    : [item];
  return Array.from(parts, ({ textContent }) => textContent)
    .join(' ')
    .toLowerCase();
}

function filter() {
  if (!filters) return;
  const field = (/** @type {string} */ name) => {
    const input = filters.querySelector(`[name=${name}]`);
    return input instanceof HTMLInputElement || input instanceof HTMLSelectElement ? input.value : '';
  };
  const words = field('text').toLowerCase().split(/\s+/).filter(Boolean);
  const [area, level] = [field('area'), field('level')];
  const verdicts = Array.from(filters.querySelectorAll('input:checked'), (box) => box.getAttribute('value'));
  const active = words.length > 0 || area !== '' || level !== '' || verdicts.length > 0;
  for (const item of items) {
    const { dataset } = item;
    item.hidden = !(
      (area === '' || dataset.area === area) &&
      (level === '' || dataset.level === level) &&
      (verdicts.length === 0 || verdicts.includes(dataset.verdict ?? '')) &&
      words.every((word) => texts.get(item)?.includes(word))
    );
  }
  for (const group of groups) {
    const shown = group.querySelector('[data-item]:not([hidden])') !== null;
    group.hidden = !shown;
    if (group instanceof HTMLDetailsElement) group.open = active && shown;
  }
  tell(active);
}

/** @param {boolean} active */
function tell(active) {
  const status = filters?.querySelector('[role=status]');
  if (!status) return;
  const shown = (/** @type {string} */ kind) => {
    // A finding stands in the list of checks too.
    const these = items.filter(({ dataset, classList }) => dataset.item === kind && !classList.contains('card'));
    return `${these.filter(({ hidden }) => !hidden).length} of ${these.length} ${kind}s`;
  };
  status.textContent = active ? `Shown: ${shown('check')}, ${shown('requirement')}.` : '';
}

function clear() {
  for (const input of filters?.querySelectorAll('input, select') ?? []) {
    if (input instanceof HTMLInputElement && input.type === 'checkbox') input.checked = false;
    else if (input instanceof HTMLInputElement || input instanceof HTMLSelectElement) input.value = '';
  }
  filter();
}

/** @param {HTMLButtonElement} button */
async function copy(button) {
  const [text, label] = [button.previousElementSibling, button.firstElementChild];
  if (!text || !label) return;
  try {
    await navigator.clipboard.writeText(text.textContent ?? '');
    label.textContent = 'Copied';
  } catch {
    getSelection()?.selectAllChildren(text);
    label.textContent = 'Selected';
  }
  button.addEventListener('blur', () => label.replaceChildren('Copy'), { once: true });
}

/** Opens what the address points to, and shows it though a filter hid it. */
function reveal() {
  const wanted = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!wanted) return;
  if (wanted.closest('[hidden]')) clear();
  for (let each = wanted.closest('details'); each; each = each.parentElement?.closest('details') ?? null)
    each.open = true;
  wanted.scrollIntoView();
}
