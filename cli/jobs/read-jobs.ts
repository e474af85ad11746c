import type { Admin } from '../../operate/admin.ts';
import { checkFilter } from '../../operate/jobs/check-filter.ts';
import { type JobFilter, LIST_ORDERS, type ListOptions } from '../../operate/jobs/job-filter.ts';
import type { JobCounts, JobPage } from '../../operate/jobs/read-verbs.ts';
import { defined } from '../../shared/job/defined.ts';
import { checkJobId } from '../../shared/job/job-id.ts';
import type { JobState } from '../../shared/job/job.ts';
import { type Call } from '../call.ts';
import { EXIT, UsageError } from '../exit.ts';
import { askEach, showList } from '../each-deployment.ts';
import type { Sheet } from '../text/table.ts';
import type { Flag, Verb } from '../verb.ts';
import { filterFlags, filterOf, REASON_IS_NO_FILTER, STATES } from './filter-flags.ts';
import { jobSheet } from './job-sheet.ts';

/** Options of lists of jobs. */
export const LIST_FLAGS: readonly Flag[] = [
  {
    flags: '--order <order>',
    doc: 'where keys give it: soonest-first or latest-first for waiting jobs, newest-first or oldest-first for dead letters, a named cause and finished jobs',
    choices: LIST_ORDERS,
  },
  { flags: '--limit <n>', doc: 'jobs in a page, at most 1000; default 100, with --all 1000' },
  { flags: '--after <cursor>', doc: 'continues after an earlier page: the value of its `next`' },
  { flags: '--all', doc: 'continues until everything was read, or Ctrl-C' },
  { flags: '--max-read-units <n>', doc: 'read units after which a page ends, even if it is not full; default 1000' },
];
const MAX_PAGE = 1_000;

/** `list`: jobs that match, in one state or in several. */
export function listVerb(state?: JobState): Verb {
  return {
    name: 'list',
    byDefault: true,
    summary: state === undefined ? 'matching jobs in every state except finished, unless --state or --outcome is given' : 'matching jobs',
    flags: [...filterFlags(state), ...LIST_FLAGS],
    refused: REASON_IS_NO_FILTER,
    run: async (call) => {
      const options = listOptions(call, filterOf(call, state));
      // A cursor belongs to the deployment that gave it.
      if (options.after !== undefined) await call.deployment();
      const read = async ({ admin }: { readonly admin: Admin }): Promise<JobPage> =>
        call.on('all') ? everyPage(call, admin, options) : admin.list(options);
      const pages: JobPage[] = [];
      const code = await showList(
        call,
        async (deployment) => {
          const page = await read(deployment);
          pages.push(page);
          return page;
        },
        (page, all) => jobSheet(page, call.show, all),
      );
      return call.on('all') ? endOf(call, pages, code) : code;
    },
  };
}

function listOptions(call: Call, filter: JobFilter): ListOptions {
  const given = {
    order: call.text('order'),
    limit: call.whole('limit'),
    after: call.text('after'),
    maxReadUnits: call.whole('maxReadUnits'),
  };
  return { ...filter, ...(defined(given) as Partial<ListOptions>) };
}

async function everyPage(call: Call, admin: Admin, options: ListOptions): Promise<JobPage> {
  let page = await admin.list({ limit: MAX_PAGE, ...options });
  const jobs = [...page.jobs];
  let { readUnits } = page;
  while (page.next !== undefined && !call.io.signal.aborted) {
    page = await admin.list({ limit: MAX_PAGE, ...options, after: page.next });
    for (const job of page.jobs) jobs.push(job);
    readUnits += page.readUnits;
  }
  return { ...page, jobs, readUnits };
}

/** Ctrl-C stopped it after a page: the list is incomplete, and prints the command that continues. */
function endOf(call: Call, pages: readonly JobPage[], code: number): number {
  const cursors = pages.flatMap(({ next }) => next ?? []);
  for (const next of cursors) call.io.err(`Not everything was listed. Continue with --after ${next}\n`);
  return cursors.length > 0 ? EXIT.stopped : code;
}

/** `count`: how many match, by state. */
export function countVerb(state?: JobState): Verb {
  return {
    name: 'count',
    summary: 'the number of matching jobs by state; reads them, so it costs read units',
    flags: [
      ...filterFlags(state),
      { flags: '--max-read-units <n>', doc: 'read units after which counting ends; default 10000' },
      { flags: '--sum', doc: 'the sum of several deployments' },
    ],
    refused: REASON_IS_NO_FILTER,
    run: async (call) => {
      const most = call.whole('maxReadUnits');
      const filter = { ...filterOf(call, state), ...defined({ maxReadUnits: most }) };
      const read = async ({ admin }: { readonly admin: Admin }): Promise<JobCounts> => admin.count(filter);
      if (call.on('sum')) return showSum(call, read, filter);
      return showList(call, read, (counts, all) => countSheet(counts, filter, all));
    },
  };
}

async function showSum(
  call: Call,
  read: (deployment: { readonly admin: Admin }) => Promise<JobCounts>,
  filter: JobFilter,
): Promise<number> {
  const { answers, code } = await askEach(call, read);
  const values = answers.map(({ value }) => value);
  const sumOf = (name: 'total' | 'readUnits' | JobState): number => values.reduce((sum, value) => sum + value[name], 0);
  const sum = {
    ...Object.fromEntries(STATES.map((one) => [one, sumOf(one)])),
    total: sumOf('total'),
    complete: code === EXIT.done && values.every(({ complete }) => complete),
    readUnits: sumOf('readUnits'),
  } as unknown as JobCounts;
  if (call.show.json) call.show.data(sum);
  else call.show.sheet(countSheet(sum, filter));
  return code;
}

/** Only the states that were looked at: a zero for another would be no answer. */
function countSheet(
  counts: JobCounts,
  filter: JobFilter & { readonly maxReadUnits?: number },
  all: readonly JobCounts[] = [counts],
): Sheet {
  const { states: asked } = checkFilter(filter, ['maxReadUnits']);
  const states = STATES.filter((one) => asked.includes(one) || all.some((each) => each[one] > 0));
  const least = counts.complete ? '' : '≥ ';
  return {
    columns: [...states.map((one) => ({ head: one.toUpperCase(), right: true as const })), { head: 'TOTAL', right: true as const }],
    rows: [[...states.map((one) => counted(counts[one])), `${least}${counted(counts.total)}`]],
    empty: 'Nothing.',
    notes: counts.complete
      ? []
      : [`The read units ended (${counts.readUnits}) before the tables: there may be more. Use --max-read-units.`],
  };
}

/** A number as people read it: `1,234`. */
export function counted(count: number): string {
  return count.toLocaleString('en-US');
}

/** The ids of a call, if any, all checked before the first is touched; throws UsageError if a filter was given too. */
export function idsOf(call: Call, filterSays: boolean): readonly string[] | undefined {
  if (call.args.length === 0) return undefined;
  if (filterSays) throw new UsageError('give ids or a filter, not both.');
  return [...new Set(call.args.map((id) => checkJobId(id)))];
}
