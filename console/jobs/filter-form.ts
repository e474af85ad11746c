import { html } from 'hono/html';
import type { JobFilter } from '../../shared/admin/jobs/job-filter.ts';
import type { JobCounts } from '../../shared/admin/jobs/read-verbs.ts';
import type { JobState } from '../../shared/core/job.ts';
import type { Html, PageRequest } from '../page.ts';
import { href, link } from '../parts/links.ts';
import { ANY_OF, FIELD_WORDS, jobsHref, STATE_TABS } from './job-query.ts';

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

/** Read from the address: what was typed stays in sight also when it cannot be read. */
const FOLDED = ['from', 'to', 'maxReadUnits'] as const;
const FIRST = ['type', 'group', 'correlationId'] as const;
const ONLY_FOR: Readonly<Partial<Record<(typeof ANY_OF)[number], string>>> = {
  fingerprint: 'dead',
  errorName: 'dead',
  reason: 'dead',
  cause: 'suspended',
  outcome: 'finished',
};

/** The form that filters a list; what was given several times has a field for each, and one more. */
export function filterForm({ query: params, redact }: Pick<PageRequest, 'query' | 'redact'>, filter: JobFilter): Html {
  const states = [filter.state ?? []].flat();
  const first: readonly string[] = FIRST;
  const more = ANY_OF.filter((name) => !first.includes(name) && isOffered(name, filter, states));
  const open = more.some((name) => filter[name] !== undefined) || FOLDED.some((name) => (params.get(name) ?? '') !== '');
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
        ${more.map((name) => valueFields(name, filter))}
        <label>From<input name="from" value="${params.get('from') ?? ''}" placeholder="2h, or 2026-01-31T12:00Z" /></label>
        <label>Before<input name="to" value="${params.get('to') ?? ''}" placeholder="30m, or an instant" /></label>
        <label
          >Read units a page<input
            name="maxReadUnits"
            inputmode="numeric"
            value="${params.get('maxReadUnits') ?? ''}"
            placeholder="500: about 4 MB"
        /></label>
      </div>
      <p class="hint">From and Before compare the time of the state: due, parked, suspended, failed or finished.</p>
    </details>
  </form>`;
}

function textField({ text = '' }: JobFilter): Html {
  return html`<label class="wide"
    >Text in payload or error<input type="search" name="text" value="${text}" data-search maxlength="200"
  /></label>`;
}

function isOffered(name: (typeof ANY_OF)[number], filter: JobFilter, states: readonly string[]): boolean {
  const only = ONLY_FOR[name];
  return filter[name] !== undefined || only === undefined || states.length === 0 || states.includes(only);
}

function valueFields(name: (typeof ANY_OF)[number], filter: JobFilter): Html {
  const values: readonly string[] = [filter[name] ?? []].flat();
  const label = FIELD_WORDS[name];
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
