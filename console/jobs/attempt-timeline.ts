import { html } from 'hono/html';
import type { JobView } from '../../operate/jobs/job-view.ts';
import type { AuditRecord } from '../../shared/features/audit/admin/audit-log.ts';
import type { AttemptOutcome } from '../../shared/job/attempt.ts';
import { type AttemptGap, gapBefore, gapName, gapText } from '../../shared/features/history/model/attempt-gaps.ts';
import type { ShownError } from '../../shared/job/shown-error.ts';
import type { AttemptEntry } from '../../shared/features/history/model/history-entry.ts';
import type { Html, Session } from '../page.ts';
import { codeBlock } from '../parts/copy.ts';
import { pill, type Tone } from '../parts/pills.ts';
import { duration, when } from '../parts/times.ts';
import { hiddenJson } from './payload-text.ts';
import { visible } from './visible-text.ts';
import { plural } from '../../shared/job/plural.ts';

/** One step of a job's life: a run of its handler, or a wait between two. */
export type Step =
  | { readonly kind: 'created'; readonly at: Date }
  | { readonly kind: 'waited'; readonly forMs: number; readonly why: string }
  | { readonly kind: 'ran'; readonly attempt: AttemptEntry }
  | { readonly kind: 'unknown'; readonly gap: AttemptGap; readonly withinMs: number }
  | { readonly kind: 'runs'; readonly attempt: number; readonly owner: string }
  | { readonly kind: 'acted'; readonly act: AuditRecord }
  | { readonly kind: 'ended'; readonly at: Date; readonly as: string };

const WHY: Readonly<Partial<Record<AttemptOutcome, string>>> = {
  retried: 'Waited for its retry',
  snoozed: 'Snoozed',
  continued: 'Waited to continue',
  'given-back': 'Waited for another executor',
  'lost-lease': 'Waited after it had lost its lease',
  unrecorded: 'Waited until its lease had ended',
  'dead-lettered': 'Was a dead letter',
};

/**
 * The steps in order. A snooze is a separate step, and so are attempts without a record: they replace the wait. Clocks of executors differ, so a next start may come before the end of the attempt
 * before it: then there is no wait between them, never a negative one.
 */
export function stepsOf(
  job: Pick<JobView, 'createdAt' | 'state'> &
    Partial<Pick<JobView, 'attempts' | 'lockOwner' | 'outcome' | 'finishedAt' | 'failedAt' | 'reason'>>,
  attempts: readonly AttemptEntry[],
): readonly Step[] {
  const steps: Step[] = [{ kind: 'created', at: job.createdAt }];
  let before: { readonly at: number; readonly why: string; readonly ran?: AttemptEntry } = {
    at: job.createdAt.getTime(),
    why: 'Waited for its time and its turn',
  };
  for (const attempt of attempts.toSorted((a, b) => a.startedAt.getTime() - b.startedAt.getTime())) {
    const forMs = attempt.startedAt.getTime() - before.at;
    const gap = gapBefore(attempt, before.ran);
    if (gap !== undefined) steps.push({ kind: 'unknown', gap, withinMs: Math.max(0, forMs) });
    else if (forMs > 0) steps.push({ kind: 'waited', forMs, why: before.why });
    steps.push({ kind: 'ran', attempt });
    before = { at: Math.max(attempt.endedAt.getTime(), attempt.startedAt.getTime()), why: WHY[attempt.outcome] ?? 'Waited', ran: attempt };
  }
  const { state, finishedAt, failedAt, outcome, reason, attempts: number = 1, lockOwner = 'an executor' } = job;
  if (state === 'running') steps.push({ kind: 'runs', attempt: number, owner: lockOwner });
  if (finishedAt !== undefined) steps.push({ kind: 'ended', at: finishedAt, as: outcome ?? 'finished' });
  else if (failedAt !== undefined) steps.push({ kind: 'ended', at: failedAt, as: `dead: ${reason ?? 'gave up'}` });
  return steps;
}

/**
 * Merges the acts of operators into the steps: each before the first run or end that came after it, behind the wait that it ended. A run in
 * progress has no start, so acts during it stand before it.
 */
export function withActs(steps: readonly Step[], acts: readonly AuditRecord[]): readonly Step[] {
  const left = acts.toSorted((a, b) => a.at.getTime() - b.at.getTime());
  const all: Step[] = [];
  for (const step of steps) {
    const until = timeOf(step);
    const later = left.findIndex(({ at }) => at.getTime() > until);
    const done = left.splice(0, later < 0 ? left.length : later);
    all.push(...done.map((act): Step => ({ kind: 'acted', act })), step);
  }
  return [...all, ...left.map((act): Step => ({ kind: 'acted', act }))];
}

