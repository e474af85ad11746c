import { MISSED_POLICIES, OVERLAP_POLICIES, type ScheduleDefinition } from '../../shared/features/schedules/model/definition.ts';
import type { ScheduleEdit } from '../../shared/features/schedules/model/edit.ts';
import { defined } from '../../shared/job/defined.ts';
import { contextOf, REASON_FLAG } from '../common-flags.ts';
import type { Call } from '../call.ts';
import { EXIT, UsageError } from '../exit.ts';
import { readJson } from '../jobs/read-json.ts';
import { plain } from '../text/plain.ts';
import type { Verb } from '../verb.ts';

const NAME = { text: '<name>', doc: 'name of the schedule' };

/** `nightcrew schedules edit`, `put` and `delete`: for schedules that operators made. */
export const CHANGE_VERBS: readonly Verb[] = [
  {
    name: 'edit',
    summary: 'changes what is named, and leaves the rest; refuses a schedule that code declares',
    argument: NAME,
    flags: [
      { flags: '--cron <expression>', doc: 'a cron expression; takes the place of --every' },
      { flags: '--every <repetition>', doc: 'an ISO-8601 repetition, such as PT1H; takes the place of --cron' },
      { flags: '--in-zone <zone>', doc: 'IANA time zone of its times' },
      {
        flags: '--exclude <day>',
        doc: 'a date, day of every year, range or weekday without an occurrence; all of them are given anew',
        many: true,
      },
      { flags: '--no-exclude', doc: 'excludes no days' },
      { flags: '--until <time>', doc: 'no occurrence after this time' },
      { flags: '--max-runs <n>', doc: 'ends after this many runs' },
      { flags: '--missed <policy>', doc: 'for missed occurrences', choices: MISSED_POLICIES },
      { flags: '--overlap <policy>', doc: 'while an earlier occurrence is not finished', choices: OVERLAP_POLICIES },
      { flags: '--to-tenant <tenant>', doc: 'the tenant of its runs' },
      { flags: '--to-no-tenant', doc: 'its runs get no tenant' },
      { flags: '--payload <json>', doc: 'payload of each run: JSON, @file, or - for the standard input' },
      REASON_FLAG,
    ],
    changes: true,
    more: 'Exit code 3: there is no such schedule. To remove a bound, put the definition without it.',
    run: async (call) => {
      const [name = ''] = call.args;
      const edit = await editOf(call);
      if (Object.keys(edit).length === 0) throw new UsageError('nothing to change: name at least one field, such as --cron.');
      const { admin } = await call.deployment();
      const outcome = await admin.schedules.edit(name, edit, contextOf(call));
      return tell(call, name, outcome === 'edited' ? outcome : undefined);
    },
  },
  {
    name: 'put',
    summary: 'makes a schedule, or replaces one, from the JSON that `show --json` gives as its definition',
    flags: [{ flags: '--definition <json>', doc: 'JSON, @file, or - for the standard input; required' }],
    changes: true,
    run: async (call) => {
      const definition = (await readJson(call, 'definition')) as ScheduleDefinition;
      const { admin } = await call.deployment();
      return tell(call, (await admin.schedules.put(definition)).name, 'put');
    },
  },
  {
    name: 'delete',
    summary: 'removes it; running jobs continue, occurrences that were fired ahead do not start',
    argument: NAME,
    flags: [{ flags: '--yes', doc: 'does not ask for confirmation, for scripts' }],
    changes: true,
    more: 'Exit code 3: there is no such schedule.',
    run: async (call) => {
      const [name = ''] = call.args;
      const { admin } = await call.deployment();
      await confirm(call, name);
      return tell(call, name, (await admin.schedules.delete(name)) ? 'deleted' : undefined);
    },
  },
];

async function editOf(call: Call): Promise<ScheduleEdit> {
  const tenant = call.text('toTenant');
  if (tenant !== undefined && call.on('toNoTenant')) throw new UsageError('use --to-tenant or --to-no-tenant.');
  const until = call.instant('until', 'ahead');
  return defined({
    cron: call.text('cron'),
    every: call.text('every'),
    zone: call.text('inZone'),
    exclude: call.off('exclude') ? [] : call.texts('exclude'),
    until,
    maxRuns: call.whole('maxRuns'),
    missed: call.text('missed'),
    overlap: call.text('overlap'),
    tenant: call.on('toNoTenant') ? null : tenant,
    payload: call.text('payload') === undefined ? undefined : await readJson(call, 'payload'),
  }) as ScheduleEdit;
}

async function confirm(call: Call, name: string): Promise<void> {
  if (call.on('yes')) return;
  const sentence = `Schedule ${plain(name)} will be removed.`;
  const answer = await call.io.ask(`${sentence} Type its name to go on: `);
  if (answer === undefined) throw new UsageError(`${sentence} There is no terminal to confirm it: use --yes.`);
  if (answer.trim() !== name) throw new UsageError('the answer was not that name. Nothing was written.');
}

function tell({ show }: Call, name: string, outcome: string | undefined): number {
  if (show.json) show.data({ name, outcome: outcome ?? 'not-found' });
  else show.line(outcome === undefined ? `No schedule ${plain(name)}. Nothing was written.` : `${plain(name)}: ${outcome}`);
  return outcome === undefined ? EXIT.lost : EXIT.done;
}
