import { html } from 'hono/html';
import { ANY_OF, type JobFilter, VALUE_FIELDS, type ValueName } from '../../operate/jobs/job-filter.ts';
import type { JobCounts } from '../../operate/jobs/read-verbs.ts';
import type { JobState } from '../../shared/job/job.ts';
import type { Html, PageRequest } from '../page.ts';
import { href, link } from '../parts/links.ts';
import { NUMBERS, TIMES } from '../../operate/jobs/filter-params.ts';
import { jobsHref, labelOf, STATE_TABS } from './job-query.ts';

/** The states as tabs; every other field of the filter stays. */
export function stateTabs(filter: JobFilter, counts?: JobCounts): Html {
  const { state, ...rest } = filter;
  const chosen = [state ?? []].flat();
  const tab = (label: string, to: JobFilter, count: string | undefined, current: boolean) =>
    html`<a href="${jobsHref(to)}" ${current ? html`aria-current="page"` : ''}
      >${label}${count === undefined ? '' : html` <span class="tab-count">${count}</span>`}</a
    >`;
  return html`<nav class="tabs" aria-label="States">
    ${tab('Unfinished', rest, undefined, chosen.length === 0)}
    ${STATE_TABS.map((one) => tab(one.label, { ...rest, state: one.state }, countOf(one.state, filter, counts), chosen.includes(one.state)))}
  </nav>`;
}

/** Undefined for a state that was not looked at, or not to its end: nothing is known of it, which is not none. */
function countOf(state: JobState, filter: JobFilter, counts: JobCounts | undefined): string | undefined {
  if (counts === undefined) return undefined;
  const asked = [filter.state ?? []].flat();
  const looked = asked.length > 0 ? asked.includes(state) : state !== 'finished' || filter.outcome !== undefined;
  if (!looked || (!counts.complete && counts[state] === 0)) return undefined;
  return `${counts[state].toLocaleString('en')}${counts.complete ? '' : '+'}`;
}

/** Read from the address: invalid input stays visible. */
const FOLDED = [...TIMES, ...NUMBERS, 'hasError', 'or', 'maxReadUnits'] as const;
const FIRST = ['type', 'group', 'correlationId'] as const;
/** Fields with a form of their own. */
const CHOSEN = ['kind'] as const;
/** Jobs in other states may have it too, but are seldom searched by it. */
const DEAD_ONLY: readonly string[] = ['errorName', 'reason'];

/** The filter form of a list; a repeated field has an input for each value, and one more. */
export function filterForm({ query: params, redact }: Pick<PageRequest, 'query' | 'redact'>, filter: JobFilter): Html {
  const states = [filter.state ?? []].flat();
  const others: readonly string[] = [...FIRST, ...CHOSEN];
  const more = ANY_OF.filter((name) => !others.includes(name) && isOffered(name, filter, states));
  const open = [...more, ...CHOSEN].some((name) => filter[name] !== undefined) || FOLDED.some((name) => (params.get(name) ?? '') !== '');
  return html`<form class="filters job-filters" method="get" action="/jobs" role="search" aria-label="Filter jobs">
    ${states.map((state) => html`<input type="hidden" name="state" value="${state}" />`)}
    <div class="filter-row">
      ${redact.length === 0 ? textField(filter) : html`<p class="hint wide">This console hides payload fields, so it does not search texts.</p>`}
      ${FIRST.map((name) => valueFields(name, filter))} ${tenantFields(filter, params)}
      <span class="send"><button type="submit">Show</button> ${link(href(['jobs'], { state: states[0] }), 'Clear')}</span>
    </div>
    <details id="more-filters" ${open ? 'open' : ''}>
      <summary>More filters</summary>
      <div class="filter-row">
        ${more.map((name) => valueFields(name, filter))} ${choice('Kind', 'kind', { values: [filter.kind ?? []].flat(), options: KINDS })}
        ${choice('Has an error', 'hasError', { values: params.getAll('hasError'), options: ERRORS })}
        ${TYPED.map(([name, label, placeholder]) => html`<label>${label}<input name="${name}" value="${params.get(name) ?? ''}" placeholder="${placeholder}" /></label>`)}
        ${alternatives(params)}
      </div>
      <p class="hint">
        From and Before compare the time of the state: due, parked, suspended, failed or finished. An alternative is written as in the
        address of this page; a job has to match one of them and every other field.
      </p>
    </details>
    ${hiddenOrder(params)}
  </form>`;
}

