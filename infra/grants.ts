import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import { mergePermissions, PERMISSIONS, type Permissions } from './permissions.ts';
import type { DeploymentReferences } from './references.ts';
import { statements } from './statements.ts';

/** What can be granted to functions and people outside the deployment. */
export type GrantKind = 'enqueue' | 'cancel' | 'read' | 'operate';

const GRANTED: Readonly<Record<GrantKind, Permissions>> = {
  enqueue: PERMISSIONS.enqueue,
  cancel: mergePermissions(PERMISSIONS.enqueue, PERMISSIONS.cancel),
  read: PERMISSIONS.read,
  operate: mergePermissions(PERMISSIONS.read, PERMISSIONS.operate),
};

/** Adds the statements of one kind of grant to the grantee's policy. */
export function grant(kind: GrantKind, deployment: DeploymentReferences, grantee: IGrantable): Grant {
  const grants = statements(GRANTED[kind], deployment).map((statement) =>
    Grant.addToPrincipal({ grantee, actions: statement.actions, resourceArns: statement.resources }),
  );
  return grants.reduce((all, one) => all.combine(one));
}
