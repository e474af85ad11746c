import { Annotations, Stack, Token, TokenComparison } from 'aws-cdk-lib';
import { Grant, type IGrantable, type IPrincipal, type PolicyStatement, PrincipalBase } from 'aws-cdk-lib/aws-iam';
import type { IConstruct } from 'constructs';
import { refuse } from '../shared/config/deployment-checks.ts';
import { mergePermissions, OUTSIDE_WORKER, PERMISSIONS, type Permissions } from './permissions.ts';
import type { DeploymentReferences, SharedResource } from './references.ts';
import { statements } from './statements.ts';

/** Grants to functions and people outside the deployment. */
export type GrantKind = 'enqueue' | 'cancel' | 'read' | 'operate' | 'run';

const GRANTED: Readonly<Record<GrantKind, Permissions>> = {
  enqueue: PERMISSIONS.enqueue,
  cancel: mergePermissions(PERMISSIONS.enqueue, PERMISSIONS.cancel),
  read: PERMISSIONS.read,
  operate: mergePermissions(PERMISSIONS.read, PERMISSIONS.operate),
  // Handlers enqueue jobs of any worker.
  run: mergePermissions(OUTSIDE_WORKER, PERMISSIONS.enqueue),
};

/** What is granted, and to whom. */
export interface GrantOptions {
  readonly kind: GrantKind;
  readonly grantee: IGrantable;
  /** The worker that it is, for `run`. */
  readonly worker?: string;
}

/**
 * Adds the statements of one kind of grant to the grantee's policy. A principal of another account, and one that has no policy of its own,
 * gets them in the policies of tables, queues and key too. `scope`: the deployment.
 */
export function grant(scope: IConstruct, deployment: DeploymentReferences, { kind, grantee, worker }: GrantOptions): Grant {
  const { resources } = deployment;
  if (resources === undefined || !needsResourcePolicies(scope, grantee.grantPrincipal)) {
    return combined(
      statements(GRANTED[kind], deployment, worker).map((statement) =>
        Grant.addToPrincipal({
          grantee,
          actions: statement.actions,
          resourceArns: statement.resources,
          conditions: statement.conditions,
        }),
      ),
    );
  }
  refuseEverybody(kind, grantee.grantPrincipal);
  // A stack has no policy: no other account can describe it.
  const { stackArn: _, ...shared } = deployment;
  const all = statements(GRANTED[kind], shared, worker);
  return combined(all.flatMap((statement) => grantOnResources(scope, statement, { kind, grantee, resources })));
}

const combined = (grants: readonly Grant[]): Grant => grants.reduce((all, one) => all.combine(one));

interface ResourceGrant extends Pick<GrantOptions, 'kind' | 'grantee'> {
  readonly resources: ReadonlyMap<string, SharedResource>;
}

function grantOnResources(scope: IConstruct, statement: PolicyStatement, { kind, grantee, resources }: ResourceGrant): Grant[] {
  const { actions, conditions } = statement;
  return statement.resources.map((arn) => {
    const shared = resources.get(arn.replace(/\/index\/[^/]+$/, ''));
    if (shared === undefined) return Grant.addToPrincipal({ grantee, actions, resourceArns: [arn], conditions });
    const resource = watched(shared.resource, (refused) => warnOfImported(scope, { kind, arn, refused }));
    return Grant.addToPrincipalOrResource({ grantee, actions, resourceArns: [arn], conditions, ...shared, resource });
  });
}

/** A resource that tells which statements its policy did not take: those of an imported one. A grant succeeds all the same. */
function watched(resource: SharedResource['resource'], onRefused: (statement: PolicyStatement) => void): SharedResource['resource'] {
  const addToResourcePolicy: typeof resource.addToResourcePolicy = (statement) => {
    const result = resource.addToResourcePolicy(statement);
    if (!result.statementAdded) onRefused(statement);
    return result;
  };
  return Object.create(resource, { addToResourcePolicy: { value: addToResourcePolicy } }) as typeof resource;
}

interface RefusedStatement {
  readonly kind: GrantKind;
  readonly arn: string;
  readonly refused: PolicyStatement;
}

function warnOfImported(scope: IConstruct, { kind, arn, refused }: RefusedStatement): void {
  const text = JSON.stringify(Stack.of(scope).resolve(refused.toStatementJson()));
  Annotations.of(scope).addWarningV2(
    'nightcrew:resource-policy',
    `${kind}: ${arn} is imported, so its policy cannot be changed here. Make sure that it allows: ${text}`,
  );
}

/** Whether an identity policy is not enough, or cannot be written. */
function needsResourcePolicies(scope: IConstruct, principal: IPrincipal): boolean {
  if (principal instanceof PrincipalBase) return true;
  if (principal.principalAccount === undefined) return false;
  const compared = Token.compareStrings(Stack.of(scope).account, principal.principalAccount);
  return compared !== TokenComparison.SAME && compared !== TokenComparison.BOTH_UNRESOLVED;
}

/** Refuses a principal that is everybody. `kind`: the grant, in the message. */
export function refuseEverybody(kind: string, { policyFragment }: IPrincipal): void {
  const { principalJson, conditions } = policyFragment;
  const shown = JSON.stringify(principalJson);
  if (!shown.includes('"*"') || Object.keys(conditions).length > 0) return;
  refuse(kind, `${shown} means everybody in every account. Name an account or a role: new AccountPrincipal('123456789012').`);
}
