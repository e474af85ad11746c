import { showList } from '../each-deployment.ts';
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
        ({ workers }) => ({
          columns: [
            { head: 'WORKER' },
            { head: 'KIND' },
            { head: 'VERSION', gives: true },
            { head: 'LAST SEEN' },
            { head: 'TYPES', gives: true },
            { head: 'OFF', gives: true },
          ],
          rows: workers.map((one) => [
            one.worker,
            one.kind,
            one.version,
            { text: call.show.age(one.lastSeen), style: one.fresh ? 'good' : 'quiet' },
            one.types.join(' '),
            { text: one.off.join(' '), style: 'warn' },
          ]),
          empty: 'No worker has reported yet; one reports when it has run a job.',
        }),
      ),
  },
]);
