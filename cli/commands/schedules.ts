import { SCHEDULE_VERBS, type ScheduleVerb } from '../../operate/schedule-verbs.ts';
import type { SchedulePage, ScheduleView } from '../../shared/features/schedules/admin/schedules.ts';
import { defined } from '../../shared/job/defined.ts';
import type { Instant } from '../../shared/job/instant.ts';
import { plural } from '../../shared/job/plural.ts';
import { contextOf, REASON_FLAG } from '../common-flags.ts';
import { AbsentError, EXIT } from '../exit.ts';
import type { OpenDeployment } from '../deployments/open-deployment.ts';
import { showFound, showList } from '../each-deployment.ts';
import type { Show } from '../show.ts';
import { backfill } from '../schedules/backfill.ts';
import { CHANGE_VERBS } from '../schedules/change-verbs.ts';
import { plain } from '../text/plain.ts';
import { listSheet, type Sheet } from '../text/table.ts';
import { lengthText } from '../text/time.ts';
import { verbCommand } from '../verb-command.ts';
import type { Verb } from '../verb.ts';

const NAME = { text: '<name>', doc: 'name of the schedule' };

const list: Verb = {
  name: 'list',
  byDefault: true,
  summary: 'schedules by name, with their next and last occurrence',
  flags: [
    { flags: '--limit <n>', doc: 'schedules in a page; default 100' },
    { flags: '--after <name>', doc: 'continues after this one' },
  ],
  run: async (call) => {
    const [limit, after] = [call.whole('limit'), call.text('after')];
    const page = defined({ limit, after });
    return showList(
      call,
      async ({ admin }) => admin.schedules.list(page),
      (found) => scheduleSheet(found, call.show),
    );
  },
};

function scheduleSheet({ schedules, unreadable, after }: SchedulePage, show: Show): Sheet {
  return listSheet(
    schedules,
    [
      { head: 'NAME', cell: (one) => one.name },
      { head: 'TYPE', gives: true, cell: (one) => one.type },
      { head: 'WHEN', gives: true, cell: (one) => recurrenceText(one) },
      {
        head: 'NEXT',
        cell: (one) =>
          one.paused === undefined ? (one.next === undefined ? 'none' : show.age(one.next.at)) : { text: 'paused', style: 'warn' },
      },
      { head: 'LAST', cell: (one) => (one.lastAt === undefined ? '' : show.age(one.lastAt)) },
      { head: 'RUNS', right: true, cell: (one) => String(one.runs) },
      { head: 'MISSED', right: true, cell: (one) => String(one.missed) },
    ],
    'There are no schedules.',
    [...unreadable.map((name) => `Not readable: ${plain(name)}`), ...(after === undefined ? [] : [`More: --after ${plain(after)}`])],
  );
}

function recurrenceText({ definition: { recurrence } }: ScheduleView): string {
  const { cron, every, zone } = recurrence as { readonly cron?: string; readonly every?: string | number; readonly zone?: string };
  return `${cron ?? `every ${String(every)}`}${zone === undefined ? '' : ` ${zone}`}`;
}

/** Its bounds, delays and exceptions, a line each. */
function termLines({ definition: { recurrence, maxRuns, jitterMs } }: ScheduleView, show: Show): readonly string[] {
  const { from, until, exclude = [], dst } = recurrence;
  const time = (at: Instant | undefined) => (at === undefined ? undefined : show.time(new Date(at)));
  const terms = defined({
    'none before': time(from),
    'none after': time(until),
    'never on': exclude.length === 0 ? undefined : exclude.join(', '),
    'ends after': maxRuns === undefined ? undefined : `${maxRuns} ${plural(maxRuns, 'run')}`,
    jitter: jitterMs === 0 ? undefined : `up to ${lengthText(jitterMs)}`,
    'clock changes': dst === undefined ? undefined : JSON.stringify(dst),
  });
  return Object.entries(terms).map(([head, text]) => `${head}: ${text}`);
}

