import type { BulkAction, BulkOptions, BulkReport } from '../../operate/bulk/bulk-verbs.ts';
import type { JobFilter } from '../../operate/jobs/job-filter.ts';
import { defined } from '../../shared/job/defined.ts';
import type { Call } from '../call.ts';
import { EXIT, UsageError } from '../exit.ts';
import type { OpenDeployment } from '../deployments/open-deployment.ts';
import { placeInWords, placeOf } from '../deployments/place-of.ts';
import { plain } from '../text/plain.ts';
import type { Flag } from '../verb.ts';
import { commandLine } from '../command-line.ts';
import { filterWords } from './filter-flags.ts';
import { type NamedJob, tellNamed } from './named-jobs.ts';
import { progressOn } from './progress.ts';
import { counted } from './read-jobs.ts';
import { sampleLines } from './sample.ts';
import { plural } from '../../shared/job/plural.ts';

/** Options of actions on many jobs. */
export const BULK_FLAGS: readonly Flag[] = [
  { flags: '--dry-run', doc: 'counts the matching jobs, and writes nothing' },
  { flags: '--yes', doc: 'does not ask for confirmation, for scripts' },
  { flags: '--rate <n>', doc: 'jobs per second at most; default as fast as possible' },
  { flags: '--limit <n>', doc: 'maximum number of jobs; default all' },
  { flags: '--reason <text>', doc: 'why, for the audit and for operators; bury, release-group and suspend need it' },
];

/** The action and its jobs. */
export interface BulkTask {
  readonly deployment: OpenDeployment;
  readonly action: BulkAction;
  readonly filter: JobFilter;
  /** As in `1,234 jobs will be ...`. */
  readonly past: string;
  /** The jobs were named by id, so there is nothing to confirm: the number of matching ids, and the other ids. */
  readonly named?: { readonly meant: number; readonly others: readonly NamedJob[] };
}

/** Counts, asks, acts, and reports progress. Without `--yes` and without a terminal nothing is written: exit code 2. */
export async function runBulk(call: Call, task: BulkTask): Promise<number> {
  const { admin } = task.deployment;
  const limit = call.whole('limit');
  const most = limit === undefined ? {} : { limit };
  if (task.named === undefined || call.on('dryRun')) {
    const progress = progressOn(call.io, 'counting');
    const count = await admin
      .bulk(task.action, task.filter, { ...most, dryRun: true, signal: call.io.signal, onProgress: progress.to })
      .finally(progress.end);
    if (call.io.signal.aborted) return EXIT.stopped;
    if (call.on('dryRun') || count.matched === 0) return tellCount(call, task, count);
    const asked = await confirm(call, task, count);
    // Acts on at most the typed number, although more may match by now.
    const bound = asked && count.complete ? { limit: count.matched } : most;
    return act(call, task, { ...bound, total: count.complete ? count.matched : undefined });
  }
  return act(call, task, { ...most, total: undefined });
}

async function act(
  call: Call,
  { deployment, action, filter, named }: BulkTask,
  { limit, total }: { readonly limit?: number; readonly total: number | undefined },
): Promise<number> {
  const { io } = call;
  const [rate, reason] = [call.number('rate'), call.text('reason')];
  const progress = progressOn(io, action.verb, total);
  const options: BulkOptions = {
    actor: call.actor,
    signal: io.signal,
    onProgress: progress.to,
    onBegin: (id) => (io.terminal.err ? io.err(`Bulk action ${plain(id)} starts. Ctrl-C stops it after a page.\n`) : undefined),
    ...defined({ limit, ratePerSecond: rate }),
    ...(call.on('canary') ? { canary: true } : {}),
    ...defined({ reason }),
  };
  const report = await deployment.admin.bulk(action, filter, options).finally(progress.end);
  const told = { deployment, ...defined({ limit, named }) };
  return tellBulk(call, report, told);
}

