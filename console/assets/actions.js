// Actions: a dialog that asks as the attributes of a button or a form say, one POST, and what it answered.
const TOAST_MS = 8_000;
/** What an action said before it went to another page. */
const SAID = 'nightcrew-said';
/** Tells the page that something was changed. */
export const CHANGED = 'nightcrew-changed';
const main = document.getElementById('main');

/** The key of this console, which its pages alone hold: without it the server takes no action and no refresh. */
export const keyHeader = () => ({ 'x-nightcrew-key': localStorage.getItem('nightcrew-key') ?? '' });

export function element(name, properties = {}, children = []) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

export function toast(message, ok) {
  const note = element('div', { className: `notice ${ok ? 'good' : 'bad'}`, textContent: message });
  document.getElementById('toasts').append(note);
  setTimeout(() => note.remove(), TOAST_MS);
}

/** A write that takes longer is in doubt; a count takes what it takes, until its dialog is closed. */
const POST_MS = 60_000;

/** What has to be known stays until it was read. */
function keepSaying(message) {
  const close = element('button', { type: 'button', textContent: 'I have read it' });
  const note = element('div', { className: 'notice warn' }, [element('p', { textContent: message }), close]);
  close.addEventListener('click', () => note.remove());
  document.getElementById('toasts').append(note);
}

