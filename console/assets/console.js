// What a page of the console does in the browser: live refresh, dialogs before actions, keys, copying.
// Texts become text nodes only; markup comes from this console's own pages, parsed and imported, never assigned.
import { ask, CHANGED, element, go, showSaid, showSelection, toast, valuesOf } from './actions.js';

const REFRESH_MS = 3_000;
const PAUSED = 'nightcrew-paused';
const KEYS = [
  ['/', 'search'],
  ['g, then a letter', 'go to the page of that letter'],
  ['j, k', 'next and previous row'],
  ['Enter', 'open the row'],
  ['x', 'select the row'],
  ['p', 'pause and go on'],
  ['Esc', 'close, leave a field'],
  ['?', 'these keys'],
];
const main = document.getElementById('main');

// Live refresh

const isPaused = () => sessionStorage.getItem(PAUSED) === 'yes';
const isField = (target) => target instanceof Element && target.matches('input:not([type=checkbox]), textarea, select');
const wasEdited = (field) =>
  field.type === 'checkbox'
    ? field.checked !== field.defaultChecked
    : field.matches('input, textarea') && field.value !== field.defaultValue;

/** Whether a refresh would disturb the reader. */
function isBusy() {
  if (document.hidden || isPaused() || document.querySelector('dialog[open]') || isField(document.activeElement)) return true;
  if (main.querySelector('button:hover, input:hover')) return true;
  return !(getSelection()?.isCollapsed ?? true) || [...main.querySelectorAll('input, textarea')].some(wasEdited);
}

const FIELDS = 'form[data-action] :is(input, textarea)[name]';
const fieldKey = (field) => `${field.form.dataset.action}\n${field.name}`;

/** What was typed into the forms of actions, to be typed again: a refusal must not cost somebody an edit. */
function typedIn(node) {
  const edited = [...node.querySelectorAll(FIELDS)].filter(wasEdited);
  return new Map(
    edited.map((was) => [
      fieldKey(was),
      (field) => {
        if (field.type === 'checkbox') field.checked = was.checked;
        else field.value = was.value;
      },
    ]),
  );
}

const KEPT_ATTRIBUTES = new Set(['open', 'data-chosen']);

/** Makes `old` like `fresh` and leaves alone what is alike: its scroll position, its focus and its open details. */
function patch(old, fresh) {
  if (old.isEqualNode(fresh)) return;
  if (old.nodeName !== fresh.nodeName) return void old.replaceWith(document.importNode(fresh, true));
  if (old.nodeType !== Node.ELEMENT_NODE) return void (old.nodeValue = fresh.nodeValue);
  for (const name of old.getAttributeNames()) if (!KEPT_ATTRIBUTES.has(name) && !fresh.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of fresh.attributes)
    if (!KEPT_ATTRIBUTES.has(name) && old.getAttribute(name) !== value) old.setAttribute(name, value);
  const [had, has] = [[...old.childNodes], [...fresh.childNodes]];
  if (had.length === has.length) {
    for (const [index, node] of had.entries()) patch(node, has[index]);
    return;
  }
  const open = new Set([...old.querySelectorAll('details[open][id]')].map(({ id }) => id));
  const typed = typedIn(old);
  old.replaceChildren(...has.map((node) => document.importNode(node, true)));
  for (const details of old.querySelectorAll('details[id]')) if (open.has(details.id)) details.open = true;
  for (const field of old.querySelectorAll(FIELDS)) typed.get(fieldKey(field))?.(field);
}

const focusKey = (node) => [node.id, node.getAttribute('href'), node.dataset?.action, node.dataset?.body, node.textContent].join('\n');

async function refresh() {
  const answer = await fetch(location.href, { headers: { accept: 'text/html' }, redirect: 'error' });
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html').getElementById('main');
  if (fresh === null) throw new Error(answer.status === 401 ? 'signed out' : 'no page');
  const focused = document.activeElement;
  const key = main.contains(focused) ? focusKey(focused) : undefined;
  const chosen = main.querySelector('tr[data-chosen]')?.dataset.href;
  patch(main, fresh);
  if (key !== undefined && document.activeElement !== focused) {
    [...main.querySelectorAll('a, button, summary, [tabindex]')].find((node) => focusKey(node) === key)?.focus({ preventScroll: true });
  }
  for (const row of main.querySelectorAll('tr[data-href]'))
    row.toggleAttribute('data-chosen', chosen !== undefined && row.dataset.href === chosen);
  showSelection();
}

