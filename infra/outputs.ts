import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/** What the outputs of a deployment are made from. */
interface OutputSource extends Construct {
  readonly activationTargets: unknown;
  operatorEnvironment(): Readonly<Record<string, string>>;
  readonly workers: ReadonlyMap<string, { readonly fn?: unknown }>;
  workerEnvironment(worker: string): Readonly<Record<string, string>>;
}

/** What a stack tells people of its deployment: how to switch it, how to operate it, how to run its workers outside Lambda. */
export function createOutputs(jobs: OutputSource): void {
  const json = (value: unknown): string => Stack.of(jobs).toJsonString(value);
  new CfnOutput(jobs, 'Activation', {
    description: 'What createActivation takes to switch this deployment off and on.',
    value: json(jobs.activationTargets),
  });
  new CfnOutput(jobs, 'Operator', {
    description: 'What nightcrew --stack reads: the environment of an operator, and what Activation says.',
    value: json({ environment: jobs.operatorEnvironment(), activation: jobs.activationTargets }),
  });
  for (const [worker, { fn }] of jobs.workers) {
    if (fn !== undefined) continue;
    new CfnOutput(jobs, `Environment-${worker}`, {
      description: `Environment variables of worker ${worker}, which runs outside Lambda.`,
      value: json(jobs.workerEnvironment(worker)),
    });
  }
}
