import { html } from 'hono/html';
import type { Explanation } from '../../operate/explain/explanation.ts';
import type { PastError } from '../../shared/job/last-errors.ts';
import type { JobView } from '../../operate/jobs/job-view.ts';
import type { JobTimeline } from '../../operate/timeline.ts';
import type { AuditRecord } from '../../shared/features/audit/admin/audit-log.ts';
import type { JobHistory } from '../../shared/features/history/model/history-entry.ts';
import { isJobId } from '../../shared/job/job-id.ts';
import { errorText, stepsOf, timeline, withActs } from '../jobs/attempt-timeline.ts';
import { jobButtons } from '../jobs/job-buttons.ts';
import { jobFacts } from '../jobs/job-facts.ts';
import { handlerStatePanel, payloadPanel, resultPanel } from '../jobs/payload-panel.ts';
import { codeBlock, command, copyButton } from '../parts/copy.ts';
import { section } from '../parts/facts.ts';
import { href, link } from '../parts/links.ts';
import { notice } from '../parts/notices.ts';
import { statePill } from '../parts/pills.ts';
import { when } from '../parts/times.ts';
import type { Html, Page, PageRequest, Shown } from '../page.ts';
import { jobsHref } from '../jobs/job-query.ts';
import { SET_ASIDE } from '../refusals.ts';
import { COUNTS, remembered } from '../remembered.ts';
import { visible } from '../jobs/visible-text.ts';

/** One job: the reason for its state, its history, and the possible actions. */
export const jobPage: Page = { path: '/jobs/:id', title: 'Job', live: true, render };

async function render(request: PageRequest): Promise<Shown> {
  const id = request.params['id'] ?? '';
  if (!isJobId(id))
    return { missing: true, main: notFound(id, 'This is not a job id: ids look like 019a8f3e-6f00-7abc-8def-0123456789ab.') };
  const { admin } = request;
  const [job, explanation, history, course] = await Promise.all([
    admin.find(id),
    admin.explain(id),
    admin.history({ id }),
    courseOf(request, id),
  ]);
  if (job === undefined) return { missing: true, main: nowhere(request, id, { history, course }) };
  const main = html`<p class="job-head">
      <span class="id">${job.id}</span> ${copyButton(job.id)} ${statePill(job.state)} ${link(jobsHref({ type: job.type }), job.type)}
    </p>
    ${explained(request, explanation)} ${jobButtons(request, job)}
    ${job.error === undefined ? '' : section('error', 'Last error', errorOf(request, job, job.error))}
    ${section('facts', 'Details', jobFacts(request, job))} ${lifeOf(request, job, { history, course })}
    ${resultPanel(request, course?.result)} ${payloadPanel(request, job)} ${handlerStatePanel(request, job)} ${rawRow(request, job)}
    ${elsewhere(request, id, job.requestId)}${eraseLink(job)}`;
  return { main, about: `${job.type} …${job.id.slice(-12)}` };
}

function explained(request: PageRequest, explanation: Explanation | undefined): Html {
  if (explanation === undefined) return html``;
  const { text, next, verbs } = explanation;
  const at = next.at === undefined ? '' : html` ${when(next.at, request)}`;
  return html`<div class="explained" id="explained">
    <p>${withTimes(request, visible(text))}</p>
    <p class="hint">
      ${next.by === 'nobody' ? 'Nothing happens next by itself.' : html`Next: ${verbWords(next.verb)}, by the ${next.by.replaceAll('-', ' ')}${at}.`}
      ${verbs.length === 0 ? '' : `What would change it: ${verbs.map(verbWords).join(', ')}.`}
    </p>
  </div>`;
}

/** Instants in the texts are in UTC; here they are converted to the session's zone. */
function withTimes(request: PageRequest, text: string): Html {
  const parts = text.split(/(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z)/);
  return html`${parts.map((part, index) => (index % 2 === 1 ? when(new Date(part), request) : part))}`;
}

