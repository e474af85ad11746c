import { html } from 'hono/html';
import { paramsOfFilter } from '../../operate/jobs/filter-params.ts';
import type { JobFilter } from '../../operate/jobs/job-filter.ts';
import type { Html, Session } from '../page.ts';
import { actionButton } from '../parts/action-button.ts';
import { type BulkChoice, bulkChoicesFor } from './bulk-choices.ts';
import { filterWords } from './job-query.ts';

/** Which table, how many rows it shows, and whether there may be more that match: a page may be empty and not the last. */
interface Shown {
  readonly table: string;
  readonly rows: number;
  readonly more: boolean;
}

/** Actions on selected rows, and on all jobs of a filter: the exact count is shown before anything is done. */
export function bulkToolbar(session: Session, filter: JobFilter, { table, rows, more }: Shown): Html {
  const choices = bulkChoicesFor(filter.state);
  if (choices.length === 0 || (rows === 0 && !more && session.write)) return html``;
  if (!session.write) return html`<p class="hint">Read-only: start the console with <code>--write</code> to act on these.</p>`;
  return html`<div class="acting">
    ${
      rows === 0
        ? ''
        : html`<details id="chosen-actions">
            <summary>Act on the chosen rows</summary>
            <div class="buttons">${choices.map((choice) => bulkButton(session, choice, { filter, table }))}</div>
          </details>`
    }
    <details id="all-actions">
      <summary>Act on everything that matches</summary>
      <p class="hint">${filterWords(filter, session.zone)}. Not only this page: their number is counted and shown first.</p>
      <div class="buttons">${choices.map((choice) => bulkButton(session, choice, { filter }))}</div>
    </details>
  </div>`;
}

/** One verb for everything that a filter means, or with `table` for its chosen rows. */
export function bulkButton(session: Session, choice: BulkChoice, on: { readonly filter: JobFilter; readonly table?: string }): Html {
  const { verb, label, danger, fields, preview } = choice;
  const { table } = on;
  return actionButton(session, {
    label: `${label}…`,
    action: 'bulk',
    danger,
    bulk: true,
    dryRun: true,
    preview,
    body: { verb, query: paramsOfFilter(on.filter).toString() },
    fields,
    ...(table === undefined ? {} : { selectedOf: table, confirm: `The chosen jobs, as far as they are ${choice.states.join(', ')}.` }),
  });
}