async function post(action, body, signal = AbortSignal.timeout(POST_MS)) {
  try {
    const answer = await fetch(`/actions/${encodeURIComponent(action)}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...keyHeader() },
      body: JSON.stringify(body),
      signal,
    });
    return await answer.json();
  } catch {
    return { ok: false, message: 'The console does not answer. The action may have been done: check before you repeat it.' };
  }
}

/** Whether a field holds something else than the page gave it. */
export const wasEdited = (field) =>
  field.type === 'checkbox'
    ? field.checked !== field.defaultChecked
    : field.matches('select')
      ? field.selectedOptions[0] !== ([...field.options].find((option) => option.defaultSelected) ?? field.options[0])
      : field.matches('input, textarea') && field.value !== field.defaultValue;

const formsBegun = () => [...main.querySelectorAll('form[data-action]')].filter((form) => [...form.elements].some(wasEdited));

/** Says what an action answered. An edit that is open elsewhere on the page is worth more than going to another one. */
function finish({ ok, message, to, bulk, warn, conflict }, source) {
  const target = to ?? (bulk === undefined ? undefined : `/bulks/${encodeURIComponent(bulk)}`);
  if (ok && source?.matches('form')) source.reset();
  if (ok && target !== undefined && formsBegun().length === 0) {
    sessionStorage.setItem(SAID, message);
    if (go(target)) return;
    sessionStorage.removeItem(SAID);
  }
  if (warn) keepSaying(message);
  else toast(message, ok);
  document.dispatchEvent(new CustomEvent(CHANGED, { detail: conflict ? source?.dataset.action : undefined }));
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
export function valuesOf(form) {
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
export function showSelection() {
  for (const button of main.querySelectorAll('[data-selected-of]:not([data-selected-of=""])')) {
    const count = selectedIn(button.dataset.selectedOf).length;
    button.disabled = count === 0;
    button.title = count === 0 ? 'Select rows first.' : `${count} selected`;
  }
}

/** A button that shows what an action would make of one job, and the place for that. What was shown goes when a field changes. */
function previewOf(send) {
  const button = element('button', { type: 'button', textContent: 'Preview' });
  const shown = element('div', { className: 'preview', role: 'status' });
  button.addEventListener('click', async () => {
    shown.replaceChildren(element('p', { textContent: 'Reading one job.' }));
    const { ok, message, sample = {} } = await send();
    const texts = [
      ['Before', sample.before],
      ['After', sample.after],
    ].filter(([, text]) => text !== undefined);
    shown.replaceChildren(
      element('p', { className: ok ? '' : 'said-bad', textContent: message }),
      ...texts.flatMap(([name, text]) => [
        element('p', { className: 'hint', textContent: name }),
        element('div', { className: 'code' }, [element('pre', { tabIndex: 0, ariaLabel: name, textContent: text })]),
      ]),
    );
  });
  return { parts: [button, shown], clear: () => shown.replaceChildren() };
}

/** The dialog before an action, not shown yet; `gone` ends what it counts when it is closed. */
function openable({ label, confirm, ids, wanted, typed, dryRun, look }) {
  const said = element('p', { role: 'status' });
  const send = element('button', { type: 'submit', textContent: label });
  const word = element('input', { type: 'text', autocomplete: 'off' });
  const close = element('button', { type: 'button', textContent: 'Back' });
  const rest = element('button', { type: 'button', textContent: 'Count all', hidden: true });
  const gone = new AbortController();
  const form = element('form', { className: 'stack' }, [
    element('h2', { textContent: label }),
    ...(confirm === '' ? [] : [element('p', { textContent: confirm })]),
    ...('ids' in ids ? [element('p', { textContent: `${ids.ids.length} selected.` })] : []),
    ...wanted.map(fieldOf),
    ...(look === undefined ? [] : look.parts),
    said,
    rest,
    ...(typed === ''
      ? []
      : [element('label', {}, [`This is production. Type ${typed}${dryRun === '' ? '' : ', or the count,'} to confirm:`, word])]),
    element('div', { className: 'buttons' }, [close, send]),
  ]);
  const dialog = element('dialog', {}, [form]);
  dialog.setAttribute('aria-label', label);
  document.body.append(dialog);
  dialog.addEventListener('close', () => {
    gone.abort();
    dialog.remove();
  });
  close.addEventListener('click', () => dialog.close());
  return { dialog, form, said, send, word, rest, gone };
}

/** Asks before an action as its attributes say, sends it, and keeps what was typed when it was refused. */
export async function ask(source, given = {}) {
  const { action, body = '{}', confirm = '', fields = '[]', typed = '', dryRun = '', selectedOf = '', preview = '' } = source.dataset;
  const ids = selectedOf === '' ? {} : { ids: selectedIn(selectedOf) };
  const asked = { ...JSON.parse(body), ...given, ...ids };
  const wanted = JSON.parse(fields);
  if (confirm === '' && wanted.length === 0 && typed === '' && dryRun === '') return finish(await post(action, asked), source);
  const label = (source.matches('form') ? source.querySelector('[type=submit]') : source).textContent.trim().replace(/…$/, '');
  const look =
    preview === '' ? undefined : previewOf(() => post(action, { ...asked, ...valuesOf(form), dryRun: true, preview: true }, gone.signal));
  const { dialog, form, said, send, word, rest, gone } = openable({ label, confirm, ids, wanted, typed, dryRun, look });
  form.addEventListener('input', ({ target }) => target.name !== '' && look?.clear());
  let count = 'ids' in ids ? ids.ids.length : undefined;
  const extra = () => ({
    ...(dryRun === '' ? {} : { dryRun: false }),
    ...(count === undefined || (dryRun === '' && typed === '') ? {} : { expected: count }),
    ...(typed === '' ? {} : { typed: word.value }),
  });
  const mayGo = () => {
    const words = typed === '' || word.value === typed || (count !== undefined && word.value === String(count));
    send.disabled = !words || (dryRun !== '' && !(count > 0));
  };
  word.addEventListener('input', mayGo);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    send.disabled = true;
    const answer = await post(action, { ...asked, ...valuesOf(form), ...extra() });
    if (answer.ok) {
      dialog.close();
      for (const box of main.querySelectorAll('[data-select]:checked, [data-select-all]')) box.checked = false;
      return finish(answer, source);
    }
    said.className = 'said-bad';
    said.textContent = answer.message;
    mayGo();
  });
  mayGo();
  dialog.showModal();
  if (dryRun === '') return;
  const counted = (answer) => {
    count = answer?.ok ? answer.count : undefined;
    mayGo();
  };
  await countFirst(async (more) => post(action, { ...asked, ...more, dryRun: true }, gone.signal), { said, rest, counted });
}

/** Counts before anything is done, and the rest of it when asked; `counted` hears each answer, and that there is none yet. */
async function countFirst(send, { said, rest, counted }) {
  const counting = async (more) => {
    said.className = '';
    said.textContent = 'Counting what matches. Back stops it.';
    rest.hidden = true;
    counted();
    const answer = await send(more);
    said.className = answer.ok ? '' : 'said-bad';
    said.textContent = answer.message;
    rest.hidden = answer.more !== true;
    counted(answer);
  };
  rest.addEventListener('click', () => void counting({ countAll: true }));
  await counting({});
}

/** Goes to an address of this console; false for any other. */
export function go(address) {
  const target = new URL(address, location.origin);
  if (target.origin !== location.origin) return false;
  location.assign(target);
  return true;
}

/** Shows what the action said that led to this page. */
export function showSaid() {
  const said = sessionStorage.getItem(SAID);
  if (said === null) return;
  sessionStorage.removeItem(SAID);
  toast(said, true);
}
