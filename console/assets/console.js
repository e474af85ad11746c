// What a page of the console does in the browser: live refresh, dialogs before actions, keys, copying.
// Texts become text nodes only; markup comes from this console's own pages, parsed and imported, never assigned.
const REFRESH_MS = 3_000;
const TOAST_MS = 8_000;
const KEPT = { paused: 'nightcrew-paused', said: 'nightcrew-said' };
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

function element(name, properties = {}, children = []) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

// Live refresh

const isPaused = () => sessionStorage.getItem(KEPT.paused) === 'yes';
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

const KEPT_ATTRIBUTES = new Set(['open', 'data-chosen']);

/** Makes `old` like `fresh` and leaves alone what is alike: its scroll position, its focus and its open details. */
function patch(old, fresh) {
  if (old.isEqualNode(fresh)) return;
  if (old.nodeName !== fresh.nodeName) return void old.replaceWith(document.importNode(fresh, true));
  if (old.nodeType !== Node.ELEMENT_NODE) return void (old.nodeValue = fresh.nodeValue);
  for (const { name } of [...old.attributes]) if (!KEPT_ATTRIBUTES.has(name) && !fresh.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of fresh.attributes)
    if (!KEPT_ATTRIBUTES.has(name) && old.getAttribute(name) !== value) old.setAttribute(name, value);
  const [had, has] = [[...old.childNodes], [...fresh.childNodes]];
  if (had.length === has.length) return void had.forEach((node, index) => patch(node, has[index]));
  const open = new Set([...old.querySelectorAll('details[open][id]')].map(({ id }) => id));
  old.replaceChildren(...has.map((node) => document.importNode(node, true)));
  for (const details of old.querySelectorAll('details[id]')) if (open.has(details.id)) details.open = true;
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
  sessionStorage.setItem(KEPT.paused, isPaused() ? 'no' : 'yes');
  showPaused();
}

// Actions

function toast(message, ok) {
  const note = element('div', { className: `notice ${ok ? 'good' : 'bad'}`, textContent: message });
  document.getElementById('toasts').append(note);
  setTimeout(() => note.remove(), TOAST_MS);
}

