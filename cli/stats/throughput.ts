import { defined } from '../../shared/job/defined.ts';
import type { MinuteStatistics } from '../../shared/features/statistics/admin/statistics.ts';
import { COUNTS } from '../../shared/features/statistics/model/statistics.ts';
import type { Call } from '../call.ts';
import { askEach, showList } from '../each-deployment.ts';
import { UsageError } from '../exit.ts';
import { counted } from '../jobs/read-jobs.ts';
import type { Show } from '../show.ts';
import type { Sheet } from '../text/table.ts';
import { lengthText, wallText } from '../text/time.ts';
import type { Verb } from '../verb.ts';
import { every, type Span, spansOf, sumSpans } from './spans.ts';

/** `nightcrew stats throughput`. */
export const throughput: Verb = {
  name: 'throughput',
  byDefault: true,
  summary: 'what happened in a range of time, unless the setting statistics is 0: started, completed, retried, dead, delays',
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

/** Left out of a narrow terminal: they say little about how it goes. */
const RARE: ReadonlySet<string> = new Set(['cancelled', 'expired', 'skipped', 'snoozed', 'fired']);

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
