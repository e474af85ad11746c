import { showList } from '../each-deployment.ts';
import { counted } from '../jobs/read-jobs.ts';
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
      (found) => ({
        columns: [
          { head: 'LIMIT', gives: true },
          { head: 'HELD', right: true },
          { head: 'OF', right: true },
          { head: 'PARKED', right: true },
          { head: 'KEY' },
        ],
        rows: found.limits.map(({ limit, hash, held, n, parked, exact }) => [
          limit,
          counted(held),
          n === undefined ? '' : counted(n),
          `${exact ? '' : '≥ '}${counted(parked)}`,
          hash,
        ]),
        empty: 'No job is parked.',
        notes: found.complete ? [] : ['There are more limits than were looked at; read on with --max-read-units.'],
      }),
    );
  },
};
