import { html } from 'hono/html';
import { InvalidInputError } from '../../shared/job/errors.ts';
import { plural } from '../../shared/job/plural.ts';
import type { BackfillReport } from '../../shared/features/schedules/admin/backfill.ts';
import type { Html, PageRequest } from '../page.ts';
import { actionButton } from './action-button.ts';
import { section } from './facts.ts';
import { href } from './links.ts';
import { notice } from './notices.ts';
import { when } from './times.ts';

/** The form that counts the occurrences of a past range, and what it counted for the range in the address. */
export async function backfillSection(request: PageRequest, name: string): Promise<Html> {
  const [from, to] = [request.query.get('from') ?? '', request.query.get('to') ?? ''].map((text) => text.trim()) as [string, string];
  return section(
    'backfill',
    'Backfill',
    html`<form class="filters" method="get" action="${href(['schedules', name])}" aria-label="A range to count">
        <div class="filter-row">
          <label>From<input name="from" value="${from}" required placeholder="2026-01-01T00:00:00Z" autocomplete="off" /></label>
          <label>To<input name="to" value="${to}" required placeholder="2026-01-31T23:59:59Z" autocomplete="off" /></label>
          <span class="send"><button type="submit">Count</button></span>
        </div>
        <p class="hint">Enqueues the occurrences of a past range of which no job is known. Counting writes nothing.</p>
      </form>
      ${from === '' || to === '' ? '' : await counted(request, { name, from, to })}`,
  );
}

interface Range {
  readonly name: string;
  readonly from: string;
  readonly to: string;
}

async function counted(request: PageRequest, range: Range): Promise<Html> {
  const report = await count(request, range);
  if (report instanceof InvalidInputError) return notice('bad', 'This cannot be counted', report.message);
  const { count: found = 0, first, last, next, undecided } = report ?? {};
  const left =
    undecided === undefined
      ? ''
      : html`<p>From ${when(undecided, request)} on the schedule itself runs what is due, or leaves it out: they are not taken.</p>`;
  if (found === 0)
    return html`<p>No occurrence in this range.</p>
      ${left}`;
  const occurrences = `${found.toLocaleString('en')} ${plural(found, 'occurrence')}`;
  const button = actionButton(request, {
    label: 'Backfill…',
    action: 'schedule-backfill',
    body: { ...range, limit: found },
    bulk: true,
    confirm: `Enqueues ${occurrences} of ${range.name}, but for those of which a job is known. They may run concurrently, with each other and with jobs of the schedule.`,
    fields: [
      { name: 'ratePerSecond', label: 'Jobs a second', hint: 'Such as 0.5. Empty: all are due at once.' },
      { name: 'reason', label: 'Why' },
    ],
  });
  return html`<p>
      ${occurrences}, from ${when(first, request)} to ${when(last, request)}.
      ${next === undefined ? '' : html`There are more: continue from ${when(next, request)}.`}
    </p>
    ${left}
    <div class="buttons">${button}</div>`;
}

async function count({ admin }: PageRequest, { name, from, to }: Range): Promise<BackfillReport | InvalidInputError | undefined> {
  try {
    return await admin.schedules.backfill(name, { from, to });
  } catch (error) {
    if (error instanceof InvalidInputError) return error;
    throw error;
  }
}
