import { showList } from '../each-deployment.ts';
import { counted } from '../jobs/read-jobs.ts';
import { verbCommand } from '../verb-command.ts';

/** `nightcrew groups`: exclusive groups that are held while others of them wait, or held back by a failure. */
export const groupsCommand = verbCommand('groups', 'exclusive groups that are locked or held back while jobs wait', [
  {
    summary: 'exclusive groups that are locked, or held back by a failure, while jobs wait: the holder, since when, how many wait',
    flags: [{ flags: '--max-read-units <n>', doc: 'read units after which the scan of Jobs stops; default 2500' }],
    run: async (call) => {
      const most = call.whole('maxReadUnits');
      return showList(
        call,
        async ({ admin }) => admin.blockedGroups(most === undefined ? {} : { maxReadUnits: most }),
        ({ groups, held = [], complete, readUnits, withoutGroupQueue = [] }) => ({
          columns: [
            { head: 'GROUP', gives: true },
            { head: 'WAITING', right: true },
            { head: 'OLDEST DUE' },
            { head: 'HELD SINCE' },
            { head: 'LOCK ENDS' },
            { head: 'HELD BY', gives: true },
          ],
          rows: [
            ...held.map((one) => [
              one.group,
              `${one.exact ? '' : 'over '}${counted(one.waiting)}`,
              '',
              one.since === undefined ? '' : call.show.age(one.since),
              'when it has ended',
              [one.heldBy.id, one.heldBy.type, one.heldBy.state].filter((part) => part !== undefined).join(' '),
            ]),
            ...groups.map((one) => [
              one.group,
              counted(one.waiting),
              call.show.age(one.oldestDueAt),
              call.show.age(one.since),
              call.show.age(one.until),
              one.heldBy === undefined ? 'no running job' : `${one.heldBy.id} ${one.heldBy.type} attempt ${one.heldBy.attempt}`,
            ]),
          ],
          empty: 'No group is locked or held back while jobs of it wait.',
          notes: [
            ...(held.some(({ heldBy }) => heldBy.state === 'dead')
              ? [
                  'A dead letter holds its group back until it is redriven and done, deleted, or passed by: nightcrew dead-letters release-group.',
                ]
              : []),
            ...(complete ? [] : [`Only a part was looked at (${readUnits} read units): more groups may be blocked. Use --max-read-units.`]),
            ...withoutGroupQueue.map(
              (worker) =>
                `Worker ${worker} runs grouped jobs without a queue for them, so they may wait for minutes. Give it groups: true in the construct.`,
            ),
          ],
        }),
      );
    },
  },
]);
