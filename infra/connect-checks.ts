import { Stack, Token, TokenComparison } from 'aws-cdk-lib';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IConstruct } from 'constructs';
import { refuse, shownValue } from '../shared/config/deployment-checks.ts';
import { knownNames } from '../shared/job/closest-name.ts';
import { functionOf } from './connected-environment.ts';

/** What a call connects, and how. */
export interface ConnectCall {
  readonly verb: 'connect' | 'connectOperator';
  readonly grantee: IGrantable;
  readonly options: object;
  readonly known: readonly string[];
}

/** Refuses what cannot be granted anything, options that there are not, and a function that would look for the tables elsewhere. */
export function checkConnect(scope: IConstruct, { verb, grantee, options, known }: ConnectCall): void {
  const target: unknown = grantee;
  if (typeof target !== 'object' || target === null || !('grantPrincipal' in target)) {
    refuse(verb, `${shownValue(target)} cannot be granted anything. Give a function, or a role.`);
  }
  if (typeof options !== 'object' || (options as unknown) === null)
    refuse(verb, `${shownValue(options)} is no object with options. Use { ${known.join(', ')} }.`);
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined) refuse(`${verb}.${unknown}`, `is no option of it. ${knownNames(unknown, known)}`);
  const { cancel } = options as { readonly cancel?: unknown };
  if (cancel !== undefined && typeof cancel !== 'boolean') refuse(`${verb}.cancel`, `${shownValue(cancel)} is neither true nor false.`);
  checkPlace(scope, verb, grantee);
}

/** A function reaches tables and queues of its Region. Of another account it names them by ARN, which only an imported deployment does. */
function checkPlace(scope: IConstruct, verb: string, grantee: IGrantable): void {
  const fn = functionOf(grantee);
  if (fn === undefined) return;
  const { region, account } = Stack.of(scope);
  if (Token.compareStrings(fn.env.region, region) === TokenComparison.DIFFERENT) {
    refuse(
      verb,
      `${fn.node.path} is in ${fn.env.region} and the deployment in ${region}: a function reaches tables of its own Region only.`,
    );
  }
  if (Token.compareStrings(fn.env.account, account) === TokenComparison.DIFFERENT) {
    refuse(
      verb,
      `${fn.node.path} is in account ${fn.env.account} and the deployment in ${account}. ` +
        `Let that account in, grantEnqueue(new AccountPrincipal('${fn.env.account}')), and connect it there by JobExecutor.fromJobExecutorAttributes.`,
    );
  }
}
