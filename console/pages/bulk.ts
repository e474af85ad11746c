import { html } from 'hono/html';
import type { BulkReport } from '../../operate/bulk/bulk-verbs.ts';
import { leftAloneWords } from '../actions/outcome-words.ts';
import { type BulkRun, bulkRunsOf } from '../bulk-runs.ts';
import { bulkStatus, bulkTitle, livenessOf, newestOf } from '../jobs/bulk-progress.ts';
import { quotedText } from '../jobs/quoted-text.ts';
import { filterWords, jobsHref } from '../jobs/job-query.ts';
import type { Html, Page, PageRequest, Shown } from '../page.ts';
import { actionButton } from '../parts/action-button.ts';
import { command } from '../parts/copy.ts';
import { facts, section, tiles } from '../parts/facts.ts';
import { jobLink, link } from '../parts/links.ts';
import { notice } from '../parts/notices.ts';
import { table } from '../parts/table.ts';
import { when } from '../parts/times.ts';

/** One action on many jobs: its progress, the jobs left alone, and the failures. */
export const bulkPage: Page = { path: '/bulks/:id', title: 'Bulk action', live: true, render };

async function render(request: PageRequest): Promise<Html | Shown> {
  const id = request.params['id'] ?? '';
  const row = await request.admin.bulkReport(id);
  if (row === undefined) {
    const text = html`Reports are kept for 30 days. See <a href="/bulks">the latest ones</a>.`;
    return { main: notice('warn', 'There is no such bulk action', text), missing: true };
  }
  const run = bulkRunsOf(request).look(id);
  const bulk = newestOf(row, run);
  const { matched, done, failed } = bulk;
  return html`<p class="job-head"><strong>${bulkTitle(bulk.action, request.zone)}</strong> ${bulkStatus(bulk, run, request.now())}</p>
    <p>${link(jobsHref(bulk.filter), filterWords(bulk.filter, request.zone))}</p>
    ${bar(bulk, run)} ${context(request, bulk, run)} ${controls(request, { id, bulk, run })}
    ${tiles([
      { label: bulk.status === 'running' ? 'Matched so far' : 'Matched', value: matched.toLocaleString('en') },
      { label: 'Done', value: done.toLocaleString('en'), tone: 'good' },
      { label: 'Left alone', value: sum(bulk.leftAlone).toLocaleString('en') },
      { label: 'Failed', value: failed.toLocaleString('en'), tone: failed > 0 ? 'bad' : 'plain' },
    ])}
    ${details(request, bulk)}
    <h2 class="small">In the terminal</h2>
    ${canResume(request, bulk, run) ? command(request, 'bulks', 'resume', id) : command(request, 'bulks', 'list')}`;
}

/** How far it is; how much there is in all is known to the console that began it, and at the end. */
function bar(bulk: BulkReport, run: BulkRun | undefined): Html {
  const { matched } = bulk;
  const total = Math.max(1, bulk.status === 'done' ? matched : (run?.total ?? 0));
  if (bulk.status !== 'done' && run?.total === undefined) return html``;
  const met = Math.min(total, matched);
  return html`<progress max="${total}" value="${bulk.status === 'done' ? total : met}" aria-label="Jobs that it came to">
    ${met} of ${total}
  </progress>`;
}

function canResume(request: PageRequest, bulk: BulkReport, run: BulkRun | undefined): boolean {
  const live = livenessOf(bulk, run, request.now());
  return live === 'abandoned' || (live === 'ended' && bulk.status === 'stopped');
}

function context(request: PageRequest, bulk: BulkReport, run: BulkRun | undefined): Html {
  if (bulk.status === 'canary-failed') {
    return notice(
      'bad',
      'The canary failed',
      html`No other job was changed. Look at ${bulk.canary === undefined ? 'it' : jobLink(bulk.canary.id)} before you try again.`,
    );
  }
  if (run?.error !== undefined && livenessOf(bulk, run, request.now()) === 'abandoned') {
    const why = run.error instanceof Error ? run.error.message : 'Unknown error.';
    return notice('bad', 'It stopped with an error', `${why} The jobs that were done stay done. Resume it to continue where it stopped.`);
  }
  const live = livenessOf(bulk, run, request.now());
  if (live === 'abandoned') return notice('warn', 'No process runs it', 'Its process ended first. Resume it to continue where it stopped.');
  if (live === 'here' && bulk.canary !== undefined && bulk.done <= 1)
    return html`<p>Waiting for the canary ${jobLink(bulk.canary.id)} to complete.</p>`;
  return html``;
}

function controls(
  request: PageRequest,
  { id, bulk, run }: { readonly id: string; readonly bulk: BulkReport; readonly run: BulkRun | undefined },
): Html {
  const live = livenessOf(bulk, run, request.now());
  if (live === 'here') {
    const again = run?.stopping === true;
    return again ? html`` : html`<div class="buttons">${actionButton(request, { label: 'Stop', action: 'bulk-stop', body: { id } })}</div>`;
  }
  if (!canResume(request, bulk, run)) return html``;
  const button = {
    label: 'Resume…',
    action: 'bulk-resume',
    bulk: true,
    body: { id },
    confirm: 'It continues with the jobs that it has not reached yet.',
    fields: RATE,
  };
  return html`<div class="buttons">${actionButton(request, button)}</div>`;
}

const RATE = [
  { name: 'ratePerSecond', label: 'Jobs per second', kind: 'number', hint: 'Empty: the rate at which it was started.' },
] as const;

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((all, count) => all + count, 0);
}

function endWords({ status, complete }: BulkReport): string | undefined {
  if (status !== 'done') return undefined;
  return complete ? 'nothing else matched' : 'it reached its maximum number of jobs';
}

function details(request: PageRequest, bulk: BulkReport): Html {
  const alone = Object.entries(bulk.leftAlone);
  const { failures, readUnits } = bulk;
  return html`${section(
    'details',
    'Details',
    facts([
      ['Begun', when(bulk.startedAt, request)],
      ['Last page', when(bulk.updatedAt, request)],
      ['By', bulk.actor],
      ['Why', bulk.reason],
      ['Canary', bulk.canary === undefined ? undefined : html`${jobLink(bulk.canary.id)} ${bulk.canary.outcome}`],
      ['Ended', endWords(bulk)],
      ['Read units', readUnits.toLocaleString('en')],
    ]),
  )}
  ${
    alone.length === 0
      ? ''
      : section(
          'left-alone',
          'Left alone',
          html`<ul>
            ${alone.map(([why, count]) => html`<li>${count.toLocaleString('en')}: ${leftAloneWords(why)}</li>`)}
          </ul>`,
        )
  }
  ${
    failures.length === 0
      ? ''
      : section(
          'failures',
          'The first that failed',
          table({
            id: 'failed',
            caption: 'Jobs with an unknown result',
            columns: [{ label: 'Job' }, { label: 'Error' }],
            rows: failures.map((failure) => ({ cells: [jobLink(failure.id), quotedText(failure.error, failure, request.redact)] })),
            empty: html``,
          }),
        )
  }`;
}
