import { html } from 'hono/html';
import { InvalidInputError } from '../../shared/job/errors.ts';
import type { ListedRetention, RetentionPreview } from '../../shared/features/retention/admin/retention-verbs.ts';
import type { Html, Page, PageRequest } from '../page.ts';
import { actionButton } from '../parts/action-button.ts';
import { inTerminal } from '../parts/copy.ts';
import { atLeast, section } from '../parts/facts.ts';
import { emptyState, notice } from '../parts/notices.ts';
import { scopeWords } from '../parts/scope-text.ts';
import { list } from '../parts/table.ts';
import { when } from '../parts/times.ts';

/** The rules for how long dead letters are kept, and what a new one would remove. */
export const retentionPage: Page = { path: '/retention', title: 'Retention', nav: { label: 'Retention', key: 'k' }, render };

async function render(request: PageRequest): Promise<Html> {
  const type = (request.query.get('type') ?? '').trim();
  const days = (request.query.get('days') ?? '').trim();
  const rules = await request.admin.retention();
  return html`${list({
    id: 'retention',
    caption: 'How long dead letters are kept',
    items: rules,
    columns: [
      ['Dead letters of', ({ scope }) => scopeWords(scope)],
      ['Days', ({ days }) => days?.toLocaleString('en') ?? 'unreadable: keeps all', 'number'],
      ['From', ({ from }) => (from === 'setting' ? 'the setting deadLetterDays' : 'an operator')],
      ['Since', (rule) => (rule.from === 'setting' ? '' : when(rule.at, request))],
      ['By', (rule) => (rule.from === 'setting' ? '' : rule.actor)],
      ['Why', (rule) => (rule.from === 'setting' ? '' : (rule.reason ?? ''))],
      ['', (rule) => (rule.from === 'setting' ? '' : clearButton(request, rule)), 'actions'],
    ],
    empty: emptyState('No rule: dead letters are kept forever.', 'Count below what a rule would remove, and set it.'),
  })}
  ${section('new', 'A rule for a type, or for all without one', countForm(type, days))}
  ${days === '' ? '' : await preview(request, type, days)} ${inTerminal(request, ['retention', 'list'])}`;
}

function clearButton(request: PageRequest, { scope }: ListedRetention): Html {
  return actionButton(request, {
    label: 'Clear',
    action: 'retention-clear',
    bulk: true,
    body: { scope },
    confirm: `Takes back the rule for ${scopeWords(scope)}.`,
    fields: [{ name: 'reason', label: 'Why' }],
  });
}

function countForm(type: string, days: string): Html {
  return html`<form class="filters" method="get" action="/retention" aria-label="A rule to count for">
    <div class="filter-row">
      <label>Type<input name="type" value="${type}" autocomplete="off" spellcheck="false" /></label>
      <label>Days<input name="days" value="${days}" inputmode="numeric" required autocomplete="off" /></label>
      <span class="send"><button type="submit">Count</button></span>
    </div>
    <p class="hint">
      An empty type: all types without a rule of their own. Counting writes nothing; it reads DeadLetters, up to 2,000 read units.
    </p>
  </form>`;
}

async function preview(request: PageRequest, type: string, text: string): Promise<Html> {
  const [scope, days] = [type === '' ? 'all' : `type#${type}`, /^\d{1,9}$/.test(text) ? Number(text) : text];
  const counted = await countFor(request, type, days as number);
  if (counted instanceof InvalidInputError) return notice('bad', 'This cannot be counted', counted.message);
  const { removes, noted, oldest, complete } = counted;
  const set = {
    label: 'Set…',
    action: 'retention-set',
    body: { scope, days },
    bulk: true,
    danger: true,
    confirm: `From its next run on the sweeper removes dead letters of ${scopeWords(scope)} that failed more than ${days} days ago, for good.`,
    fields: [{ name: 'reason', label: 'Why' }],
  } as const;
  const body = html`<p>
      ${complete ? removes.toLocaleString('en') : atLeast(removes)} dead
      letters${oldest === undefined ? '' : html`; the oldest failed ${when(oldest, request)}`}.
      ${noted === 0 ? '' : `${noted.toLocaleString('en')} older ones stay: their error group has a note or an owner.`}
    </p>
    <div class="buttons">${actionButton(request, set)}</div>`;
  return section('preview', `A rule of ${text} days for ${scopeWords(scope)} would remove now`, body);
}

async function countFor({ admin }: PageRequest, type: string, days: number): Promise<RetentionPreview | InvalidInputError> {
  try {
    return await admin.previewRetention(type === '' ? 'all' : { type }, days);
  } catch (error) {
    if (error instanceof InvalidInputError) return error;
    throw error;
  }
}
