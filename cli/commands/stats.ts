import type { MinuteStatistics } from '../../shared/features/statistics/admin/statistics.ts';
import { defined } from '../../shared/core/defined.ts';
import type { Call } from '../call.ts';
import { UsageError } from '../exit.ts';
import { askEach, showList } from '../each-deployment.ts';
import { counted } from '../jobs/read-jobs.ts';
import { every, type Span, spansOf, sumSpans } from '../stats/spans.ts';
import type { Show } from '../show.ts';
import { lengthText, wallText } from '../text/time.ts';
import type { Sheet } from '../text/table.ts';
import { verbCommand } from '../verb-command.ts';
import type { Verb } from '../verb.ts';

const throughput: Verb = {
  name: 'throughput',
  byDefault: true,
  summary: 'what happened in the last hour: started, completed, retried, dead, delays',
  flags: [
    { flags: '--from <time>', doc: 'start: 2h is two hours ago; default an hour ago; 8 days are kept' },
    { flags: '--to <time>', doc: 'end; default now' },
    { flags: '--worker <worker>', doc: 'of one worker' },
    {
      flags: '--by <span>',
      doc: 'one line for each; default: minute up to three hours, hour up to four days, day',
      choices: ['minute', 'hour', 'day'],
    },
    { flags: '--sum', doc: 'the sum of several deployments' },
  ],
  run: async (call) => {
    const [from, to] = [call.instant('from', 'ago') ?? call.io.now() - every('hour'), call.instant('to', 'ago') ?? call.io.now()];
    if (to <= from) throw new UsageError('--to must be later than --from.');
    const worker = call.text('worker');
    const options = { from: new Date(from), to: new Date(to), ...defined({ worker }) };
    const span =
      (call.text('by') as Span | undefined) ?? (to - from <= 3 * every('hour') ? 'minute' : to - from <= 4 * every('day') ? 'hour' : 'day');
    const shape = (minutes: readonly MinuteStatistics[]): readonly MinuteStatistics[] => spansOf(minutes, span);
    if (call.on('sum')) return showSummed(call, async ({ admin }) => shape(await admin.statistics(options)));
    return showList(
      call,
      async ({ admin }) => ({ spans: shape(await admin.statistics(options)) }),
      ({ spans }, all) =>
        statisticsSheet(
          spans,
          call.show,
          all.flatMap((one) => one.spans),
        ),
    );
  },
};

async function showSummed(call: Call, read: Parameters<typeof askEach<readonly MinuteStatistics[]>>[1]): Promise<number> {
  const { answers, code } = await askEach(call, read);
  const sum = sumSpans(answers.flatMap(({ value }) => value));
  if (call.show.json) call.show.data({ spans: sum });
  else call.show.sheet(statisticsSheet(sum, call.show));
  return code;
}

const COUNTS = ['started', 'completed', 'retried', 'dead', 'cancelled', 'snoozed', 'crashed', 'fired'] as const;

/** Left out of a narrow terminal: they say little about how it goes. */
const RARE: ReadonlySet<string> = new Set(['cancelled', 'snoozed', 'fired']);

/** `all`: the spans that share its columns. */
function statisticsSheet(spans: readonly MinuteStatistics[], show: Show, all = spans): Sheet {
  const shown = COUNTS.filter((name) => name === 'started' || name === 'completed' || name === 'dead' || all.some((one) => one[name] > 0));
  return {
    columns: [
      { head: `FROM (${show.zone})` },
      ...shown.map((name) => ({ head: name.toUpperCase(), right: true as const, drops: RARE.has(name) ? 2 : 0 })),
      ...['DELAY P50', 'P95', 'MAX', 'RUN'].map((head) => ({
        head,
        right: true as const,
        drops: head === 'RUN' ? 4 : head === 'MAX' ? 3 : 0,
      })),
    ],
    rows: spans.map((one) => [
      wallText(one.at.getTime(), show.zone).slice(0, 16),
      ...shown.map((name) => ({
        text: counted(one[name]),
        style: (name === 'dead' || name === 'crashed') && one[name] > 0 ? ('bad' as const) : ('strong' as const),
      })),
      ...[one.delayMs?.p50, one.delayMs?.p95, one.delayMs?.max, one.runMs].map((ms) => (ms === undefined ? '' : lengthText(ms))),
    ]),
    empty: 'There are no events, or statistics are off.',
  };
}

const heartbeats: Verb = {
  name: 'heartbeats',
  summary: 'when acquirers and sweeper last finished a run, and what they reported',
  run: async (call) =>
    showList(
      call,
      async ({ admin }) => ({ heartbeats: await admin.heartbeats() }),
      (found) => ({
        columns: [{ head: 'WHO' }, { head: 'LAST RUN' }, { head: 'REPORTED', gives: true }],
        rows: found.heartbeats.map(({ who, at, late, report }) => [
          who,
          { text: `${call.show.age(at)}${late ? ' (late)' : ''}`, style: late ? 'bad' : 'good' },
          Object.entries(report)
            .toSorted(([a], [b]) => (a < b ? -1 : 1))
            .map(([name, value]) => `${name} ${String(value)}`)
            .join(', '),
        ]),
        empty: 'No ticks yet: is the deployment active? See nightcrew doctor.',
      }),
    ),
};

const limits: Verb = {
  name: 'limits',
  summary: 'limits with parked jobs: slots held, jobs waiting',
  flags: [{ flags: '--max-read-units <n>', doc: 'read units after which counting parked jobs stops; default 500' }],
  run: async (call) => {
    const maxReadUnits = call.whole('maxReadUnits');
    const given = maxReadUnits === undefined ? {} : { maxReadUnits };
    return showList(
      call,
      async ({ admin }) => admin.limits(given),
      (found) => ({
        columns: [{ head: 'LIMIT', gives: true }, { head: 'HELD', right: true }, { head: 'PARKED', right: true }, { head: 'KEY' }],
        rows: found.limits.map(({ limit, hash, held, parked, exact }) => [
          limit,
          counted(held),
          `${exact ? '' : '≥ '}${counted(parked)}`,
          hash,
        ]),
        empty: 'No job is parked.',
        notes: found.complete ? [] : ['There are more limits than were looked at; read on with --max-read-units.'],
      }),
    );
  },
};

const locks: Verb = {
  name: 'locks',
  summary: 'shards of Timers that acquirers are firing, and locks that a crashed one left',
  run: async (call) =>
    showList(
      call,
      async ({ admin }) => ({ locks: await admin.acquireLocks() }),
      (found) => ({
        columns: [{ head: 'SHARD' }, { head: 'TAKEN' }, { head: 'ENDS' }, { head: 'BY', gives: true }],
        rows: found.locks.map(({ shard, lockOwner, takenAt, lockExpiresAt, expired }) => [
          shard,
          takenAt === undefined ? '' : call.show.age(takenAt),
          { text: lockExpiresAt === undefined ? 'unreadable' : call.show.age(lockExpiresAt), style: expired ? 'warn' : 'good' },
          lockOwner,
        ]),
        empty: 'No shard is being fired.',
      }),
    ),
};

/** `nightcrew stats`: throughput, delays, heartbeats, limits. */
export const statsCommand = verbCommand('stats', 'throughput and delays, heartbeats, limits, locks', [
  throughput,
  heartbeats,
  limits,
  locks,
]);
