import { showList } from '../each-deployment.ts';
import { listSheet } from '../text/table.ts';
import { verbCommand } from '../verb-command.ts';

/** `nightcrew workers`: the reports of workers. */
export const workersCommand = verbCommand('workers', 'workers with their versions and types, and when each was last seen', [
  {
    summary: 'workers with their versions and types, and when each was last seen',
    more: 'A type is switched off on one worker with: nightcrew suspensions begin --type <type> --worker <worker> --reason <text>',
    run: async (call) =>
      showList(
        call,
        async ({ admin }) => ({ workers: await admin.workers() }),
        ({ workers }) =>
          listSheet(
            workers,
            [
              { head: 'WORKER', cell: (one) => one.worker },
              { head: 'KIND', cell: (one) => one.kind },
              { head: 'VERSION', gives: true, cell: (one) => one.version },
              { head: 'LAST SEEN', cell: (one) => ({ text: call.show.age(one.lastSeen), style: one.fresh ? 'good' : 'quiet' }) },
              { head: 'TYPES', gives: true, cell: (one) => one.types.join(' ') },
              { head: 'OFF', gives: true, cell: (one) => ({ text: one.off.join(' '), style: 'warn' }) },
            ],
            'No worker has reported yet; one reports when it has run a job.',
          ),
      ),
  },
]);
