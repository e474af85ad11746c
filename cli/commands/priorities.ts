import { defined } from '../../shared/job/defined.ts';
import type { PriorityScope } from '../../shared/features/rules/model/rules.ts';
import { REASON_FLAG } from '../common-flags.ts';
import type { Call } from '../call.ts';
import { EXIT, UsageError } from '../exit.ts';
import { showList } from '../each-deployment.ts';
import { listSheet } from '../text/table.ts';
import { plain } from '../text/plain.ts';
import { verbCommand } from '../verb-command.ts';

const SCOPE = [
  { flags: '--type <type>', doc: 'jobs of a type' },
  { flags: '--tenant <tenant>', doc: 'jobs of a tenant' },
  { flags: '--default', doc: "a tenant's default, for jobs without one from their options or type" },
  REASON_FLAG,
];

function priorityScopeOf(call: Call): PriorityScope {
  const [type, tenant] = [call.text('type'), call.text('tenant')];
  if (type !== undefined && tenant === undefined) return { type };
  if (tenant !== undefined && type === undefined) return { tenant };
  throw new UsageError('use --type or --tenant.');
}

function context(call: Call) {
  const reason = call.text('reason');
  return { actor: call.actor, default: call.on('default'), ...defined({ reason }) };
}

/** `nightcrew priorities`: priorities at run time, of types and tenants. */
export const prioritiesCommand = verbCommand('priorities', 'priorities at run time, of types and tenants', [
  {
    name: 'list',
    byDefault: true,
    summary: 'the overrides that operators have set',
    run: async (call) =>
      showList(
        call,
        async ({ admin }) => ({ priorities: await admin.priorities() }),
        ({ priorities }) =>
          listSheet(
            priorities,
            [
              { head: 'SCOPE', gives: true, cell: (one) => one.scope },
              { head: 'PRIORITY', right: true, cell: (one) => String(one.priority) },
              { head: 'KIND', cell: (one) => (one.default ? 'default' : one.cascade ? 'cascade' : 'new jobs') },
              { head: 'SINCE', cell: (one) => call.show.age(one.at) },
              { head: 'BY', gives: true, cell: (one) => one.actor },
            ],
            'No priority override.',
          ),
      ),
  },
  {
    name: 'set',
    summary: 'sets the priority of jobs created from now on; with --cascade of existing jobs, too; set-priority of a job goes before it',
    argument: { text: '<priority>', doc: 'whole number; higher is more urgent' },
    flags: [...SCOPE, { flags: '--cascade', doc: 'also for existing jobs' }],
    changes: true,
    run: async (call) => {
      const scope = priorityScopeOf(call);
      const [text = ''] = call.args;
      if (!/^-?\d{1,9}$/.test(text)) throw new UsageError(`${JSON.stringify(plain(text))} is not a valid priority. Use a whole number.`);
      const { admin } = await call.deployment();
      await admin.overridePriority(scope, Number(text), { ...context(call), cascade: call.on('cascade') });
      if (call.show.json) call.show.data({ scope, priority: Number(text), outcome: 'set' });
      else call.show.line('Set; executors apply it within 5 seconds, as they start jobs.');
      return EXIT.done;
    },
  },
  {
    name: 'clear',
    summary: 'removes an override; jobs that it moved to another lane stay there',
    flags: SCOPE,
    changes: true,
    run: async (call) => {
      const scope = priorityScopeOf(call);
      const { admin } = await call.deployment();
      const outcome = await admin.clearPriority(scope, context(call));
      if (call.show.json) call.show.data({ scope, outcome });
      else call.show.line(outcome);
      return outcome === 'cleared' ? EXIT.done : EXIT.lost;
    },
  },
]);
