import { StoreUnavailableError } from '../../shared/job/errors.ts';
import { cancelOne } from '../cancel-one.ts';
import type { CancelWhereVerb } from '../cancel-where.ts';
import type { ReadVerbs } from '../jobs/read-verbs.ts';
import type { JobVerb } from './verb.ts';

/** What to do to each job in bulk. */
export interface CancelAction {
  readonly verb: 'cancel';
}

/** Cancels jobs. The admin has `cancelWhere` for it, for one job too, with the audit entries of a bulk action. */
export const cancel: JobVerb<CancelAction, object, CancelWhereVerb & Pick<ReadVerbs, 'find'>> = {
  name: 'cancel',
  method: 'cancelWhere',
  acts: ['waiting', 'parked', 'suspended', 'ready', 'running'],
  context: 'optional',
  done: ['cancelled', 'cancel-requested'],
  repeated: () => ['finished', 'not-found'],
  refusals: { 'asked-before': 'It runs and was asked to stop already.' },
  command: {
    summary: 'cancels jobs; running ones are asked to stop',
    past: 'cancelled',
    of: { jobs: 10, timers: 30, suspended: 30 },
    inBulk: 'always',
  },
  button: {
    action: 'cancel',
    place: 90,
    label: 'Cancel',
    doing: 'cancelling',
    danger: true,
    confirm: 'It will not run; a running job is asked to stop. This cannot be undone.',
  },
  methods: () => ({}),
  async act(on, id, _, context) {
    const report = await on.cancelWhere({ id }, context);
    if (report.cancelled > 0) return 'cancelled';
    if (report.requested > 0) return 'cancel-requested';
    const job = await on.find(id);
    // Its write may have been applied: cancelWhere has journalled why its outcome is unknown.
    if (report.failed > 0 && job?.raw === undefined) throw new StoreUnavailableError('cancel', undefined);
    if (report.failed > 0) return 'changed';
    return job?.cancelRequested === true ? 'asked-before' : (job?.state ?? 'not-found');
  },
  actInBulk: async (deps, id, _, { actor, reason }) => cancelOne(deps, id, { cancelReason: reason, cancelledBy: actor }),
  says: (outcome) =>
    outcome === 'cancelled'
      ? 'Cancelled: it will not run.'
      : 'It runs just now and was asked to stop: it ends as cancelled, whatever its handler makes of it.',
};
