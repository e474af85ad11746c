import { html } from 'hono/html';
import { ERASED_KINDS, type ErasedKind, type EraseScope, type ErasureReport } from '../../operate/erase/erasure.ts';
import { eraseRunsOf } from '../erase-runs.ts';
import type { Html, Session } from '../page.ts';
import { notice } from './notices.ts';
import { pill } from './pills.ts';
import { table } from './table.ts';
import { plural } from '../../shared/job/plural.ts';

const KINDS = Object.keys(ERASED_KINDS) as ErasedKind[];

/** A scope in words. */
export function scopeText({ id, type, tenant }: EraseScope): string {
  const parts = [
    id === undefined ? [] : `job ${id}`,
    type === undefined ? [] : `type ${type}`,
    tenant === undefined ? [] : `tenant ${tenant}`,
  ];
  return parts.flat().join(', ');
}

/** How many rows it erased. */
export const totalErased = ({ erased }: ErasureReport): number => KINDS.reduce((sum, kind) => sum + erased[kind], 0);

/** Its state. One that runs nowhere in this console may run elsewhere, or its process died. */
export function erasureStatus(session: Session, { id, status }: ErasureReport): Html {
  if (status === 'done') return pill('done', 'good');
  if (status === 'stopped') return pill('stopped', 'warn');
  return eraseRunsOf(session).isHere(id ?? '') ? pill('running', 'busy') : pill('not running here', 'warn');
}

/** What was erased, or would be, by kind. */
export function erasedTable({ erased }: ErasureReport): Html {
  return table({
    id: 'erased',
    caption: 'Rows by kind',
    columns: [{ label: 'Kind' }, { label: 'Rows', kind: 'number' }],
    rows: KINDS.map((kind) => ({ cells: [ERASED_KINDS[kind], erased[kind].toLocaleString('en')] })),
    empty: html``,
  });
}

/** What is not erased, and why. */
export function notErased({ live, cancelled, schedules = 0, failed }: ErasureReport): Html {
  const lines = [
    cancelled === 0 ? [] : `${cancelled.toLocaleString('en')} live ${plural(cancelled, 'job was', 'jobs were')} cancelled.`,
    live === 0
      ? []
      : `${live.toLocaleString('en')} live ${plural(live, 'job has not ended: it is not erased. Cancel it', 'jobs have not ended: they are not erased. Cancel them')}, then erase again.`,
    schedules === 0
      ? []
      : `${schedules.toLocaleString('en')} ${plural(schedules, 'schedule goes on enqueueing such jobs: delete it', 'schedules go on enqueueing such jobs: delete them')}.`,
    failed === 0 ? [] : `${failed.toLocaleString('en')} ${plural(failed, 'row')} failed: erase again.`,
    'Backups and point-in-time recovery keep what is erased here until they expire.',
  ].flat();
  const list = html`<ul>
    ${lines.map((line) => html`<li>${line}</li>`)}
  </ul>`;
  return notice(live + schedules + failed > 0 ? 'warn' : 'plain', 'Not erased', list);
}
