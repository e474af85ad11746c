import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/** The inputs of a deployment's outputs. */
interface OutputSource extends Construct {
  readonly activationTargets: unknown;
  operatorEnvironment(): Readonly<Record<string, string>>;
  readonly workers: ReadonlyMap<string, { readonly fn?: unknown }>;
  workerEnvironment(worker: string): Readonly<Record<string, string>>;
}

/** The stack outputs for operators: how to switch the deployment, operate it, and run its workers outside Lambda. */
export function createOutputs(jobs: OutputSource): void {
  const json = (value: unknown): string => Stack.of(jobs).toJsonString(value);
  new CfnOutput(jobs, 'Activation', {
    description: 'Input of createActivation, to switch this deployment off and on.',
    value: json(jobs.activationTargets),
  });
  new CfnOutput(jobs, 'Operator', {
    description: 'Read by nightcrew --stack: the environment of an operator, and the output Activation.',
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