async function post(action, body) {
  try {
    const answer = await fetch(`/actions/${encodeURIComponent(action)}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return await answer.json();
  } catch {
    return { ok: false, message: 'The console does not answer. Look before you repeat it: the action may have been done.' };
  }
}

function finish({ ok, message, to, bulk }) {
  const target = to ?? (bulk === undefined ? undefined : `/bulks/${encodeURIComponent(bulk)}`);
  if (ok && target?.startsWith('/') && !target.startsWith('//')) {
    sessionStorage.setItem(KEPT.said, message);
    location.assign(target);
    return;
  }
  toast(message, ok);
  // The action is done and said; a page that cannot be read now says so at the next turn.
  refresh().catch(() => undefined);
}

function fieldOf({ name, label, kind = 'text', value = '', required = false, hint }) {
  const input = element(kind === 'long' ? 'textarea' : 'input', { name, required });
  if (kind !== 'long') input.type = kind === 'flag' ? 'checkbox' : kind;
  if (kind === 'number') input.step = 'any';
  if (kind === 'flag') input.checked = value === 'true';
  else input.value = value;
  input.autocomplete = 'off';
  return element(
    'label',
    {},
    kind === 'flag' ? [input, ` ${label}`] : [label, input, ...(hint ? [element('span', { className: 'hint', textContent: hint })] : [])],
  );
}

/** What the fields of a form hold, as the body of an action. */
function valuesOf(form) {
  const values = {};
  for (const field of form.elements) {
    if (field.name === '' || field.disabled || field.type === 'submit' || field.type === 'button') continue;
    if (field.type === 'checkbox') values[field.name] = field.checked;
    else if (field.type === 'radio') {
      if (field.checked) values[field.name] = field.value;
    } else if (field.value !== '') values[field.name] = field.type === 'number' ? Number(field.value) : field.value;
  }
  return values;
}

const selectedIn = (id) => [...(document.getElementById(id)?.querySelectorAll('[data-select]:checked') ?? [])].map(({ value }) => value);

/** Buttons for selected rows are on when there are any. */
function showSelection() {
  for (const button of main.querySelectorAll('[data-selected-of]:not([data-selected-of=""])')) {
    const count = selectedIn(button.dataset.selectedOf).length;
    button.disabled = count === 0;
    button.title = count === 0 ? 'Select rows first.' : `${count} selected`;
  }
}

/** Asks before an action as its attributes say, sends it, and keeps what was typed when it was refused. */
async function ask(source, given = {}) {
  const { action, body = '{}', confirm = '', fields = '[]', typed = '', dryRun = '', selectedOf = '' } = source.dataset;
  const ids = selectedOf === '' ? {} : { ids: selectedIn(selectedOf) };
  const asked = { ...JSON.parse(body), ...given, ...ids };
  const wanted = JSON.parse(fields);
  if (confirm === '' && wanted.length === 0 && typed === '' && dryRun === '') return finish(await post(action, asked));
  const label = source.matches('form') ? source.querySelector('[type=submit]').textContent.trim() : source.textContent.trim();
  const said = element('p', { role: 'status' });
  const go = element('button', { type: 'submit', textContent: label });
  const word = element('input', { type: 'text', autocomplete: 'off' });
  const close = element('button', { type: 'button', textContent: 'Cancel' });
  const form = element('form', { className: 'stack' }, [
    element('h2', { textContent: label }),
    ...(confirm === '' ? [] : [element('p', { textContent: confirm })]),
    ...('ids' in ids ? [element('p', { textContent: `${ids.ids.length} selected.` })] : []),
    ...wanted.map(fieldOf),
    said,
    ...(typed === '' ? [] : [element('label', {}, [`This is production. Type ${typed}, or the count, to confirm:`, word])]),
    element('div', { className: 'buttons' }, [close, go]),
  ]);
  const dialog = element('dialog', {}, [form]);
  dialog.setAttribute('aria-label', label);
  document.body.append(dialog);
  dialog.addEventListener('close', () => dialog.remove());
  close.addEventListener('click', () => dialog.close());
  let count = 'ids' in ids ? ids.ids.length : undefined;
  const extra = () => ({
    ...(dryRun === '' ? {} : { dryRun: false }),
    ...(count === undefined || (dryRun === '' && typed === '') ? {} : { expected: count }),
    ...(typed === '' ? {} : { typed: word.value }),
  });
  const mayGo = () => {
    const words = typed === '' || word.value === typed || (count !== undefined && word.value === String(count));
    go.disabled = !words || (dryRun !== '' && !(count > 0));
  };
  word.addEventListener('input', mayGo);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    go.disabled = true;
    const answer = await post(action, { ...asked, ...valuesOf(form), ...extra() });
    if (answer.ok) {
      dialog.close();
      for (const box of main.querySelectorAll('[data-select]:checked, [data-select-all]')) box.checked = false;
      return finish(answer);
    }
    said.className = 'said-bad';
    said.textContent = answer.message;
    mayGo();
  });
  mayGo();
  dialog.showModal();
  if (dryRun === '') return;
  said.textContent = 'Counting what matches.';
  const answer = await post(action, { ...asked, dryRun: true });
  count = answer.ok ? answer.count : undefined;
  said.className = answer.ok ? '' : 'said-bad';
  said.textContent = answer.message;
  mayGo();
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
  if (to?.startsWith('/') && !to.startsWith('//')) location.assign(to);
}

function selectChosen() {
  const box = main.querySelector('tr[data-chosen] [data-select]');
  if (box) box.checked = !box.checked;
  showSelection();
}

function search() {
  const field = main.querySelector('[data-search], input[type=search]');
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

const said = sessionStorage.getItem(KEPT.said);
if (said !== null) {
  sessionStorage.removeItem(KEPT.said);
  toast(said, true);
}
showPaused();
showSelection();
if (document.body.dataset.live === 'yes') keepLive();
