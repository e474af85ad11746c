import { Stack } from 'aws-cdk-lib';
import type { CfnFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { refuse } from '../shared/config/deployment-checks.ts';
import { ENVIRONMENT } from '../shared/config/environment.ts';

const OURS: ReadonlySet<string> = new Set(Object.values(ENVIRONMENT));

/**
 * The variables of a deployment that a function does not have yet, and those of `knowing`, which know more than any other function's. For
 * the rest, a function that already belongs to the deployment keeps its own: an executor knows more than a client. Refuses a function
 * of another deployment, whose tables it would lose.
 */
export function lackingVariables(
  fn: LambdaFunction,
  deployment: string,
  variables: Readonly<Record<string, string>>,
  knowing: readonly string[],
): readonly (readonly [string, string])[] {
  const stack = Stack.of(fn);
  const { environment } = fn.node.defaultChild as CfnFunction;
  const present = ((stack.resolve(environment) ?? {}) as { readonly variables?: Readonly<Record<string, unknown>> }).variables ?? {};
  const ours = Object.keys(present).filter((name) => OURS.has(name));
  if (ours.length === 0) return Object.entries(variables);
  const other = JSON.stringify(present[ENVIRONMENT.deployment] ?? 'another');
  if (other !== JSON.stringify(stack.resolve(deployment))) {
    refuse(
      'connect',
      `${fn.node.path} belongs to deployment ${other}, and its environment names one only. ` +
        `Connect another function to ${deployment}, or use grantEnqueue and hand the client its environment in code.`,
    );
  }
  // Settings that an executor leaves out are the defaults, and a client's would change them.
  return Object.entries(variables).filter(([name]) => knowing.includes(name));
}
