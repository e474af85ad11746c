// What a page of the console does in the browser: live refresh, dialogs before actions, keys, copying.
// Texts become text nodes only; markup comes from this console's own pages, parsed and imported, never assigned.
import { ask, CHANGED, element, go, keyHeader, showSaid, showSelection, toast, valuesOf, wasEdited } from './actions.js';

const REFRESH_MS = 3_000;
/** A page that comes later is no news. */
const ANSWER_MS = 10_000;
const PAUSED = 'nightcrew-paused';
const KEYS = [
  ['/', 'search'],
  ['g, then a letter', 'go to the page of that letter'],
  ['j, k', 'next and previous row'],
  ['Enter', 'open the row'],
  ['x', 'select the row'],
  ['p', 'pause or resume the refresh'],
  ['Esc', 'close, leave a field'],
  ['?', 'these keys'],
];
const main = document.getElementById('main');

// Live refresh

const isPaused = () => sessionStorage.getItem(PAUSED) === 'yes';
const isField = (target) => target instanceof Element && target.matches('input:not([type=checkbox]), textarea, select');

/** Whether a refresh would disturb the reader. */
function isBusy() {
  if (document.hidden || isPaused() || document.querySelector('dialog[open]') || isField(document.activeElement)) return true;
  if (main.querySelector('button:hover, input:hover')) return true;
  return !(getSelection()?.isCollapsed ?? true) || [...main.querySelectorAll('input, textarea, form[data-action] select')].some(wasEdited);
}

const FIELDS = 'form[data-action] :is(input, textarea, select)[name]';
const fieldKey = (field) => `${field.form.dataset.action}\n${field.name}`;

/** Input of the action forms, to restore after a refresh: a refusal must not lose an edit. */
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
const FORMS = 'form[data-action]';

/**
 * Hidden values of the forms, such as the revision that was seen. They belong to the input, so they are kept as long as it is, except for the
 * form of `answered`: its answer already showed that the job changed.
 */
function sentWith(node, answered) {
  const begun = [...node.querySelectorAll(FORMS)].filter((form) => form.dataset.action !== answered && [...form.elements].some(wasEdited));
  return new Map(begun.map((form) => [form.dataset.action, form.dataset.body]));
}

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

let turn = 0;

/** Reads the page again. `unless` is checked again after the fetch, because the user may have started typing. */
async function refresh({ unless = () => false, answered } = {}) {
  const mine = ++turn;
  const headers = { accept: 'text/html', 'x-nightcrew-refresh': '1', ...keyHeader() };
  const answer = await fetch(location.href, { headers, redirect: 'error', signal: AbortSignal.timeout(ANSWER_MS) });
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html').getElementById('main');
  if (answer.status === 401) throw new Error(SIGNED_OUT);
  if (fresh === null) throw new Error(`The console answered with ${answer.status} and no page.`);
  if (mine !== turn || unless()) return;
  const sent = sentWith(main, answered);
  const focused = document.activeElement;
  const key = main.contains(focused) ? focusKey(focused) : undefined;
  const chosen = main.querySelector('tr[data-chosen]')?.dataset.href;
  patch(main, fresh);
  for (const form of main.querySelectorAll(FORMS)) {
    const body = sent.get(form.dataset.action);
    if (body !== undefined) form.dataset.body = body;
  }
  if (key !== undefined && document.activeElement !== focused) {
    [...main.querySelectorAll('a, button, summary, [tabindex]')].find((node) => focusKey(node) === key)?.focus({ preventScroll: true });
  }
  for (const row of main.querySelectorAll('tr[data-href]'))
    row.toggleAttribute('data-chosen', chosen !== undefined && row.dataset.href === chosen);
  showSelection();
}

const SIGNED_OUT =
  'This console was started anew and does not know this browser: open the link that its terminal printed, or ask it for another.';
const SILENT = 'The console does not answer. Is it still running in the terminal?';
const loadedAt = { last: new Date() };

/** Stays over the page while it cannot be read again: what is shown is old. */
function showStale(why) {
  const old = document.getElementById('stale');
  if (why === undefined) {
    loadedAt.last = new Date();
    return old?.remove();
  }
  const text = `${why} What you see is from ${loadedAt.last.toLocaleTimeString('sv-SE', { timeZone: document.body.dataset.zone })}.`;
  if (old !== null) return void (old.textContent = text);
  const banner = element('div', { id: 'stale', className: 'notice bad', textContent: text });
  banner.setAttribute('role', 'alert');
  document.querySelector('header.top').after(banner);
}

async function keepLive() {
  for (;;) {
    await new Promise((done) => setTimeout(done, REFRESH_MS));
    if (isBusy()) continue;
    try {
      await refresh({ unless: isBusy });
      showStale();
    } catch (error) {
      // A browser's own message for a failed request is no help.
      const own = error.message === SIGNED_OUT || error.message.startsWith('The console');
      showStale(own ? error.message : SILENT);
    }
  }
}

function showPaused() {
  const button = document.querySelector('[data-pause]');
  button?.setAttribute('aria-pressed', String(isPaused()));
  if (button) button.textContent = isPaused() ? 'Resume refresh' : 'Pause';
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

/** The lines that an edit takes out and puts in, between those that both have at their begin and end. */
function changedLines(before, after) {
  const [old, fresh] = [before.split('\n'), after.split('\n')];
  let begin = 0;
  while (begin < old.length && begin < fresh.length && old[begin] === fresh[begin]) begin++;
  let end = 0;
  while (end < Math.min(old.length, fresh.length) - begin && old.at(-1 - end) === fresh.at(-1 - end)) end++;
  const between = (lines, sign) => lines.slice(begin, lines.length - end).map((line) => `${sign} ${line}`);
  return [...between(old, '-'), ...between(fresh, '+')];
}

/** Shows below an edit what it changes. */
function showChanges(field) {
  const shown = field.form?.querySelector('[data-changes]');
  if (!shown) return;
  const lines = changedLines(field.defaultValue, field.value);
  shown.hidden = lines.length === 0;
  shown.firstElementChild.textContent = lines.join('\n');
}

document.addEventListener('input', (event) => {
  if (event.target.matches?.('textarea[name=payload]')) showChanges(event.target);
});

document.addEventListener('change', (event) => {
  if (event.target.dataset.selectAll !== undefined) {
    for (const box of event.target.closest('table').querySelectorAll('[data-select]')) box.checked = event.target.checked;
  }
  showSelection();
});

// The action is done and said; a page that cannot be read now says so at its next turn.
document.addEventListener(CHANGED, ({ detail: answered }) => void refresh({ answered }).catch(() => undefined));
showSaid();
// At a phone's width the navigation scrolls in its own box.
const here = document.querySelector('nav.pages [aria-current]');
here?.closest('ul').scrollTo({ left: here.offsetLeft - 60 });
showPaused();
showSelection();
if (document.body.dataset.live === 'yes') void keepLive();
