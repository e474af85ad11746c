import type { JobFilter } from '../../operate/jobs/job-filter.ts';
import { JOB_VERBS } from '../../operate/verbs.ts';
import type { JobCommand, JobVerb } from '../../operate/verbs/verb.ts';
import { defined } from '../../shared/job/defined.ts';
import { InvalidInputError } from '../../shared/job/errors.ts';
import type { JobState } from '../../shared/job/job.ts';
import { mapLimited } from '../../shared/job/map-limited.ts';
import type { Call } from '../call.ts';
import { EXIT, UsageError } from '../exit.ts';
import { errorMessage } from '../text/error-message.ts';
import type { Flag, Verb } from '../verb.ts';
import { BULK_FLAGS, type BulkTask, runBulk } from './bulk.ts';
import { filterFlags, filterOf, saysSomething } from './filter-flags.ts';
import { lookAtNamed, type NamedJob, tellNamed } from './named-jobs.ts';
import { idsOf } from './read-jobs.ts';
import { actionOf, argumentFlags } from './verb-arguments.ts';

const PARALLEL = 8;
const CANARY: Flag = { flags: '--canary', doc: 'one job first, the rest when that one has completed' };

/** The verbs that a command has, in the order of its help. `state`: the command is about jobs in that state. */
export function actionVerbs(command: JobCommand, state?: JobState): readonly Verb[] {
  const verbs: readonly JobVerb[] = JOB_VERBS;
  return verbs
    .flatMap((verb) => {
      const place = verb.command.of[command];
      return place === undefined ? [] : [{ verb, place }];
    })
    .toSorted((a, b) => a.place - b.place)
    .map(({ verb }) => actionVerb(verb, state));
}

/** A verb as it is typed: for ids one by one, for a filter in bulk. */
function actionVerb(verb: JobVerb, state: JobState | undefined): Verb {
  return {
    name: verb.name,
    summary: verb.command.summary,
    argument: { text: '[ids...]', doc: 'ids of jobs; without any, a filter says which' },
    flags: [
      ...argumentFlags(verb, state),
      ...filterFlags(state),
      ...(state === undefined ? [] : [ALL_FLAG]),
      ...BULK_FLAGS,
      ...(verb.canary === undefined ? [] : [CANARY]),
    ],
    changes: true,
    more: 'With a filter it counts first and asks; --yes goes on without asking, --dry-run only counts. An id that cannot be changed is left alone: exit code 3.',
    run: async (call) => {
      const filter = filterOf(call, state);
      const ids = whichOf(call, filter, state);
      const wanted = await actionOf(verb, call);
      if (verb.context === 'required' && call.text('reason') === undefined)
        throw new UsageError('--reason is missing. Say why, for operators who find the job.');
      const deployment = await call.deployment();
      const task = { deployment, action: wanted, past: verb.command.past };
      const states = state === undefined ? (verb.actsOn?.(wanted) ?? verb.acts) : [state];
      if (ids === undefined) return runBulk(call, { ...task, filter });
      if (call.on('dryRun') || needsBulk(call, verb)) return bulkNamed(call, task, { ids, states });
      return eachId(call, verb, { deployment, action: wanted, ids, states });
    },
  };
}

/** In a command for one state; the page about the command line says it once. */
export const ALL_FLAG: Flag = { flags: '--all', doc: 'all jobs in this state; without ids and without a filter' };

/** The ids, or undefined for a filter. A variable that is empty by mistake must not mean everything, so that has to be said. */
function whichOf(call: Call, filter: JobFilter, state: JobState | undefined): readonly string[] | undefined {
  const says = saysSomething(filter, state);
  const ids = idsOf(call, says);
  if (call.on('all') && (says || ids !== undefined)) throw new UsageError('--all cannot be combined with ids or a filter.');
  if (ids === undefined && !says && !call.on('all')) {
    throw new UsageError(`name the jobs: ids, or a filter${state === undefined ? '' : ', or --all for all jobs in this state'}.`);
  }
  if (ids !== undefined && call.text('limit') !== undefined)
    throw new UsageError('--limit needs a filter; it cannot be combined with ids.');
  return ids;
}

/** Whether the call needs the bulk verb, because the one-job verb lacks an option. */
function needsBulk(call: Call, { context, command }: JobVerb): boolean {
  if (command.inBulk === 'always' || call.on('canary') || call.text('rate') !== undefined) return true;
  return (context === undefined || command.inBulk === 'with-a-reason') && call.text('reason') !== undefined;
}

/** Runs one bulk action, with one audit entry, over those ids whose state the verb accepts. */
async function bulkNamed(
  call: Call,
  task: Omit<BulkTask, 'filter' | 'named'>,
  { ids, states }: { readonly ids: readonly string[]; readonly states: readonly JobState[] },
): Promise<number> {
  const { meant, others } = await lookAtNamed(task.deployment.admin, ids, states);
  const [only = 'dead', ...more] = states;
  const filter = { state: more.length === 0 ? only : states, id: meant };
  if (meant.length > 0) return runBulk(call, { ...task, filter, named: { meant: meant.length, others } });
  if (call.show.json) call.show.data({ jobs: others });
  else tellNamed(call, others);
  return EXIT.lost;
}

async function eachId(
  call: Call,
  verb: JobVerb,
  terms: Pick<BulkTask, 'deployment' | 'action'> & { readonly ids: readonly string[]; readonly states: readonly JobState[] },
): Promise<number> {
  const { admin } = terms.deployment;
  const reason = call.text('reason');
  const context = { actor: call.actor, ...defined({ reason }) };
  const { meant, others } =
    verb.command.refuses === true ? { meant: terms.ids, others: [] } : await lookAtNamed(admin, terms.ids, terms.states);
  const refused: unknown[] = [];
  const answers = await mapLimited(meant, PARALLEL, async (id): Promise<NamedJob> => {
    try {
      const outcome = await verb.act(admin, id, terms.action, context);
      return { id, outcome, done: verb.done.includes(outcome) };
    } catch (error) {
      // One id alone: the caller gets its error, with the right exit code.
      if (terms.ids.length === 1) throw error;
      if (error instanceof InvalidInputError) refused.push(error);
      return { id, outcome: 'failed', done: false, error: errorMessage(error) };
    }
  });
  // What is refused for every id is a mistake in the command.
  if (refused.length > 0 && refused.length === meant.length) throw refused[0];
  const jobs = [...answers, ...others];
  if (call.show.json) call.show.data({ jobs });
  else tellNamed(call, jobs);
  if (answers.some(({ error }) => error !== undefined)) return EXIT.failed;
  return jobs.every(({ done }) => done) ? EXIT.done : EXIT.lost;
}
