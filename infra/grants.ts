import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import { mergePermissions, PERMISSIONS, type Permissions } from './permissions.ts';
import type { DeploymentReferences } from './references.ts';
import { statements } from './statements.ts';

/** What can be granted to functions and people outside the deployment. */
export type GrantKind = 'enqueue' | 'cancel' | 'read' | 'operate' | 'run';

/** What an executor may do, without what only its event source mapping asks for. */
const OUTSIDE_WORKER: Permissions = {
  ...PERMISSIONS.executor,
  ownQueues: ['ReceiveMessage', 'DeleteMessage', 'ChangeMessageVisibility'],
};

const GRANTED: Readonly<Record<GrantKind, Permissions>> = {
  enqueue: PERMISSIONS.enqueue,
  cancel: mergePermissions(PERMISSIONS.enqueue, PERMISSIONS.cancel),
  read: PERMISSIONS.read,
  operate: mergePermissions(PERMISSIONS.read, PERMISSIONS.operate),
  // Handlers enqueue jobs of any worker.
  run: mergePermissions(OUTSIDE_WORKER, PERMISSIONS.enqueue),
};

/** Adds the statements of one kind of grant to the grantee's policy. `worker`: the worker that it is, for `run`. */
export function grant(kind: GrantKind, deployment: DeploymentReferences, grantee: IGrantable, worker?: string): Grant {
  const grants = statements(GRANTED[kind], deployment, worker).map((statement) =>
    Grant.addToPrincipal({ grantee, actions: statement.actions, resourceArns: statement.resources }),
  );
  return grants.reduce((all, one) => all.combine(one));
}
