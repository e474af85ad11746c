import { html } from 'hono/html';
import { WHY } from '../jobs/verb-fields.ts';
import type { AskedField } from '../../operate/verbs/verb.ts';
import type { ListedPriority } from '../../shared/features/rules/admin/rule-verbs.ts';
import type { Html, Session } from '../page.ts';
import { actionButton } from './action-button.ts';
import { section } from './facts.ts';
import { emptyState } from './notices.ts';
import { scopeWords } from './scope-text.ts';
import { list, type ListColumn } from './table.ts';
import { when } from './times.ts';

const PRIORITY = { name: 'priority', label: 'Priority', kind: 'number', required: true, hint: 'Higher is more urgent.' } as const;
const CASCADE = { name: 'cascade', label: 'Also jobs that exist already', kind: 'flag' } as const;
const DEFAULT = { name: 'default', label: 'As the default: only jobs that have none from their options or type', kind: 'flag' } as const;

/** The priorities that operators have set for types and tenants, and buttons that change them. */
export function prioritySection(session: Session, priorities: readonly ListedPriority[]): Html {
  const listed = list({
    id: 'priorities',
    caption: 'Priorities of types and tenants',
    items: priorities,
    columns: [
      ['Jobs of', ({ scope }) => scopeWords(scope)],
      ['Priority', ({ priority }) => priority, 'number'],
      ['For', (one) => `${one.cascade ? 'all jobs' : 'jobs created since'}${one.default ? ', as the default' : ''}`],
      ['Since', ({ at }) => when(at, session)],
      ['By', ({ actor }) => actor],
      ['', (one) => changeButtons(session, one), 'actions'],
    ],
    empty: emptyState('No priority is set at run time.', 'Jobs have that of their options, their type or their worker.'),
  });
  const ofType = button(session, 'Override a type', {}, [{ name: 'type', label: 'Type', required: true }, PRIORITY, CASCADE, WHY]);
  const ofTenant = button(session, 'Override a tenant', {}, [
    { name: 'tenant', label: 'Tenant', required: true },
    PRIORITY,
    DEFAULT,
    CASCADE,
    WHY,
  ]);
  const body = html`${listed}
    <div class="buttons">${ofType} ${ofTenant}</div>`;
  return section('priority-rows', 'Priorities at run time', body);
}

/** Columns of a list of types: the priority that operators gave each, and the button that does it. */
export function priorityColumns(session: Session, priorities: readonly ListedPriority[]): readonly ListColumn<{ readonly type: string }>[] {
  const given = new Map(priorities.map(({ scope, priority }) => [scope, priority]));
  return [
    ['Priority set', ({ type }) => given.get(`type#${type}`), 'number'],
    ['', ({ type }) => button(session, 'Override priority', { scope: `type#${type}` }, [PRIORITY, CASCADE, WHY]), 'actions'],
  ];
}

function changeButtons(session: Session, one: ListedPriority): Html {
  const body = { scope: one.scope, default: one.default };
  const fields = [{ ...PRIORITY, value: `${one.priority}` }, { ...CASCADE, value: `${one.cascade}` }, WHY];
  const clear = actionButton(session, {
    label: 'Clear…',
    action: 'priority-clear',
    bulk: true,
    body,
    confirm: `Takes back the priority of ${scopeWords(one.scope)}. Jobs that it moved to another lane stay there.`,
    fields: [WHY],
  });
  return html`${button(session, 'Change', body, fields)} ${clear}`;
}

function button(session: Session, label: string, body: { readonly scope?: string }, fields: readonly AskedField[]): Html {
  const jobs = body.scope === undefined ? 'Its jobs' : `Jobs of ${scopeWords(body.scope)}`;
  return actionButton(session, {
    label: `${label}…`,
    action: 'priority-override',
    bulk: true,
    body,
    confirm: `${jobs} get this priority when an executor receives them: those created from now on, and on request those that exist. One whose own priority an operator set keeps it.`,
    fields,
  });
}
