import { defined } from '../../shared/job/defined.ts';
import { InvalidInputError } from '../../shared/job/errors.ts';
import { groupHash } from '../../shared/job/hint.ts';
import { checkText } from '../../shared/job/names.ts';
import { wakeNext } from '../../shared/features/group-order/store/wake.ts';
import { revIs } from '../../shared/store/conditions.ts';
import { hasPlace, leavePlaceWrites } from '../../shared/store/group-places.ts';
import { unchangedDead } from '../../shared/store/redrive.ts';
import type { Write } from '../../shared/ports/tables.ts';
import type { AuditContext } from '../../shared/operator/act.ts';
import type { AdminDeps } from '../admin-deps.ts';
import { changeJob, type OperatorVerb } from '../change-job.ts';
import type { JobVerb, NotDone } from './verb.ts';

/** What became of `releaseGroup`; only `released` wrote. `not-holding`: its group does not wait for it. */
export type ReleaseGroupOutcome = 'released' | 'not-holding' | NotDone;

/** The verb for one job. */
export interface ReleaseGroupVerb {
  /**
   * Lets the group of a job go on without it, if the group has `onFailure: 'block'`. The job stays what it is: a dead letter waits for a redrive,
   * a retry runs when it is due and nothing else of its group is started.
   */
  releaseGroup(id: string, context: AuditContext & { readonly reason: string }): Promise<ReleaseGroupOutcome>;
}

/** What to do to each job in bulk. */
export interface ReleaseGroupAction {
  readonly verb: 'release-group';
}

const SAY_WHY = 'Say why: the audit keeps it.';

/** Releases groups that a job holds back. */
export const releaseGroup: JobVerb<ReleaseGroupAction, ReleaseGroupVerb> = {
  name: 'release-group',
  method: 'releaseGroup',
  acts: ['waiting', 'suspended', 'ready', 'dead'],
  means: ['dead'],
  context: 'required',
  done: ['released'],
  repeated: () => ['not-holding', 'not-found'],
  refusals: { 'not-holding': 'Its group does not wait for it.' },
  command: {
    summary: "lets the groups of jobs go on without them, where onFailure: 'block' holds them back",
    past: 'passed by their groups',
    of: { jobs: 95, 'dead-letters': 40 },
  },
  button: {
    action: 'release-group',
    place: 86,
    label: 'Release its group',
    doing: 'releasing the groups of',
    confirm: 'The jobs of its group that wait for it go on. It stays what it is.',
    why: 'Why',
    whyMissing: SAY_WHY,
  },
  methods: (deps, tenant) => ({
    releaseGroup: async (id, context) =>
      letGoOn(deps, { name: 'releaseGroup', id, context, ...defined({ tenant }), event: () => undefined }),
  }),
  act: async (on, id, _, context) => on.releaseGroup(id, { ...context, reason: context.reason ?? '' }),
  says: () => 'Its group goes on without it.',
};

async function letGoOn(deps: AdminDeps, verb: OperatorVerb): Promise<ReleaseGroupOutcome> {
  if (checkText(verb.context?.reason, 'reason') === undefined) throw new InvalidInputError('reason', verb.context?.reason, SAY_WHY);
  let group: string | undefined;
  const outcome = await changeJob<ReleaseGroupOutcome>(deps, verb, async (found) => {
    const { state, table, key, job } = found;
    const leave = (outcome: ReleaseGroupOutcome) => ({ writes: [], answer: { outcome } });
    if (state === 'running' || state === 'parked' || state === 'finished') return leave(state);
    ({ group } = job);
    if (!(await hasPlace(deps.tables, job))) return leave('not-holding');
    // A job that was redriven or retried since the read may have taken its place again and wait for others. Without the place nothing would wake it.
    const asFound: Write = { op: 'check', table, key, condition: state === 'dead' ? unchangedDead(found.job) : revIs(found.job.rev) };
    return { writes: [asFound, ...leavePlaceWrites(job).map(onlyOnce)], answer: { outcome: 'released' } };
  });
  if (outcome === 'released' && group !== undefined) await wakeNext(deps, groupHash(group), 'operator');
  return outcome;
}

/** Of two operators one released it. */
const onlyOnce = (write: Write): Write => ({ ...write, condition: { test: 'present', attribute: 'pk' } });
