import { showList } from '../each-deployment.ts';
import { listSheet } from '../text/table.ts';
import { wallText } from '../text/time.ts';
import { verbCommand } from '../verb-command.ts';

/** `nightcrew audit`: the actions of operators. */
export const auditCommand = verbCommand('audit', 'what operators did on a day: who, what, when, how many', [
  {
    summary: 'what operators did on a day, newest first',
    flags: [
      { flags: '--day <day>', doc: 'in UTC, such as 2026-01-31; default today' },
      { flags: '--tenant <tenant>', doc: 'actions that concern this tenant' },
      { flags: '--limit <n>', doc: 'at most 1000; default 100' },
      { flags: '--after <cursor>', doc: 'continues after an earlier page: the value of its `next`' },
    ],
    run: async (call) => {
      const given = { day: call.text('day'), tenant: call.text('tenant'), limit: call.whole('limit'), after: call.text('after') };
      const options = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
      return showList(
        call,
        async ({ admin }) => admin.auditPage(options),
        ({ entries, next }) =>
          listSheet(
            entries,
            [
              { head: `AT (${call.show.zone})`, cell: ({ at }) => wallText(at.getTime(), call.show.zone) },
              { head: 'WHO', gives: true, cell: ({ actor }) => actor },
              { head: 'WHAT', cell: ({ verb }) => verb },
              { head: 'TO WHAT', gives: true, cell: ({ jobId, scope }) => jobId ?? scope ?? '' },
              { head: 'DETAIL', gives: true, cell: ({ detail }) => detail ?? '' },
              { head: 'WHY', gives: true, cell: ({ reason }) => reason ?? '' },
            ],
            'No actions on that day.',
            next === undefined ? [] : [`There is more: --after ${next}`],
          ),
      );
    },
  },
]);
