import { defined } from '../../shared/job/defined.ts';
import { InvalidInputError } from '../../shared/job/errors.ts';
import { storedInstant } from '../../shared/job/instant.ts';
import type { Job } from '../../shared/job/job.ts';
import { checkOptions, checkTypeName, checkWorkerName } from '../../shared/job/names.ts';
import { liftStored } from '../../shared/job/payload-codec.ts';
import { isNewer } from '../../shared/job/upcast.ts';
import { validatePayload } from '../../shared/job/validate.ts';
import { presentName } from '../../shared/job/worker-names.ts';
import type { Row } from '../../shared/ports/tables.ts';
import { type Destination, planMove, resumedByMove } from '../../shared/store/move.ts';
import type { AdminDeps } from '../admin-deps.ts';
import type { AuditContext } from '../../shared/operator/act.ts';
import { ENCODED, recoded } from '../coded-payload.ts';
import { changeJob, requeuedEvent, type VerbEvent } from '../change-job.ts';
import type { JobVerb, NotDone } from './verb.ts';

/** What became of `move`; only `moved` wrote, or found the job there already. */
export type MoveOutcome = 'moved' | 'key-taken' | 'occurrence' | 'unreadable' | 'unfit' | 'encoded' | NotDone;

/** The verb for one job. */
export interface MoveVerb {
  /**
   * Gives an idle job another worker, another type, or both. `occurrence`: it waits for its schedule, which determines both. `key-taken`: a
   * job of that type holds its unique key. `unfit`: the type's schema refuses its payload, where the session has the type. `encoded`: its payload
   * is, and the session lacks one of the two types, or the codec.
   */
  move(id: string, to: Destination, context?: AuditContext): Promise<MoveOutcome>;
}

/** What to do to each job in bulk. */
export interface MoveAction extends Destination {
  readonly verb: 'move';
}

/** Moves jobs to another worker or type. */
export const move: JobVerb<MoveAction, MoveVerb> & { readonly wholeDeployment: true } = {
  name: 'move',
  method: 'move',
  acts: ['waiting', 'parked', 'suspended', 'ready', 'dead'],
  arguments: [
    {
      field: 'worker',
      kind: 'name',
      flag: { flags: '--to-worker <worker>', doc: 'the new worker' },
      asked: {
        one: { name: 'worker', label: 'Worker', hint: 'Empty: the same.' },
        many: { name: 'worker', label: 'Worker', hint: 'Empty: the same.' },
      },
    },
    {
      field: 'type',
      kind: 'name',
      flag: { flags: '--to-type <type>', doc: 'the new job type' },
      asked: {
        one: { name: 'type', label: 'Type', hint: 'Empty: the same.' },
        many: { name: 'type', label: 'Type', hint: 'Empty: the same.' },
      },
      sample: 'any',
    },
  ],
  context: 'optional',
  done: ['moved'],
  // A job that was moved no longer matches a filter by its old type or worker.
  repeated: () => ['running', 'finished', 'not-found', 'moved', 'changed'],
  refusals: {
    unfit: 'The schema of that type refuses its payload: nothing was changed.',
    encoded: ENCODED,
  },
  canary: { canTell: (row, { now, withinMs }) => runsNow(row) && (storedInstant(row['dueAt']) ?? 0) <= now + withinMs },
  wholeDeployment: true,
  command: {
    summary: 'moves jobs that do not run to another worker or type',
    past: 'moved there',
    of: { jobs: 85 },
  },
  button: { action: 'move', place: 82, label: 'Move', doing: 'moving' },
  check: ({ verb, worker, type }) => ({ verb, ...checkNames({ worker, type }) }),
  checkIn: (deps, { verb, ...to }) => ({ verb, ...checkDestination(deps, to) }),
  methods: (deps, tenant) => ({
    async move(id, to, context = {}) {
      const destination = checkDestination(deps, to);
      const { worker, type } = destination;
      const detail = [...(type === undefined ? [] : [`to type ${type}`]), ...(worker === undefined ? [] : [`to worker ${worker}`])].join(
        ', ',
      );
      return changeJob(deps, { name: 'move', id, context, detail, ...defined({ tenant }), event: moveEvent }, async (found, terms) =>
        planMove(deps.tables, found, destination, {
          ...terms,
          lanes: (name) => deps.deployment.workers.get(name),
          fits: async (job) => fits(deps, job),
          recode: async (job, into) => recoded(deps, job, into),
        }),
      );
    },
  }),
  act: async (on, id, { verb: _verb, ...to }, context) => on.move(id, to, context),
  says: (_, { worker, type }) =>
    `It belongs to ${[...(type === undefined ? [] : [`type ${type}`]), ...(worker === undefined ? [] : [`worker ${worker}`])].join(' and ')} now.`,
  title: ({ worker, type }) => `: ${[type, worker].filter((one) => one !== undefined).join(', ')}`,
};

/** Whether the move sends a job to its queue: not a timer, a dead letter, or a job that something else holds. */
function runsNow({ shard, failedAt, cause }: Row): boolean {
  return shard === undefined && failedAt === undefined && (cause === undefined || resumedByMove(String(cause)));
}

const moveEvent: VerbEvent = (met, ready) =>
  met.state === 'ready' && ready !== undefined ? { event: 'rerouted', reason: ready.lane } : requeuedEvent('move')(met, ready);

function checkNames({ worker, type }: { readonly worker?: unknown; readonly type?: unknown }): Destination {
  if (worker === undefined && type === undefined) throw new InvalidInputError('to', {}, 'Give worker, type, or both.');
  return {
    ...(worker === undefined ? {} : { worker: checkWorkerName(worker) }),
    ...(type === undefined ? {} : { type: checkTypeName(type) }),
  };
}

/** A type that the session knows brings its worker along. Refuses a worker that the deployment does not have. */
function checkDestination(deps: AdminDeps, to: unknown): Destination {
  checkOptions(to, ['worker', 'type'], 'to');
  const { worker, type } = checkNames(to as Destination);
  const { workers } = deps.deployment;
  const given = worker ?? deps.jobTypes?.get(type ?? '')?.worker;
  if (given === undefined) return defined({ type });
  if (workers.has(given)) return { worker: presentName(workers, given), ...defined({ type }) };
  throw new InvalidInputError('worker', given, `This deployment has: ${[...workers.keys()].join(', ')}.`);
}

/** Whether a handler of the type could read the payload, lifted to the version of the type; true for a type that the session does not have. */
async function fits({ jobTypes }: AdminDeps, job: Job): Promise<boolean> {
  const type = jobTypes?.get(job.type);
  if (type === undefined) return true;
  if (isNewer(type, job)) return false;
  const read = async (): Promise<unknown> => validatePayload(type.schema, type.name, await liftStored(type, job));
  return read().then(
    () => true,
    () => false,
  );
}
