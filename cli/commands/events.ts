import { defined } from '../../shared/job/defined.ts';
import { showList } from '../each-deployment.ts';
import { listSheet } from '../text/table.ts';
import { lengthText, wallText } from '../text/time.ts';
import { verbCommand } from '../verb-command.ts';

/** `nightcrew events`: what happened to jobs, where the deployment keeps an event log. */
export const eventsCommand = verbCommand('events', 'what happened to jobs, where the deployment keeps an event log', [
  {
    summary: 'what happened to jobs, in the order of writing, where the deployment keeps an event log',
    flags: [
      { flags: '--from <time>', doc: 'that was written then or later; 2h is two hours ago; default an hour ago' },
      { flags: '--limit <n>', doc: 'at most 1000; default 100' },
      { flags: '--after <cursor>', doc: 'continues after an earlier page: the value of its `after`' },
    ],
    run: async (call) => {
      const query = defined({ from: call.date('from', 'ago'), limit: call.whole('limit'), after: call.text('after') });
      // A cursor belongs to the deployment that gave it.
      if (query.after !== undefined) await call.deployment();
      return showList(
        call,
        async ({ admin }) => {
          const page = await admin.events(query);
          return { ...page, events: page.events.map((event) => ({ ...event, at: new Date(event.at) })) };
        },
        ({ events, after, upToDate }) =>
          listSheet(
            events,
            [
              { head: `AT (${call.show.zone})`, cell: ({ at }) => wallText(at.getTime(), call.show.zone) },
              { head: 'EVENT', cell: ({ event }) => event },
              { head: 'JOB', cell: ({ job }) => job.id },
              { head: 'TYPE', gives: true, cell: ({ job }) => job.type },
              { head: 'TRY', right: true, drops: 1, cell: ({ job }) => String(job.attempt) },
              { head: 'RAN', right: true, drops: 2, cell: ({ runMs }) => (runMs === undefined ? '' : lengthText(runMs)) },
              { head: 'WORKER', gives: true, drops: 3, cell: ({ job }) => job.worker },
              {
                head: 'REASON',
                gives: true,
                cell: ({ reason, errorName }) => [reason, errorName].filter((part) => part !== undefined).join(', '),
              },
            ],
            'No events. They are kept if the deployment has events: { log: true }; those of the last 15 s come later.',
            [upToDate ? `Later events: --after ${after}` : `There is more: --after ${after}`],
          ),
      );
    },
  },
]);
