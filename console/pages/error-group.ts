import { html } from 'hono/html';
import type { ErrorGroup } from '../../shared/features/error-groups/admin/error-group.ts';
import type { JobFilter } from '../../operate/jobs/job-filter.ts';
import type { JobPage } from '../../operate/jobs/read-verbs.ts';
import { InvalidInputError } from '../../shared/job/errors.ts';
import { errorText } from '../jobs/attempt-timeline.ts';
import { BULK_CHOICES } from '../jobs/bulk-choices.ts';
import { bulkButton } from '../jobs/bulk-toolbar.ts';
import { jobsHref } from '../jobs/job-query.ts';
import { jobTable } from '../jobs/job-table.ts';
import { visible } from '../jobs/visible-text.ts';
import type { Html, Page, PageRequest, Shown } from '../page.ts';
import { command } from '../parts/copy.ts';
import { atLeast, facts, section } from '../parts/facts.ts';
import { href, jobLink, link } from '../parts/links.ts';
import { emptyState, notice } from '../parts/notices.ts';
import { pager } from '../parts/pager.ts';
import { pill } from '../parts/pills.ts';
import { groupPill, triage } from '../parts/group-parts.ts';
import { when } from '../parts/times.ts';

/** One error group: the error, the number of jobs, and the actions on all of them. */
export const errorGroupPage: Page = { path: '/dead-letters/:fingerprint', title: 'Error group', render };

const PAGE_SIZE = 50;
const LONGEST = 256;
const [MINUTE_MS, DAY_MS] = [60_000, 86_400_000];
/** The admin counts up to this many of one group itself. */
const EXACT_TO = 10_000;
const NO_JOBS: JobPage = { jobs: [], readUnits: 0, order: 'none', servedBy: 'nothing' };

async function render(request: PageRequest): Promise<Html | Shown> {
  const fingerprint = request.params['fingerprint'] ?? '';
  // No key of a store is as long as an address may be.
  const known = fingerprint.length <= LONGEST;
  const [group, page] = known ? await Promise.all([groupOf(request, fingerprint), jobsOf(request, fingerprint)]) : [undefined, NO_JOBS];
  if (group === undefined && ('problem' in page || page.jobs.length === 0)) {
    const text = html`No dead letter has the fingerprint <code>${fingerprint.slice(0, 200)}</code>. Groups are kept for 400 days after they
      were last seen. See <a href="/dead-letters">the open ones</a>.`;
    return { main: notice('warn', 'There is no such error group', text), missing: true };
  }
  const filter: JobFilter = { state: 'dead', fingerprint };
  const main = html`${group === undefined ? html`<p class="hint">The row of this group does not exist yet, but its dead letters do.</p>` : summary(request, group)}
    ${acts(request, filter, group)} ${group === undefined ? '' : section('sample', 'Sample', await sampleOf(request, group))}
    ${attemptsOf(fingerprint, group)}
    ${section('jobs-head', 'Its dead letters', 'problem' in page ? notice('warn', 'This list cannot be shown', page.problem) : jobList(request, page, fingerprint))}
    <h2 class="small">In the terminal</h2>
    ${command(request, 'dead-letters', 'list', '--fingerprint', fingerprint)}
    ${command(request, 'dead-letters', 'redrive', '--fingerprint', fingerprint, '--canary')}`;
  return { main, ...(group === undefined ? {} : { about: `${group.errorName} in ${group.type}` }) };
}

function summary(request: PageRequest, group: ErrorGroup): Html {
  const { type, errorName, message, seen, redriven, deleted } = group;
  return html`<div class="fault">
    <p>
      ${standing(group)}
      <strong>${visible(errorName)}</strong> in ${link(jobsHref({ type }), type)}
    </p>
    <p class="error-message">${visible(message)}</p>
    ${facts([
      ['Where', group.frame === undefined ? undefined : html`<code>${visible(group.frame)}</code>`],
      ['Last seen', when(group.lastSeen, request)],
      ['First seen', when(group.firstSeen, request)],
      ['Seen in all', atLeast(seen)],
      ['Redriven', atLeast(redriven)],
      ['Deleted', atLeast(deleted)],
    ])}
    ${triage(request, group)}
  </div>`;
}

/** How many dead letters it has, and what was said about it. */
function standing(group: ErrorGroup): Html {
  const { state, open } = group;
  const count = open > EXACT_TO ? atLeast(open) : open.toLocaleString('en');
  if (state === 'open') return html`${pill(`open: ${count}`, 'bad')} ${groupPill(group)}`;
  return html`${groupPill(group)} ${open === 0 ? '' : pill(`dead letters: ${count}`, 'plain')}`;
}

/** On all of the group; single jobs have their own page. */
function acts(request: PageRequest, filter: JobFilter, group: ErrorGroup | undefined): Html {
  if (group?.open === 0) return html``;
  const choices = BULK_CHOICES.filter(({ states }) => states.includes('dead'));
  return html`<div class="buttons" role="group" aria-label="On all of this group">
    <span class="hint">All of this group:</span> ${choices.map((choice) => bulkButton(request, choice, { filter }))}
  </div>`;
}

async function sampleOf({ admin }: PageRequest, { sample, message, errorName }: ErrorGroup): Promise<Html> {
  const job = await admin.find(sample);
  const gone = job?.state === 'dead' ? '' : html` <span class="hint">(no dead letter any more)</span>`;
  const error = job?.error ?? { name: errorName, message, at: new Date(0) };
  return html`<p>${jobLink(sample)}${gone}</p>
    ${errorText(error, 'Stack of the sample')}`;
}

/** Those of the day before the error was last seen: attempts are kept by time, and all of its days may be many. */
function attemptsOf(fingerprint: string, group: ErrorGroup | undefined): Html {
  const seen = group?.lastSeen.getTime();
  const span = seen === undefined ? {} : { from: instant(seen - DAY_MS), to: instant(seen + MINUTE_MS) };
  return html`<p>
    ${link(href(['attempts'], { fingerprint, ...span }), 'Attempts with this error')}
    <span class="hint">of the ${group === undefined ? 'last day' : 'day before it was last seen'}, also of jobs that were tried again</span>
  </p>`;
}

const instant = (at: number): string => new Date(at).toISOString();

function jobList(request: PageRequest, { jobs, next, readUnits, servedBy }: JobPage, fingerprint: string): Html {
  const filter: JobFilter = { state: 'dead', fingerprint };
  const closed = emptyState(
    'No dead letters are left.',
    'They were redriven or deleted. The group is closed until the error occurs again.',
  );
  return html`<p class="served">
      Newest first, from ${servedBy}: ${readUnits.toLocaleString('en')} read units. ${link(jobsHref(filter), 'Filter them')}
    </p>
    ${jobTable(request, jobs, { id: 'jobs', state: 'dead', select: false, empty: closed })}
    ${pager(href(['dead-letters', fingerprint]), request.query, next)}`;
}

async function groupOf({ admin }: PageRequest, fingerprint: string): Promise<ErrorGroup | undefined> {
  try {
    return await admin.errorGroup(fingerprint);
  } catch (error) {
    if (error instanceof InvalidInputError) return undefined;
    throw error;
  }
}

async function jobsOf({ admin, query }: PageRequest, fingerprint: string): Promise<JobPage | { readonly problem: string }> {
  const after = query.get('after') ?? '';
  try {
    return await admin.list({ state: 'dead', fingerprint, limit: PAGE_SIZE, ...(after === '' ? {} : { after }) });
  } catch (error) {
    if (error instanceof InvalidInputError) return { problem: error.message };
    throw error;
  }
}