/** Whether the user was asked; throws UsageError unless the number was typed. */
async function confirm(call: Call, task: BulkTask, count: BulkReport): Promise<boolean> {
  if (call.on('yes')) return false;
  const sentence = sentenceOf(task, count, call.whole('limit'));
  const sample = count.sample === undefined ? [] : sampleLines(count.sample);
  const answer = await call.io.ask([...sample, `${sentence} Type the number to go on: `].join('\n'));
  if (answer === undefined) throw new UsageError(`${sentence} There is no terminal to confirm it: use --yes, or --dry-run to count only.`);
  if (answer.replace(/[\s,.']/g, '') !== String(count.matched))
    throw new UsageError('the answer was not that number. Nothing was written.');
  return true;
}

function sentenceOf({ deployment, filter, past }: BulkTask, { matched, complete }: BulkReport, limit: number | undefined): string {
  const state = typeof filter.state === 'string' ? filter.state : undefined;
  const noun = state === 'dead' ? 'dead letter' : `${state ?? ''} job`.trim();
  const which = plain(filterWords(filter));
  const limited = limit !== undefined && matched >= limit;
  const atLeast = complete || limited ? '' : 'At least ';
  return `${atLeast}${counted(matched)} ${plural(matched, noun)}${which}${limited ? ', no more,' : ''} will be ${past} in ${placeInWords(deployment.name, placeOf(deployment.environment))}.`;
}

function tellCount(call: Call, task: BulkTask, count: BulkReport): number {
  const { others = [] } = task.named ?? {};
  if (call.show.json) call.show.data(others.length === 0 ? count : { ...count, jobs: others });
  else if (count.matched === 0)
    call.show.line(count.complete ? 'Nothing matches.' : 'Nothing matches so far; not everything was looked at.');
  else {
    call.show.line(sentenceOf(task, count, call.whole('limit')).replace(' will be ', ' would be '));
    for (const line of count.sample === undefined ? [] : sampleLines(count.sample)) call.show.line(line);
  }
  if (!call.show.json) tellNamed(call, others);
  return others.length === 0 ? EXIT.done : EXIT.lost;
}

interface ToldBulk extends Pick<BulkTask, 'deployment' | 'named'> {
  /** Jobs at most: one that reached it is done, although more may match. */
  readonly limit?: number;
}

/** Prints the result of a bulk action, and the command that resumes a stopped one. */
export function tellBulk(call: Call, report: BulkReport, { deployment, named, limit = Infinity }: ToldBulk): number {
  const { show, io } = call;
  const { others = [] } = named ?? {};
  if (show.json) show.data(others.length === 0 ? report : { ...report, jobs: others });
  else {
    tellReport(call, report, limit);
    tellNamed(call, others);
  }
  if (report.status === 'running') {
    const { heldUntil } = report;
    const until = heldUntil === undefined ? '' : ` until ${show.time(heldUntil)}; a process that lives holds it longer each time`;
    io.err(`Another process holds it${until}. Nothing was done here. If that process has crashed, resume it then.\n`);
  }
  if (report.id !== undefined && (report.status === 'stopped' || report.status === 'running')) {
    const rate = call.text('rate');
    const words = ['bulks', 'resume', report.id, ...(rate === undefined ? [] : ['--rate', rate])];
    io.err(`To continue: ${commandLine(deployment, ...words)}\n`);
  }
  if (report.status === 'running') return EXIT.lost;
  if (report.status === 'stopped') return EXIT.stopped;
  if (report.status === 'canary-failed' || report.failed > 0) return EXIT.failed;
  // Named jobs must all succeed; a filter succeeds with what it finds, unless it did nothing.
  if (named !== undefined) return others.length > 0 || report.done < named.meant ? EXIT.lost : EXIT.done;
  return report.matched > 0 && report.done === 0 && Object.keys(report.leftAlone).length > 0 ? EXIT.lost : EXIT.done;
}

function tellReport({ show }: Call, report: BulkReport, limit: number): void {
  show.line(
    `${show.paint('strong', report.status)}: ${counted(report.done)} done of ${counted(report.matched)} matched, ${counted(report.failed)} failed.`,
  );
  for (const [why, count] of Object.entries(report.leftAlone)) show.line(`  left alone, ${plain(why)}: ${counted(count)}`);
  for (const { id, error } of report.failures) show.line(show.paint('bad', `  ${plain(id)}  ${plain(error)}`));
  if (report.canary !== undefined) show.line(`  canary ${plain(report.canary.id)}: ${plain(report.canary.outcome)}`);
  if (!report.complete && report.status !== 'stopped' && report.matched < limit) {
    show.line(show.paint('warn', '  Not everything was looked at.'));
  }
}
