import { showList } from '../each-deployment.ts';
import { counted } from '../jobs/read-jobs.ts';
import { listSheet } from '../text/table.ts';
import type { Verb } from '../verb.ts';

/** `nightcrew stats limits`. */
export const limits: Verb = {
  name: 'limits',
  summary: 'limits with parked jobs: slots held, jobs waiting',
  flags: [{ flags: '--max-read-units <n>', doc: 'read units after which counting parked jobs stops; default 500' }],
  run: async (call) => {
    const maxReadUnits = call.whole('maxReadUnits');
    const given = maxReadUnits === undefined ? {} : { maxReadUnits };
    return showList(
      call,
      async ({ admin }) => admin.limits(given),
      (found) =>
        listSheet(
          found.limits,
          [
            { head: 'LIMIT', gives: true, cell: ({ limit }) => limit },
            { head: 'HELD', right: true, cell: ({ held }) => counted(held) },
            { head: 'OF', right: true, cell: ({ n }) => (n === undefined ? '' : counted(n)) },
            { head: 'PARKED', right: true, cell: ({ parked, exact }) => `${exact ? '' : '≥ '}${counted(parked)}` },
            { head: 'KEY', cell: ({ hash }) => hash },
          ],
          'No job is parked.',
          found.complete ? [] : ['There are more limits than were looked at; read on with --max-read-units.'],
        ),
    );
  },
};
