import type { LeftGroupDeps } from '../shared/features/error-groups/admin/left-groups.ts';
import type { ErrorGroupSums } from '../shared/features/error-groups/store/error-group-sums.ts';
import type { OperatorDeps } from '../shared/operator/operator-deps.ts';

/** The dependencies of the admin, and what an action on many jobs adds to them. */
export interface AdminDeps extends OperatorDeps, LeftGroupDeps {
  /** What a bulk action has still to write to the error groups of jobs that it buried; absent: each burial writes at once. */
  readonly errorGroups?: ErrorGroupSums;
}
