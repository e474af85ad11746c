import type { BackfillOptions, BackfillReport } from '../../shared/features/schedules/admin/backfill.ts';
import { defined } from '../../shared/job/defined.ts';
import { plural } from '../../shared/job/plural.ts';
import { REASON_FLAG } from '../common-flags.ts';
import type { Call } from '../call.ts';
import { commandLine } from '../command-line.ts';
import type { OpenDeployment } from '../deployments/open-deployment.ts';
import { placeInWords, placeOf } from '../deployments/place-of.ts';
import { EXIT, UsageError } from '../exit.ts';
import { counted } from '../jobs/read-jobs.ts';
import { plain } from '../text/plain.ts';
import type { Verb } from '../verb.ts';

/** `nightcrew schedules backfill`: enqueues occurrences of the past. */
export const backfill: Verb = {
  name: 'backfill',
  summary: 'enqueues the occurrences of a past range of which no job is known; without --apply it counts all of the range',
  argument: { text: '<name>', doc: 'name of the schedule' },
  flags: [
    { flags: '--from <time>', doc: 'first nominal time: 2d is two days ago; required' },
    { flags: '--to <time>', doc: 'last nominal time; required' },
    { flags: '--limit <n>', doc: 'occurrences at most, up to 1000; default 1000' },
    { flags: '--rate <n>', doc: 'jobs that become due in a second; default all at once' },
    { flags: '--apply', doc: 'enqueues; default: a dry run, which writes nothing' },
    REASON_FLAG,
    { flags: '--yes', doc: 'does not ask for confirmation, for scripts' },
  ],
  changes: true,
  more: 'An occurrence is known while its job is in any table: finished ones for the days of the history level. Older ones are enqueued once more. Exit code 3: there is no such schedule.',
  run: async (call) => {
    const [name = ''] = call.args;
    const deployment = await call.deployment();
    const options = optionsOf(call);
    const { schedules } = deployment.admin;
    if (!call.on('apply')) return tell(call, { deployment, name, options }, await schedules.backfill(name, options));
    const limit = await confirmed(call, { deployment, name, options });
    const apply = limit === undefined ? {} : { limit, apply: true };
    return tell(call, { deployment, name, options }, await schedules.backfill(name, { ...options, ...apply }));
  },
};

interface Task {
  readonly deployment: OpenDeployment;
  readonly name: string;
  readonly options: BackfillOptions;
}

function optionsOf(call: Call): BackfillOptions {
  const [from, to] = [call.instant('from', 'ago'), call.instant('to', 'ago')];
  if (from === undefined) throw new UsageError('--from is missing: the first nominal time of the range.');
  if (to === undefined) throw new UsageError('--to is missing: the last nominal time of the range.');
  const [limit, ratePerSecond, reason] = [call.whole('limit'), call.number('rate'), call.text('reason')];
  return { from, to, actor: call.actor, ...defined({ limit, ratePerSecond, reason }) };
}

/** The number of occurrences that was confirmed; undefined if there is nothing to enqueue. Throws UsageError unless the number was typed. */
async function confirmed(call: Call, { deployment, name, options }: Task): Promise<number | undefined> {
  const found = await deployment.admin.schedules.backfill(name, options);
  if (found === undefined || found.count === 0) return undefined;
  if (call.on('yes')) return found.count;
  const place = placeInWords(deployment.name, placeOf(deployment.environment));
  const sentence = `${occurrences(name, found)} will be enqueued in ${place}, but for those that are known.`;
  const answer = await call.io.ask(`${sentence} Type the number to go on: `);
  if (answer === undefined) throw new UsageError(`${sentence} There is no terminal to confirm it: use --yes.`);
  if (answer.replace(/[\s,.']/g, '') !== String(found.count)) throw new UsageError('the answer was not that number. Nothing was written.');
  return found.count;
}

function occurrences(name: string, { count, first, last }: BackfillReport): string {
  const range = first === undefined || last === undefined ? '' : ` (${textOf(first)} to ${textOf(last)})`;
  return `${counted(count)} ${plural(count, 'occurrence')} of ${plain(name)}${range}`;
}

/** A time that can be copied into an option. */
const textOf = (at: Date): string => at.toISOString().replace('.000Z', 'Z');

function tell(call: Call, { deployment, name, options }: Task, report: BackfillReport | undefined): number {
  const { show, io } = call;
  if (show.json) show.data(report ?? null);
  else if (report === undefined) show.line(`No schedule ${plain(name)}. Nothing was written.`);
  else {
    if (report.count === 0) show.line(`${occurrences(name, report)} in this range. Nothing was written.`);
    else if (report.applied)
      show.line(`${occurrences(name, report)}: ${counted(report.enqueued)} enqueued, ${counted(report.known)} known and left alone.`);
    else show.line(`Dry run: ${occurrences(name, report)}. Nothing was written; --apply enqueues those of which no job is known.`);
    if (report.undecided !== undefined) {
      show.line(
        `From ${textOf(report.undecided)} on the schedule itself runs what is due, or its missed policy leaves it out: they are not taken.`,
      );
    }
  }
  if (report?.next !== undefined) {
    const [from, to] = [textOf(report.next), textOf(new Date(options.to))];
    const rate = call.text('rate');
    const words = ['--from', from, '--to', to, ...(rate === undefined ? [] : ['--rate', rate]), ...(call.on('apply') ? ['--apply'] : [])];
    io.err(`To continue: ${commandLine(deployment, 'schedules', 'backfill', name, ...words)}\n`);
  }
  return report === undefined ? EXIT.lost : EXIT.done;
}
