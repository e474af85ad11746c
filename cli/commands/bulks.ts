import { defined } from '../../shared/job/defined.ts';
import { RECENT_FLAGS, recentOf } from '../common-flags.ts';
import { AbsentError } from '../exit.ts';
import { showList } from '../each-deployment.ts';
import { filterWords } from '../jobs/filter-flags.ts';
import { tellBulk } from '../jobs/bulk.ts';
import { progressOn } from '../jobs/progress.ts';
import { counted } from '../jobs/read-jobs.ts';
import { listSheet } from '../text/table.ts';
import { plain } from '../text/plain.ts';
import { verbCommand } from '../verb-command.ts';

/** `nightcrew bulks`: actions on all jobs that matched a filter. */
export const bulksCommand = verbCommand('bulks', 'actions on many jobs: their progress, and resuming them', [
  {
    name: 'list',
    byDefault: true,
    summary: 'recent bulk actions, newest first; kept for 30 days',
    flags: RECENT_FLAGS,
    run: async (call) => {
      const recent = recentOf(call);
      return showList(
        call,
        async ({ admin }) => ({ bulks: await admin.bulks(recent) }),
        ({ bulks }) =>
          listSheet(
            bulks,
            [
              { head: 'ID', cell: (one) => one.id ?? '' },
              { head: 'ACTION', cell: (one) => one.action.verb },
              {
                head: 'STATUS',
                cell: (one) => ({
                  text: one.status,
                  style: one.status === 'done' ? 'good' : one.status === 'canary-failed' ? 'bad' : 'warn',
                }),
              },
              { head: 'DONE', right: true, cell: (one) => `${counted(one.done)}/${counted(one.matched)}` },
              { head: 'FAILED', right: true, cell: (one) => counted(one.failed) },
              { head: 'UPDATED', cell: (one) => call.show.age(one.updatedAt) },
              { head: 'BY', gives: true, cell: (one) => one.actor },
              { head: 'WHAT', gives: true, cell: (one) => filterWords(one.filter).replace(/^ with /, '') },
            ],
            'There are no bulk actions.',
            bulks.length < recent.limit ? [] : [`There may be more: --before ${bulks.at(-1)?.id ?? ''}`],
          ),
      );
    },
  },
  {
    name: 'resume',
    summary: 'resumes a bulk action that was stopped, or whose process died',
    argument: { text: '<id>', doc: 'id of the bulk action' },
    flags: [{ flags: '--rate <n>', doc: 'jobs per second at most; default: the rate at which it was started' }],
    changes: true,
    more: 'One that a process holds is left alone: exit code 3, with the time until which a dead process would hold it.',
    run: async (call) => {
      const [id = ''] = call.args;
      const rate = call.number('rate');
      const deployment = await call.deployment();
      const { admin } = deployment;
      const progress = progressOn(call.io, 'resumed');
      const report = await admin
        .resumeBulk(id, {
          actor: call.actor,
          signal: call.io.signal,
          onProgress: progress.to,
          ...defined({ ratePerSecond: rate }),
        })
        .finally(progress.end);
      if (report === undefined) throw new AbsentError(`there is no bulk action ${JSON.stringify(plain(id))}.`);
      return tellBulk(call, report, { deployment });
    },
  },
]);