const showOne: Verb = {
  name: 'show',
  summary: 'one schedule with its next occurrences',
  argument: NAME,
  run: async (call) => {
    const [name = ''] = call.args;
    const { show } = call;
    const read = async ({ admin }: OpenDeployment) => {
      const schedule = await admin.schedules.get(name);
      return schedule === undefined ? undefined : { ...schedule, preview: (await admin.schedules.preview(name, { count: 5 })) ?? [] };
    };
    return showFound(call, read, {
      missing: `No schedule ${plain(name)}.`,
      tell(one) {
        show.line(`${plain(one.name)}  ${plain(one.type)}  ${plain(recurrenceText(one))}  (${one.origin})`);
        const { paused } = one;
        if (paused !== undefined) {
          show.line(
            show.paint(
              'warn',
              `  paused ${show.time(paused.at)} by ${plain(paused.actor ?? 'unknown')}: ${plain(paused.reason ?? 'no reason given')}`,
            ),
          );
        }
        show.line(
          `  ${one.runs} runs${one.firedAhead === 0 ? '' : `, ${one.firedAhead} fired ahead of their time`}, ${one.missed} missed, ${one.skipped} skipped`,
        );
        for (const line of termLines(one, show)) show.line(`  ${plain(line)}`);
        show.line(`  payload: ${plain(one.definition.payload)}`);
        for (const { at, wall, mark } of one.preview)
          show.line(`  next ${show.time(at)}  ${plain(wall)}${mark === undefined ? '' : ` (${mark})`}`);
      },
    });
  },
};

const preview: Verb = {
  name: 'preview',
  summary: 'the next occurrences, with the effect of clock changes',
  argument: NAME,
  flags: [
    { flags: '--count <n>', doc: 'how many, at most 1000; default 10' },
    { flags: '--from <time>', doc: 'start after this time: 2h is in two hours; default now' },
  ],
  run: async (call) => {
    const [name = ''] = call.args;
    const options = defined({ count: call.whole('count'), from: call.date('from', 'ahead') });
    return showList(
      call,
      async ({ admin }) => {
        const found = await admin.schedules.preview(name, options);
        if (found === undefined) throw new AbsentError(`there is no schedule ${JSON.stringify(plain(name))}.`);
        return { occurrences: found };
      },
      ({ occurrences }) =>
        listSheet(
          occurrences,
          [
            { head: 'AT', cell: ({ at }) => call.show.time(at) },
            { head: "SCHEDULE'S CLOCK", cell: ({ wall }) => wall },
            { head: 'DAYLIGHT SAVING', cell: ({ mark }) => mark ?? '' },
          ],
          'It has no further occurrences.',
        ),
    );
  },
};

/** A verb that changes one schedule, and says whether it did. */
function change({ name, summary, why, run }: ScheduleVerb): Verb {
  return {
    name,
    summary,
    argument: NAME,
    flags: [why === undefined ? REASON_FLAG : { ...REASON_FLAG, doc: why.flag }],
    changes: true,
    run: async (call) => {
      const [schedule = ''] = call.args;
      const { admin } = await call.deployment();
      const done = await run(admin.schedules, schedule, contextOf(call));
      const outcome = done?.job === undefined ? done?.word : `job ${done.job}`;
      if (call.show.json) call.show.data({ name: schedule, outcome: outcome ?? 'left-alone' });
      else
        call.show.line(`${plain(schedule)}: ${outcome === undefined ? 'unknown, or that already. Nothing was written.' : plain(outcome)}`);
      return outcome === undefined ? EXIT.lost : EXIT.done;
    },
  };
}

/** `nightcrew schedules`: recurring schedules. */
export const schedulesCommand = verbCommand('schedules', 'recurring schedules: list, pause, resume, run now, backfill, edit, preview', [
  list,
  showOne,
  preview,
  ...SCHEDULE_VERBS.map(change),
  backfill,
  ...CHANGE_VERBS,
]);
