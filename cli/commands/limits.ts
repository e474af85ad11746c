import { defined } from '../../shared/job/defined.ts';
import type { ListedLimit } from '../../shared/features/limits/admin/limit-verbs.ts';
import type { Call } from '../call.ts';
import { contextOf, REASON_FLAG } from '../common-flags.ts';
import { EXIT, UsageError } from '../exit.ts';
import { showList } from '../each-deployment.ts';
import { plain } from '../text/plain.ts';
import { listSheet } from '../text/table.ts';
import { verbCommand } from '../verb-command.ts';

const LIMIT = { text: '<limit>', doc: "name of a limit; tenant/<worker> is a worker's tenantConcurrency" };
const DRY = { flags: '--dry-run', doc: 'says what would change, and writes nothing' };

/** `nightcrew limits`: the numbers of limits at run time. */
export const limitsCommand = verbCommand('limits', 'how many jobs limits let run, and numbers at run time', [
  {
    name: 'list',
    byDefault: true,
    summary: 'the limits of the workers, and the numbers that operators have set',
    run: async (call) =>
      showList(
        call,
        async ({ admin }) => ({ limits: await admin.limitNumbers() }),
        ({ limits }) =>
          listSheet(
            limits,
            [
              { head: 'LIMIT', gives: true, cell: ({ limit }) => limit },
              { head: 'NOW', right: true, cell: ({ n }) => `${n ?? ''}` },
              { head: 'CODE', right: true, cell: ({ coded }) => `${coded ?? 'unknown'}` },
              { head: 'PER', cell: ({ perMs }) => (perMs === undefined ? '' : `${perMs / 1_000} s`) },
              { head: 'WORKERS', gives: true, cell: ({ workers }) => workers.join(', ') },
              { head: 'SINCE', cell: ({ set }) => (set === undefined ? '' : call.show.age(set.at)) },
              { head: 'BY', gives: true, cell: ({ set }) => set?.actor ?? '' },
              {
                head: 'WHY',
                gives: true,
                cell: ({ set }) => (set === undefined ? '' : `${set.n === undefined ? 'unreadable; ' : ''}${set.reason ?? ''}`),
              },
            ],
            'No worker has reported a limit, and no number is set.',
          ),
      ),
  },
  {
    name: 'set',
    summary: 'sets how many jobs of a limit run at once, or start in its period, in place of the number of the code',
    argument: LIMIT,
    flags: [{ flags: '--to <n>', doc: 'whole number from 0 to 100; 0 lets no further job start under it' }, REASON_FLAG, DRY],
    changes: true,
    more: 'Executors apply it within five seconds. Running jobs go on. It holds, through deployments, until it is cleared.',
    run: async (call) => {
      const [limit = ''] = call.args;
      const to = call.whole('to');
      if (to === undefined) throw new UsageError('give the number with --to.');
      const { admin } = await call.deployment();
      if (call.on('dryRun'))
        return tellDry(
          call,
          limit,
          (await admin.limitNumbers()).find((one) => one.limit === limit),
          to,
        );
      return tell(call, { limit, n: to, outcome: await admin.setLimit(limit, to, contextOf(call)) });
    },
  },
  {
    name: 'clear',
    summary: 'gives a limit back to the number of the code',
    argument: LIMIT,
    flags: [REASON_FLAG, DRY],
    changes: true,
    run: async (call) => {
      const [limit = ''] = call.args;
      const { admin } = await call.deployment();
      if (call.on('dryRun')) {
        const now = (await admin.limitNumbers()).find((one) => one.limit === limit);
        return tellDry(call, limit, now, now?.coded);
      }
      return tell(call, { limit, outcome: await admin.clearLimit(limit, contextOf(call)) });
    },
  },
]);

function tell(
  { show }: Call,
  answer: { readonly limit: string; readonly n?: number; readonly outcome: 'set' | 'cleared' | 'not-set' | 'conflict' },
): number {
  const { outcome } = answer;
  if (show.json) show.data(answer);
  else if (outcome === 'conflict')
    show.line('conflict: another operator changed it in the same moment; nothing was written. Read it with limits list.');
  else show.line(outcome === 'not-set' ? outcome : `${outcome}; executors apply it within five seconds.`);
  return outcome === 'set' || outcome === 'cleared' ? EXIT.done : EXIT.lost;
}

function tellDry({ show }: Call, limit: string, now: ListedLimit | undefined, to: number | undefined): number {
  const from = now?.n;
  if (show.json) show.data({ limit, ...defined({ from, to, coded: now?.coded }) });
  else {
    const known = now?.coded === undefined ? '; no worker reported this limit' : '';
    show.line(`Dry run: ${plain(limit)} from ${from ?? 'unknown'} to ${to ?? 'unknown'}${known}. Nothing was written.`);
  }
  return EXIT.done;
}