/** When a run began or a job ended; all acts come before a run that is still going on, and after what has no time of its own. */
function timeOf(step: Step): number {
  if (step.kind === 'runs') return Infinity;
  return step.kind === 'ran' ? step.attempt.startedAt.getTime() : step.kind === 'ended' ? step.at.getTime() : -Infinity;
}

/** The colours of outcomes. */
export const OUTCOME_TONES: Readonly<Partial<Record<AttemptOutcome, Tone>>> = {
  completed: 'good',
  retried: 'warn',
  snoozed: 'plain',
  continued: 'busy',
  'dead-lettered': 'bad',
  'lost-lease': 'bad',
  unrecorded: 'bad',
};

/** The steps as a list. */
export function timeline(session: Session, steps: readonly Step[]): Html {
  return html`<ol class="timeline">
    ${steps.map((step) => html`<li class="${step.kind}">${stepOf(session, step)}</li>`)}
  </ol>`;
}

function stepOf(session: Session, step: Step): Html {
  switch (step.kind) {
    case 'created':
      return html`Created ${when(step.at, session)}`;
    case 'waited':
      return html`<span class="hint">${step.why}, ${duration(step.forMs)}</span>`;
    case 'unknown':
      return html`<strong>${capitalized(gapName(step.gap))}</strong> ${pill('no record', 'bad')}
        <span class="hint">within ${duration(step.withinMs)}; ${gapText(step.gap)}</span>`;
    case 'ended':
      return html`<strong>Ended as ${step.as}</strong> ${when(step.at, session)}`;
    case 'acted':
      return acted(session, step.act);
    case 'runs':
      return html`<strong>Attempt ${step.attempt}</strong> ${pill('runs', 'busy')}
        <span class="hint">held by <code>${step.owner}</code></span>`;
    case 'ran':
      return ran(session, step.attempt);
    default:
      return html``;
  }
}

/** What an operator did, with the words that were given. */
function acted(session: Session, { at, actor, verb, reason, detail }: AuditRecord): Html {
  return html`<strong>${visible(capitalized(verb.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)))}</strong> by
    ${visible(actor)} ${when(at, session)}
    <span class="hint">${visible([detail, reason].filter((one) => one !== undefined).join(', '))}</span>`;
}

const capitalized = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

function ran(session: Session, attempt: AttemptEntry): Html {
  const { startedAt, endedAt, outcome, reason, requestId, version, error, log } = attempt;
  const took = Math.max(0, endedAt.getTime() - startedAt.getTime());
  return html`<div class="attempt-head">
      <strong>Attempt ${attempt.attempt}</strong> ${pill(outcome, OUTCOME_TONES[outcome] ?? 'plain')} <span>${reason ?? ''}</span>
      <span>${when(startedAt, session)}, took ${duration(took)}</span>
    </div>
    <div class="hint">request <code>${requestId}</code>${version === undefined ? '' : html`, version <code>${version}</code>`}</div>
    ${error === undefined ? '' : errorText(error, `Stack of attempt ${attempt.attempt}`)}
    ${
      log === undefined || log.length === 0
        ? ''
        : html`<details id="log-${attempt.attempt}-${startedAt.getTime()}">
            <summary>Log, ${log.length} ${plural(log.length, 'line')}</summary>
            <pre tabindex="0">${visible(log.map((line) => logLine(line, session.redact)).join('\n'))}</pre>
          </details>`
    }`;
}

/** An error with its stack folded; `label` names the stack. */
export function errorText({ name, message, stack }: ShownError, label: string): Html {
  return html`<div class="error-block">
    <p><strong>${visible(name)}</strong> <span class="error-message">${visible(message)}</span></p>
    ${
      stack === undefined
        ? ''
        : html`<details>
            <summary>Stack</summary>
            ${codeBlock(visible(stack), label)}
          </details>`
    }
  </div>`;
}

const plain = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** A line logged by the handler; anything else is shown as stored. */
function logLine(line: unknown, redact: readonly string[]): string {
  if (typeof line !== 'object' || line === null) return String(line);
  const { at, level, message, fields, missing } = line as Readonly<Record<string, unknown>>;
  if (missing !== undefined) return `(${JSON.stringify(missing)} more lines had no room)`;
  const more = fields === undefined ? '' : ` ${hiddenJson(fields, redact)}`;
  return `${plain(at)} ${plain(level)} ${plain(message)}${more}`;
}
