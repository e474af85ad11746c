import type { JobPage } from '../../operate/jobs/read-verbs.ts';
import type { JobView } from '../../operate/jobs/job-view.ts';
import type { Show } from '../show.ts';
import { STATE_STYLE } from '../text/style.ts';
import type { Cell, Column, Sheet } from '../text/table.ts';

interface JobColumn extends Column {
  /** Left out of a list in which no job has a value for it. */
  readonly optional?: true;
  cell(job: JobView, show: Show): Cell;
}

const COLUMNS: readonly JobColumn[] = [
  { head: 'ID', cell: ({ id }) => id },
  { head: 'STATE', cell: ({ state }) => ({ text: state, style: STATE_STYLE[state] }) },
  { head: 'TYPE', gives: true, cell: ({ type }) => type },
  { head: 'WHEN', cell: (job, show) => whenText(job, show) },
  { head: 'TRIES', right: true, drops: 3, cell: ({ attempts }) => String(attempts) },
  { head: 'TENANT', gives: true, optional: true, drops: 4, cell: ({ tenant }) => tenant ?? '' },
  { head: 'GROUP', gives: true, optional: true, drops: 5, cell: ({ group }) => group ?? '' },
  { head: 'WHY', gives: true, optional: true, drops: 1, cell: (job) => whyText(job) },
];

/** A page of jobs as a table, with its access path and the command for the next page; `all`: the pages that share its columns. */
export function jobSheet(page: JobPage, show: Show, all: readonly JobPage[] = [page]): Sheet {
  const columns = COLUMNS.filter(
    (column) => column.optional !== true || all.some(({ jobs }) => jobs.some((job) => column.cell(job, show) !== '')),
  );
  const more = page.next === undefined ? '' : ` More: --after ${page.next}`;
  // Columns with one common value are dropped first.
  const isSame = new Set(all.flatMap(({ jobs }) => jobs.map(({ state }) => state))).size < 2;
  return {
    columns: columns.map((column) => (column.head === 'STATE' && isSame ? { ...column, drops: 9 } : column)),
    rows: page.jobs.map((job) => columns.map((column) => column.cell(job, show))),
    empty: page.next === undefined ? 'No job matches.' : 'Nothing so far; not everything was looked at.',
    notes: [`${page.jobs.length} shown, ${page.servedBy}, ${page.readUnits} read units.${more}`],
  };
}

/** The time that the state is about. */
function whenText(job: JobView, show: Show): string {
  const at = (name: string, date: Date | undefined): string => (date === undefined ? '' : `${name} ${show.age(date)}`);
  switch (job.state) {
    case 'waiting':
    case 'ready':
      return at('due', job.dueAt);
    case 'parked':
      return at('parked', job.parkedAt);
    case 'running':
      return at('lease ends', job.lockExpiresAt);
    case 'suspended':
      return at('suspended', job.suspendedAt);
    case 'dead':
      return at('failed', job.failedAt);
    case 'finished':
      return at(job.outcome ?? 'finished', job.finishedAt);
  }
}

function whyText({ state, cause, reason, error, limit }: JobView): string {
  const said = error === undefined ? undefined : `${error.name}: ${error.message}`;
  return [cause ?? limit ?? (state === 'parked' ? 'order of its group' : undefined), reason, said]
    .filter((one) => one !== undefined)
    .join(' · ');
}
