import { defined } from '../../shared/job/defined.ts';
import { errorText } from '../../shared/job/error-text.ts';
import { InvalidInputError } from '../../shared/job/errors.ts';
import { checkJobId } from '../../shared/job/job-id.ts';
import { checkOptions, checkText } from '../../shared/job/names.ts';
import { deathOf } from '../../shared/features/error-groups/model/error-group.ts';
import { inItsErrorGroup } from '../../shared/features/error-groups/store/error-groups.ts';
import { jobRef } from '../../shared/ports/journal.ts';
import { buryIdle, type IdleBuried } from '../../shared/store/bury-idle.ts';
import { locate } from '../../shared/store/locate.ts';
import { CHANGED, keptMoving, untilUnchanged } from '../../shared/store/until-unchanged.ts';
import type { AdminDeps } from '../admin-deps.ts';
import type { AuditContext } from '../../shared/operator/act.ts';
import { auditOf, type OperatorVerb } from '../change-job.ts';
import { waitForPutWindow } from '../wait-for-put-window.ts';
import type { JobVerb } from './verb.ts';

/** What became of `bury`; only `buried` wrote. `running`: it was left alone; cancel it, or bury it when its attempt has ended. */
export type BuryOutcome = Exclude<IdleBuried['outcome'], 'other-type'>;

/** The verb for one job. */
export interface BuryVerb {
  /**
   * Makes a job that does not run a dead letter, until an operator redrives or deletes it. Its error is the reason. A batch counts it
   * as failed, its unique key is free, and a schedule continues with the occurrence after it.
   */
  bury(id: string, context: AuditContext & { readonly reason: string }): Promise<BuryOutcome>;
}

/** What to do to each job in bulk. */
export interface BuryAction {
  readonly verb: 'bury';
}

/** Reads of a job that others keep moving to another type. */
const MAX_TYPES = 5;

const SAY_WHY = 'Say why: the dead letter shows it as its error.';

/** Moves jobs to the dead letters. */
export const bury: JobVerb<BuryAction, BuryVerb> = {
  name: 'bury',
  method: 'bury',
  acts: ['waiting', 'parked', 'suspended', 'ready'],
  context: 'required',
  done: ['buried'],
  repeated: () => ['dead', 'not-found'],
  command: {
    summary: 'moves jobs that do not run to the dead letters',
    past: 'moved to the dead letters',
    of: { jobs: 90, timers: 40, suspended: 40 },
  },
  button: {
    action: 'bury',
    place: 85,
    label: 'Bury',
    doing: 'burying',
    danger: true,
    confirm: 'It becomes a dead letter: it will not run until an operator redrives it.',
    why: 'Why: the dead letter shows it as its error',
    whyMissing: SAY_WHY,
  },
  methods: (deps, tenant) => ({
    bury: async (id, context) => buryJob(deps, { name: 'bury', id, context, ...defined({ tenant }) }),
  }),
  act: async (on, id, _, context) => on.bury(id, { ...context, reason: context.reason ?? '' }),
  says: () => 'Buried: it is a dead letter, and will not run until an operator redrives it.',
};

async function buryJob(deps: AdminDeps, verb: OperatorVerb): Promise<BuryOutcome> {
  const reason = checkText(verb.context?.reason, 'reason');
  if (reason === undefined) throw new InvalidInputError('reason', verb.context?.reason, SAY_WHY);
  checkOptions(verb.context, ['actor', 'reason'], 'options');
  const id = checkJobId(verb.id);
  await waitForPutWindow(deps, id);
  return untilUnchanged(MAX_TYPES, async () => buryLocated(deps, { ...verb, id }, reason), keptMoving('bury'));
}

/** Returns CHANGED if the job was moved to another type: its death then belongs to another error group. */
async function buryLocated(deps: AdminDeps, verb: OperatorVerb, reason: string): Promise<BuryOutcome | typeof CHANGED> {
  const { id } = verb;
  const found = await locate(deps.tables, id);
  if (found === undefined || (verb.tenant !== undefined && found.job.tenant !== verb.tenant)) return 'not-found';
  if (found.state === 'running' || found.state === 'dead' || found.state === 'finished') return found.state;
  const terms = { token: deps.entropy.token(), now: deps.clock.now() };
  const error = errorText({ name: 'BuriedByOperator', message: reason }, terms.now);
  const buried = await inItsErrorGroup(
    deps,
    { death: deathOf(id, found.job.type, error), attempt: `bury/${id}/${terms.token}` },
    async () =>
      buryIdle(deps.tables, found, { token: terms.token, error, ...defined({ tenant: verb.tenant }) }, (job) =>
        auditOf(deps, verb, job, terms),
      ),
    ({ outcome }) => outcome === 'buried',
  );
  if (buried.outcome === 'other-type') return CHANGED;
  if (buried.outcome === 'buried') {
    const { dead } = buried;
    deps.journal.record({ event: 'dead-lettered', worker: dead.worker, job: jobRef(dead), reason: dead.reason, error });
  }
  return buried.outcome;
}
