import { html } from 'hono/html';
import type { ErasureReport } from '../../operate/erase/erasure.ts';
import { eraseRunsOf } from '../erase-runs.ts';
import { erasedTable, erasureStatus, notErased, scopeText } from '../parts/erasure-parts.ts';
import type { Html, Page, PageRequest, Shown } from '../page.ts';
import { actionButton } from '../parts/action-button.ts';
import { command } from '../parts/copy.ts';
import { facts, section } from '../parts/facts.ts';
import { href, link } from '../parts/links.ts';
import { notice } from '../parts/notices.ts';
import { when } from '../parts/times.ts';

const STEPS = 20;

/** One erasure: what it removed, and the ids of the jobs as proof. */
export const erasurePage: Page = { path: '/erasures/:id', title: 'Erasure', live: true, render };

async function render(request: PageRequest): Promise<Html | Shown> {
  const id = request.params['id'] ?? '';
  const report = await request.admin.erasure(id);
  if (report === undefined) {
    const text = html`They are kept for 400 days. See <a href="/erasures">the latest ones</a>.`;
    return { main: notice('warn', 'There is no such erasure', text), missing: true };
  }
  const main = html`<p class="job-head"><strong>${scopeText(report.scope)}</strong> ${erasureStatus(request, report)}</p>
    ${controls(request, id, report)} ${section('removed', 'Erased', erasedTable(report))} ${notErased(report)} ${details(request, report)}
    ${await proof(request, id)}
    <h2 class="small">In the terminal</h2>
    ${command(request, 'erase', 'show', id)}`;
  return { main, about: scopeText(report.scope) };
}

function controls(request: PageRequest, id: string, { status }: ErasureReport): Html {
  if (status === 'done') return html``;
  const body = { erasure: id };
  const button = eraseRunsOf(request).isHere(id)
    ? actionButton(request, { label: 'Stop', action: 'erase-stop', body })
    : actionButton(request, {
        label: 'Resume…',
        action: 'erase-resume',
        body,
        bulk: true,
        confirm: 'It continues where it stopped. If another process still runs it, that one stops.',
      });
  return html`<div class="buttons">${button}</div>`;
}

function details(request: PageRequest, { startedAt, updatedAt, actor, reason, rows, digest }: ErasureReport): Html {
  return section(
    'details',
    'Details',
    facts([
      ['Begun', when(startedAt, request)],
      ['Last step', when(updatedAt, request)],
      ['By', actor],
      ['Why', reason],
      ['Rows looked at', rows.toLocaleString('en')],
      ['SHA-256 of the ids', digest],
    ]),
  );
}

async function proof(request: PageRequest, id: string): Promise<Html> {
  const after = request.query.get('after') ?? '';
  const { steps, next } = await request.admin.erasedJobs(id, { limit: STEPS, ...(after === '' ? {} : { after }) });
  if (steps.length === 0) return html``;
  const ids = html`<ul class="ids">
    ${steps.flatMap((step) => step.ids.map((job) => html`<li><code>${job}</code></li>`))}
  </ul>`;
  const more = next === undefined ? '' : html`<p>${link(href(['erasures', id], { after: next }), 'More')}</p>`;
  return section('proof', 'Jobs of which something was erased', html`${ids} ${more}`);
}
