import type { TypeView } from '../../operate/type-view.ts';
import { showList } from '../each-deployment.ts';
import { counted } from '../jobs/read-jobs.ts';
import { listSheet, type Cell } from '../text/table.ts';
import { verbCommand } from '../verb-command.ts';

/** `nightcrew types`: what is known of the types of a deployment. */
export const typesCommand = verbCommand('types', 'types of jobs with their workers and dead letters', [
  {
    summary: 'types that workers report, that have dead letters or a maxBacklog, that are suspended or lack a handler',
    more: 'BACKLOG: ready jobs of a type with maxBacklog, as the sweeper counted them last. How many jobs of a type there are in each state: nightcrew jobs count --type <type>',
    run: async (call) =>
      showList(
        call,
        async ({ admin }) => admin.types(),
        ({ types, anyType, complete }) =>
          listSheet(
            types,
            [
              { head: 'TYPE', gives: true, cell: (one) => one.type },
              { head: 'WORKERS', gives: true, cell: (one) => one.workers.map(({ worker }) => worker).join(' ') },
              { head: 'LAST SEEN', cell: (one) => lastSeen(one, (at) => call.show.age(at)) },
              { head: 'BACKLOG', right: true, cell: (one) => backlogOf(one) },
              {
                head: 'DEAD',
                right: true,
                cell: (one) => ({ text: one.deadLetters === 0 ? '' : `≥ ${counted(one.deadLetters)}`, style: 'bad' }),
              },
              { head: 'NOTE', gives: true, cell: (one) => noteOf(one, anyType) },
            ],
            'No type is known yet; a worker reports its types when it has run a job.',
            [
              ...(anyType.length === 0 ? [] : [`${anyType.join(', ')}: every type.`]),
              ...(complete ? [] : ['There are too many error groups to read: types and dead letters may be missing.']),
            ],
          ),
      ),
  },
]);

function lastSeen({ workers }: TypeView, age: (at: Date) => string): string {
  const [last] = workers.map((one) => one.lastSeen).toSorted((a, b) => b.getTime() - a.getTime());
  return last === undefined ? '' : age(last);
}

function backlogOf({ backlog }: TypeView): Cell {
  if (backlog === undefined) return '';
  const { ready, bound } = backlog;
  const text = `${ready === undefined ? '?' : counted(ready)} of ${counted(bound)}`;
  return ready !== undefined && ready >= bound ? { text, style: 'bad' } : text;
}

function noteOf({ workers, suspended, handlerMissing }: TypeView, anyType: readonly string[]): Cell {
  const off = workers.filter((one) => one.off).map(({ worker }) => `off on ${worker}`);
  const old = workers.filter((one) => !one.current).map(({ worker }) => `no longer on ${worker}`);
  const unknown = workers.length === 0 && anyType.length === 0 ? ['no worker reports it'] : [];
  const notes = [...(suspended ? ['suspended'] : []), ...(handlerMissing ? ['handler missing'] : []), ...off, ...old, ...unknown];
  return { text: notes.join(', '), style: 'warn' };
}