const KINDS = { async: 'async', timer: 'timer' };
const ERRORS = { true: 'yes', false: 'no' };
const TYPED = [
  ['from', 'From', '2h, or 2026-01-31T12:00Z'],
  ['to', 'Before', '30m, or an instant'],
  ['createdFrom', 'Created from', '2h, or an instant'],
  ['createdTo', 'Created before', '30m, or an instant'],
  ['priority', 'Priority', '5, 5.., ..5 or 1..5'],
  ['failures', 'Failures', '2.. is two or more'],
  ['attempts', 'Attempts', '2.. is two or more'],
  ['maxReadUnits', 'Read units a page', '500: about 4 MB'],
] as const;

function choice(
  label: string,
  name: string,
  { values, options }: { readonly values: readonly string[]; readonly options: Readonly<Record<string, string>> },
): Html {
  return html`<label
    >${label}<select name="${name}">
      <option value="">any</option>
      ${Object.entries(options).map(([value, text]) => html`<option value="${value}" ${values.length === 1 && values[0] === value ? 'selected' : ''}>${text}</option>`)}
    </select></label
  >`;
}

/** An input for each alternative, and one more. */
function alternatives(params: URLSearchParams): Html {
  const given = params.getAll('or').filter((text) => text.trim() !== '');
  return html`${[...given, ''].map((text) => html`<label class="wide">Alternative<input name="or" value="${text}" placeholder="type=mail.send&tenant=acme" spellcheck="false" /></label>`)}`;
}

/** An order that was chosen stays while the filter changes. */
function hiddenOrder(params: URLSearchParams): Html {
  const order = params.get('order') ?? '';
  return order === '' ? html`` : html`<input type="hidden" name="order" value="${order}" />`;
}

function textField({ text = '' }: JobFilter): Html {
  return html`<label class="wide"
    >Text in payload or error<input type="search" name="text" value="${text}" data-search maxlength="200"
  /></label>`;
}

function isOffered(name: ValueName, filter: JobFilter, states: readonly string[]): boolean {
  const only = DEAD_ONLY.includes(name) ? ['dead'] : VALUE_FIELDS[name].states;
  return filter[name] !== undefined || only === undefined || states.length === 0 || only.some((state) => states.includes(state));
}

function valueFields(name: ValueName, filter: JobFilter): Html {
  const values: readonly string[] = [filter[name] ?? []].flat();
  const label = labelOf(name);
  const shown = values.slice(0, 5);
  return html`<label
      >${label.charAt(0).toUpperCase()}${label.slice(1)}<input
        name="${name}"
        value="${shown[0] ?? ''}"
        autocomplete="off"
        spellcheck="false"
    /></label>
    ${shown.slice(1).map((value) => html`<label>or<input name="${name}" value="${value}" aria-label="or ${label}" /></label>`)}
    ${values.slice(5).map((value) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    ${values.length === 0 ? '' : html`<label>or<input name="${name}" value="" aria-label="or ${label}" /></label>`}`;
}

function tenantFields({ tenant }: JobFilter, params: URLSearchParams): Html {
  const how = tenant === null ? 'none' : params.get('tenants') === 'prefix' ? 'prefix' : '';
  const values =
    tenant === null || tenant === undefined ? [] : typeof tenant === 'object' && 'prefix' in tenant ? [tenant.prefix] : [tenant].flat();
  const option = (value: string, label: string) => html`<option value="${value}" ${how === value ? 'selected' : ''}>${label}</option>`;
  return html`<label>Tenant<input name="tenant" value="${values[0] ?? ''}" autocomplete="off" spellcheck="false" /></label>
    ${values.slice(1).map((value) => html`<label>or<input name="tenant" value="${value}" aria-label="or tenant" /></label>`)}
    <label
      >Tenant is<select name="tenants">
        ${option('', 'this one')} ${option('prefix', 'beginning so')} ${option('none', 'none')}
      </select></label
    >`;
}