/** `setDueDate` in words. */
function verbWords(verb: string): string {
  return verb.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function errorOf(request: PageRequest, { fingerprint, lastErrors = [] }: JobView, error: NonNullable<JobView['error']>): Html {
  return html`<p class="hint">
      ${when(error.at, request)}
      ${fingerprint === undefined ? '' : link(href(['dead-letters', fingerprint]), 'all dead letters with this error')}
    </p>
    ${errorText(error, 'Stack of the last error')}
    ${
      lastErrors.length < 2
        ? ''
        : html`<p class="hint">Errors before it, the newest first:</p>
            <ul>
              ${lastErrors.slice(1).map((one) => pastError(request, one))}
            </ul>`
    }`;
}

function pastError(request: PageRequest, { at, attempt, text }: PastError): Html {
  return html`<li>
    ${attempt === undefined ? '' : `Attempt ${attempt}, `}${when(at, request)}: <span class="error-message">${visible(text)}</span>
  </li>`;
}

interface Life {
  readonly history: JobHistory;
  readonly course: JobTimeline | undefined;
}

/** The page refreshes every few seconds, and the audit is read by the day; an action of this console drops what is remembered. */
const COURSE_MS = 15_000;

async function courseOf({ admin, now }: PageRequest, id: string): Promise<JobTimeline | undefined> {
  return remembered({ owner: admin, key: `${COUNTS}timeline ${id}`, ttlMs: COURSE_MS, now: now() }, async () => admin.timeline(id));
}

function actsOf(course: JobTimeline | undefined): readonly AuditRecord[] {
  return (course?.entries ?? []).flatMap((entry) => (entry.kind === 'act' ? [entry.act] : []));
}

function lifeOf(request: PageRequest, job: JobView, { history: { attempts }, course }: Life): Html {
  const kept = 'History keeps the attempts of jobs at the levels attempts, full and durable.';
  const none = job.attempts === 0 ? 'No handler has run it yet.' : kept;
  return section(
    'life',
    'Timeline',
    html`${timeline(request, withActs(stepsOf(job, attempts), actsOf(course)))}
    ${course?.actsComplete === false ? html`<p class="hint">What operators did more than 31 days ago is in the ${link(href(['audit']), 'audit')} only.</p>` : ''}
    ${attempts.length === 0 && job.state !== 'running' ? html`<p class="hint">${none}</p>` : ''}`,
  );
}

/** What is kept of a job that has ended can be erased. */
function eraseLink({ id, state }: JobView): Html {
  if (state !== 'dead' && state !== 'finished') return html``;
  return html`<p class="hint">${link(href(['erasures'], { id }), 'Erase what is kept of this job')}</p>`;
}

function rawRow({ redact }: PageRequest, { raw, state, readable }: JobView): Html {
  if (raw === undefined) return html``;
  const dead =
    readable === true
      ? 'This version can read it: redrive it.'
      : 'Fix the code that wrote it, enqueue the work again, and delete this row.';
  const what = state === 'dead' ? dead : SET_ASIDE;
  // In an unreadable row, fields to hide cannot be found by name.
  const row =
    redact.length === 0
      ? codeBlock(visible(raw), 'Raw row')
      : html`<p>Its text is hidden: this console hides payload fields, and an unreadable row has no field names.</p>`;
  const body = html`<p class="hint">It could not be read as a job. ${what}</p>
    ${row}`;
  return section('raw', 'The raw row', body);
}

function elsewhere(request: PageRequest, id: string, requestId: string | undefined): Html {
  const query = `fields @timestamp, level, event, message, errorName, @logStream\n| filter jobId = "${id}"\n| sort @timestamp asc`;
  const ofRequest =
    requestId !== undefined && /^[\w-]{1,100}$/.test(requestId)
      ? `fields @timestamp, @message\n| filter @message like "${requestId}"\n| sort @timestamp asc`
      : undefined;
  const body = html`<h3>In the terminal</h3>
    ${command(request, 'explain', id)}
    <h3>Its lines in CloudWatch Logs Insights</h3>
    ${codeBlock(query, 'Query for the job')}
    ${
      ofRequest === undefined
        ? ''
        : html`<h3>Everything of the request that failed last</h3>
            ${codeBlock(ofRequest, 'Query for the request')}`
    }`;
  return section('elsewhere', 'Elsewhere', body);
}

function nowhere(request: PageRequest, id: string, { history, course }: Life): Html {
  const why = 'It was cancelled or deleted, it finished and History no longer keeps it, or it belongs to another deployment.';
  const { attempts } = history;
  const [first] = attempts;
  const acts = actsOf(course);
  if (first === undefined && acts.length === 0) return notFound(id, why);
  const steps = first === undefined ? [] : stepsOf({ createdAt: first.startedAt, state: 'finished' }, attempts);
  return html`${notFound(id, why)} ${section('life', 'What History and audit still have', timeline(request, withActs(steps, acts)))}`;
}

function notFound(id: string, why: string): Html {
  return html`${notice('warn', 'There is no such job here', html`<code>${id.slice(0, 200)}</code>. ${why}`)}
    <p>${link(href(['find'], { q: id.slice(0, 200) }), 'Search for this text')} or go to <a href="/jobs">all jobs</a>.</p>`;
}
