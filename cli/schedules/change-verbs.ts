import type { ScheduleDefinition } from '../../shared/features/schedules/model/definition.ts';
import type { Admin } from '../../operate/admin.ts';
import { newSchedule } from '../../operate/new-schedule.ts';
import { defined } from '../../shared/job/defined.ts';
import { contextOf, REASON_FLAG } from '../common-flags.ts';
import type { Call } from '../call.ts';
import { EXIT, UsageError } from '../exit.ts';
import { readJson } from '../jobs/read-json.ts';
import { plain } from '../text/plain.ts';
import type { Verb } from '../verb.ts';
import { FIELD_FLAGS, fieldsOf, NONE_FLAGS } from './field-flags.ts';

const NAME = { text: '<name>', doc: 'name of the schedule' };

/** `nightcrew schedules edit`, `put` and `delete`: for schedules that operators made. */
export const CHANGE_VERBS: readonly Verb[] = [
  {
    name: 'edit',
    summary: 'changes what is named, and leaves the rest; refuses a schedule that code declares',
    argument: NAME,
    flags: [...FIELD_FLAGS, ...NONE_FLAGS, REASON_FLAG],
    changes: true,
    more: 'Exit code 3: there is no such schedule.',
    run: async (call) => {
      const [name = ''] = call.args;
      const edit = await fieldsOf(call);
      if (Object.keys(edit).length === 0) throw new UsageError('nothing to change: name at least one field, such as --cron.');
      const { admin } = await call.deployment();
      const outcome = await admin.schedules.edit(name, edit, contextOf(call));
      return tell(call, name, outcome === 'edited' ? outcome : undefined);
    },
  },
  {
    name: 'put',
    summary: 'makes a schedule, or replaces one, from options or a whole definition; refuses the name of one that code declares',
    argument: { text: '[name]', doc: 'name of the schedule, with --type and --cron or --every' },
    flags: [
      { flags: '--type <type>', doc: 'the job type that it enqueues' },
      { flags: '--worker <worker>', doc: 'the worker of the type; default: the one that reports it' },
      { flags: '--schema-version <n>', doc: 'version of the payload; default 1' },
      ...FIELD_FLAGS,
      {
        flags: '--definition <json>',
        doc: 'instead of the name and the options above: what `show --json` gives as its definition, as JSON, @file, or -',
      },
      REASON_FLAG,
    ],
    changes: true,
    run: async (call) => {
      const define = await definitionOf(call);
      const { admin } = await call.deployment();
      return tell(call, (await admin.schedules.put(await define(admin), contextOf(call))).name, 'put');
    },
  },
  {
    name: 'delete',
    summary: 'removes it, unless code declares it; running jobs continue',
    argument: NAME,
    flags: [REASON_FLAG, { flags: '--yes', doc: 'does not ask for confirmation, for scripts' }],
    changes: true,
    more: 'Exit code 3: there is no such schedule.',
    run: async (call) => {
      const [name = ''] = call.args;
      const { admin } = await call.deployment();
      await confirm(call, name);
      return tell(call, name, (await admin.schedules.delete(name, contextOf(call))) ? 'deleted' : undefined);
    },
  },
];

/** What gives the definition, once all options have been read. */
async function definitionOf(call: Call): Promise<(admin: Admin) => Promise<ScheduleDefinition>> {
  const [name] = call.args;
  const [type, worker, schemaVersion, fields] = [call.text('type'), call.text('worker'), call.whole('schemaVersion'), await fieldsOf(call)];
  if (call.text('definition') !== undefined) {
    if (name !== undefined || Object.keys({ ...defined({ type, worker, schemaVersion }), ...fields }).length > 0)
      throw new UsageError('--definition has everything: leave out the name and the other options but --reason.');
    const definition = (await readJson(call, 'definition')) as ScheduleDefinition;
    return async () => definition;
  }
  if (name === undefined || type === undefined || (fields.cron === undefined) === (fields.every === undefined))
    throw new UsageError('a name, --type, and --cron or --every are needed; or --definition.');
  return async (admin) => newSchedule(admin, { name, type, worker, schemaVersion, fields });
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