let failing = false;
async function keepLive() {
  for (;;) {
    await new Promise((done) => setTimeout(done, REFRESH_MS));
    if (isBusy()) continue;
    try {
      await refresh();
      failing = false;
    } catch {
      if (!failing) toast('The console does not answer: what you see may be old. Is it still running in the terminal?', false);
      failing = true;
    }
  }
}

function showPaused() {
  const button = document.querySelector('[data-pause]');
  button?.setAttribute('aria-pressed', String(isPaused()));
  if (button) button.textContent = isPaused() ? 'Paused: go on' : 'Pause';
}

function togglePaused() {
  sessionStorage.setItem(PAUSED, isPaused() ? 'no' : 'yes');
  showPaused();
}

// Keys

function showKeys() {
  const pages = [...document.querySelectorAll('nav.pages a[data-key]')].map((a) => [`g ${a.dataset.key}`, a.firstChild.textContent.trim()]);
  const list = [...KEYS, ...pages].flatMap(([key, what]) => [
    element('dt', {}, [element('kbd', { textContent: key })]),
    element('dd', { textContent: what }),
  ]);
  const close = element('button', { type: 'button', textContent: 'Close' });
  const dialog = element('dialog', {}, [
    element('h2', { textContent: 'Keys' }),
    element('dl', {}, list),
    element('div', { className: 'buttons' }, [close]),
  ]);
  dialog.setAttribute('aria-label', 'Keys');
  close.addEventListener('click', () => dialog.close());
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

function choose(step) {
  const rows = [...main.querySelectorAll('table[data-table] tbody tr')];
  const at = rows.findIndex((row) => row.hasAttribute('data-chosen'));
  const next = rows[Math.min(Math.max(at + step, 0), rows.length - 1)];
  rows[at]?.removeAttribute('data-chosen');
  next?.setAttribute('data-chosen', '');
  next?.scrollIntoView({ block: 'nearest' });
}

function openChosen() {
  const to = main.querySelector('tr[data-chosen]')?.dataset.href;
  if (to) go(to);
}

function selectChosen() {
  const box = main.querySelector('tr[data-chosen] [data-select]');
  if (box) box.checked = !box.checked;
  showSelection();
}

function search() {
  const field = main.querySelector('[data-search]') ?? document.querySelector('.find input');
  if (field) field.focus();
  else location.assign('/jobs');
}

const ACTS = { '/': search, '?': showKeys, j: () => choose(1), k: () => choose(-1), Enter: openChosen, x: selectChosen, p: togglePaused };
let going = false;

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
  if (isField(event.target)) {
    if (event.key === 'Escape') event.target.blur();
    return;
  }
  if (event.key === 'Enter' && event.target.closest?.('a, button, summary')) return;
  const wasGoing = going;
  going = event.key === 'g' && !wasGoing;
  if (wasGoing) {
    const link = [...document.querySelectorAll('nav.pages a[data-key]')].find((a) => a.dataset.key === event.key);
    if (link) event.preventDefault();
    return link?.click();
  }
  const act = Object.hasOwn(ACTS, event.key) ? ACTS[event.key] : undefined;
  if (act === undefined) return;
  event.preventDefault();
  act();
});

// Clicks and changes, wherever a refresh put the node

document.addEventListener('click', (event) => {
  const button = event.target.closest?.('button');
  if (!button) return;
  if (button.dataset.copy !== undefined) {
    navigator.clipboard.writeText(button.dataset.copy).then(
      () => toast('Copied.', true),
      () => toast('The browser refused to copy: select the text instead.', false),
    );
  } else if (button.dataset.action) ask(button).catch((error) => toast(error.message, false));
  else if (button.dataset.pause !== undefined) togglePaused();
  else if (button.dataset.keys !== undefined) showKeys();
});

document.addEventListener('submit', (event) => {
  if (!event.target.dataset.action) return;
  event.preventDefault();
  ask(event.target, valuesOf(event.target)).catch((error) => toast(error.message, false));
});

document.addEventListener('change', (event) => {
  if (event.target.dataset.selectAll !== undefined) {
    for (const box of event.target.closest('table').querySelectorAll('[data-select]')) box.checked = event.target.checked;
  }
  showSelection();
});

// The action is done and said; a page that cannot be read now says so at its next turn.
document.addEventListener(CHANGED, () => void refresh().catch(() => undefined));
showSaid();
// At a phone's width the navigation scrolls in its own box.
const here = document.querySelector('nav.pages [aria-current]');
here?.closest('ul').scrollTo({ left: here.offsetLeft - 60 });
showPaused();
showSelection();
if (document.body.dataset.live === 'yes') void keepLive();
