import type { JobState } from '../../shared/core/job.ts';
import { mapLimited } from '../../shared/core/map-limited.ts';
import type { Call } from '../call.ts';
import { EXIT, UsageError } from '../command.ts';
import type { OpenDeployment } from '../deployments/open-deployment.ts';
import { errorMessage } from '../text/error-message.ts';
import { plain } from '../text/plain.ts';
import type { Flag, Verb } from '../verb.ts';
import { BULK_FLAGS, runBulk } from './bulk.ts';
import { filterFlags, filterOf, saysSomething } from './filter-flags.ts';
import type { JobAction } from './job-actions.ts';
import { idsOf } from './read-jobs.ts';

const PARALLEL = 8;
const CANARY: Flag = { flags: '--canary', doc: 'one job first, the rest when that one has completed' };

/** The verb of an action: for ids one by one, for a filter in bulk. */
export function actionVerb(action: JobAction, state?: JobState): Verb {
  return {
    name: action.name,
    summary: action.summary,
    argument: { text: '[ids...]', doc: 'ids of jobs; without any, a filter says which' },
    flags: [...(action.flags ?? []), ...filterFlags(state, 'action'), ...BULK_FLAGS, ...(action.canary === true ? [CANARY] : [])],
    changes: true,
    more: 'With a filter it counts first and asks; --yes goes on without asking, --dry-run only counts. An id that cannot be changed is left alone: exit code 3.',
    run: async (call) => {
      const filter = filterOf(call, state);
      const ids = idsOf(call, saysSomething(filter, state));
      const wanted = action.action(call);
      if (action.told === 'required' && call.text('reason') === undefined)
        throw new UsageError('--reason is missing: say why, for whoever finds it.');
      const deployment = await call.deployment();
      if (ids === undefined) return runBulk(call, { deployment, action: wanted, filter, past: action.past });
      if (action.one === undefined || call.on('dryRun') || needsBulk(call, action)) {
        return runBulk(call, { deployment, action: wanted, filter: { id: ids }, past: action.past, named: true });
      }
      return eachId(call, action, { deployment, ids });
    },
  };
}

/** What the verb for one job does not take goes by the bulk verb, over the ids. */
function needsBulk(call: Call, { told }: JobAction): boolean {
  return (told === undefined && call.text('reason') !== undefined) || call.on('canary') || call.text('rate') !== undefined;
}

async function eachId(
  call: Call,
  action: JobAction,
  { deployment, ids }: { readonly deployment: OpenDeployment; readonly ids: readonly string[] },
): Promise<number> {
  const reason = call.text('reason');
  const told = { actor: call.actor, ...(reason === undefined ? {} : { reason }) };
  const answers = await mapLimited(ids, PARALLEL, async (id) => {
    try {
      const outcome = await (action.one?.(deployment.admin, id, { call, told }) ?? Promise.resolve('not-found'));
      return { id, outcome, done: action.done.includes(outcome) };
    } catch (error) {
      // One id alone: the caller gets its error, with the right exit code.
      if (ids.length === 1) throw error;
      return { id, outcome: 'failed', done: false, error: errorMessage(error) };
    }
  });
  if (call.show.json) call.show.data({ jobs: answers });
  for (const { id, outcome, done, error } of call.show.json ? [] : answers) {
    const style = done ? 'good' : error === undefined ? 'warn' : 'bad';
    call.show.line(
      `${plain(id)}  ${call.show.paint(style, done ? outcome : `left alone: ${outcome}`)}${error === undefined ? '' : `  ${plain(error)}`}`,
    );
  }
  if (answers.some(({ error }) => error !== undefined)) return EXIT.failed;
  return answers.every(({ done }) => done) ? EXIT.done : EXIT.lost;
}
