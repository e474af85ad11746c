import { html } from 'hono/html';
import type { AuditRecord } from '../../shared/features/audit/admin/audit-log.ts';
import type { Html } from '../page.ts';

const SHOWN = new Set(['verb', 'actor', 'at', 'jobId', 'reason']);

/** The fields of an audit row other than actor, verb, time and reason. */
export function auditFields(record: AuditRecord): Html {
  const more = Object.entries(record).filter(
    ([name, value]) => !SHOWN.has(name) && value !== undefined && !(name === 'scope' && record.jobId === undefined),
  );
  return html`${more.map(([name, value]) => html`<span class="field">${name}: ${typeof value === 'object' ? JSON.stringify(value) : String(value)}</span> `)}`;
}
