import { defined } from '../../shared/job/defined.ts';
import { REASON_FLAG } from '../common-flags.ts';
import { EXIT, UsageError } from '../exit.ts';
import { showList } from '../each-deployment.ts';
import { SCOPE_FLAGS, scopeOf } from '../jobs/scope-flags.ts';
import { listSheet } from '../text/table.ts';
import { verbCommand } from '../verb-command.ts';
import type { Verb } from '../verb.ts';

const list: Verb = {
  name: 'list',
  byDefault: true,
  summary: 'suspensions in force, scheduled and over: by whom, why and until when',
  run: async (call) =>
    showList(
      call,
      async ({ admin }) => ({ suspensions: await admin.suspensions() }),
      ({ suspensions }) =>
        listSheet(
          suspensions,
          [
            { head: 'SCOPE', gives: true, cell: (one) => one.scope },
            { head: 'STATE', cell: (one) => ({ text: one.state, style: one.state === 'in-force' ? 'warn' : 'quiet' }) },
            { head: 'JOBS', cell: (one) => (one.createdAfter === undefined ? 'all' : 'new') },
            { head: 'SINCE', cell: (one) => call.show.age(one.from ?? one.at) },
            { head: 'UNTIL', cell: (one) => (one.until === undefined ? 'ended by hand' : call.show.age(one.until)) },
            { head: 'BY', gives: true, cell: (one) => one.actor },
            { head: 'WHY', gives: true, cell: (one) => one.reason },
          ],
          'Nothing is suspended.',
        ),
    ),
};

const begin: Verb = {
  name: 'begin',
  summary: 'keeps jobs of a scope from starting, after a few seconds; running jobs continue',
  flags: [
    ...SCOPE_FLAGS,
    { flags: '--reason <text>', doc: 'why, for operators who find the jobs waiting; required' },
    { flags: '--from <time>', doc: 'start: 2h is in two hours; default now' },
    { flags: '--until <time>', doc: 'end; default: when it is ended by hand' },
    { flags: '--new-jobs-only', doc: 'jobs that were created before it begins go on' },
  ],
  changes: true,
  run: async (call) => {
    const scope = scopeOf(call);
    const reason = call.text('reason');
    if (reason === undefined) throw new UsageError('--reason is missing. Say why, for operators who find the jobs waiting.');
    const times = defined({ from: call.date('from', 'ahead'), until: call.date('until', 'ahead') });
    const { admin, name } = await call.deployment();
    await admin.suspend(scope, {
      reason,
      actor: call.actor,
      ...times,
      ...(call.on('newJobsOnly') ? { newJobsOnly: true } : {}),
    });
    if (call.show.json) call.show.data({ scope, outcome: 'suspended' });
    else call.show.line(`Suspended in ${name}; executors apply it within 5 seconds.`);
    return EXIT.done;
  },
};

const end: Verb = {
  name: 'end',
  summary: 'ends a suspension; the sweeper resumes its jobs, about in the order in which they were suspended',
  flags: [...SCOPE_FLAGS, { flags: '--rate <n>', doc: 'jobs per second at most; default as fast as possible' }, REASON_FLAG],
  changes: true,
  run: async (call) => {
    const scope = scopeOf(call);
    const [rate, reason] = [call.number('rate'), call.text('reason')];
    const { admin, name } = await call.deployment();
    const outcome = await admin.resume(scope, {
      actor: call.actor,
      ...defined({ ratePerSecond: rate, reason }),
    });
    if (call.show.json) call.show.data({ scope, outcome });
    else
      call.show.line(
        outcome === 'resumed' ? `Ended in ${name}; the sweeper resumes its jobs.` : `This scope was not suspended in ${name}.`,
      );
    return outcome === 'resumed' ? EXIT.done : EXIT.lost;
  },
};

/** `nightcrew suspensions`: scopes whose jobs do not start. */
export const suspensionsCommand = verbCommand('suspensions', 'scopes whose jobs do not start: types, tenants, groups, schedules, batches', [
  list,
  begin,
  end,
]);
