import { defined } from '../../shared/job/defined.ts';
import type { NamedStatistics } from '../../shared/features/statistics/admin/statistics.ts';
import type { StatisticsKind } from '../../shared/features/statistics/model/statistics.ts';
import { showList } from '../each-deployment.ts';
import { UsageError } from '../exit.ts';
import { counted } from '../jobs/read-jobs.ts';
import { listSheet, type Sheet } from '../text/table.ts';
import { lengthText } from '../text/time.ts';
import type { Verb } from '../verb.ts';
import { every } from './spans.ts';

/** `nightcrew stats types` and `nightcrew stats tenants`. */
export const typeStatistics = byName('types', 'type');
export const tenantStatistics = byName('tenants', 'tenant');

function byName(name: string, kind: StatisticsKind): Verb {
  return {
    name,
    summary: `throughput summed up by ${kind}, where the setting statistics asks for it`,
    flags: [
      { flags: '--from <time>', doc: 'start: 2h is two hours ago; default an hour ago; 8 days are kept' },
      { flags: '--to <time>', doc: 'end; default now' },
      { flags: '--worker <worker>', doc: 'of one worker' },
    ],
    run: async (call) => {
      const [from, to] = [call.instant('from', 'ago') ?? call.io.now() - every('hour'), call.instant('to', 'ago') ?? call.io.now()];
      if (to <= from) throw new UsageError('--to must be later than --from.');
      const options = { from: new Date(from), to: new Date(to), ...defined({ worker: call.text('worker') }) };
      return showList(
        call,
        async ({ admin }) => admin.statisticsBy(kind, options),
        ({ sums }) => sheetOf(sums, kind),
      );
    },
  };
}

function sheetOf(sums: readonly NamedStatistics[], kind: StatisticsKind): Sheet {
  return listSheet(
    sums,
    [
      { head: kind.toUpperCase(), gives: true, cell: ({ name }) => name ?? { text: '(others)', style: 'quiet' } },
      { head: 'STARTED', right: true, cell: ({ started }) => counted(started) },
      { head: 'COMPLETED', right: true, cell: ({ completed }) => counted(completed) },
      { head: 'RETRIED', right: true, cell: ({ retried }) => counted(retried) },
      { head: 'DEAD', right: true, cell: ({ dead }) => ({ text: counted(dead), style: dead > 0 ? 'bad' : 'strong' }) },
      { head: 'RUN', right: true, cell: ({ runMs }) => (runMs === undefined ? '' : lengthText(runMs)) },
    ],
    `Nothing ran, or the setting statistics is not ${kind === 'type' ? '2 or 3' : '3'}.`,
  );
}
