import { CfnOutput, Stack } from 'aws-cdk-lib';
import { Construct } from 'constructs';

/** The inputs of a deployment's outputs. */
interface OutputSource extends Construct {
  readonly activationTargets: unknown;
  operatorEnvironment(): Readonly<Record<string, string>>;
  readonly workers: ReadonlyMap<string, { readonly fn?: unknown }>;
  workerEnvironment(worker: string): Readonly<Record<string, string>>;
}

const READ_BY_STACK = 'Read by nightcrew --stack: the environment of an operator, and the output Activation.';

/** The stack outputs for operators: how to switch the deployment, operate it, and run its workers outside Lambda. */
export function createOutputs(jobs: OutputSource): void {
  const json = (value: unknown): string => Stack.of(jobs).toJsonString(value);
  new CfnOutput(jobs, 'Activation', {
    description: 'Input of createActivation, to switch this deployment off and on.',
    value: json(jobs.activationTargets),
  });
  const operator = new CfnOutput(jobs, 'Operator', {
    description: READ_BY_STACK,
    value: json({ environment: jobs.operatorEnvironment(), activation: jobs.activationTargets }),
  });
  putOutAbove(jobs, operator);
  for (const [worker, { fn }] of jobs.workers) {
    if (fn !== undefined) continue;
    new CfnOutput(jobs, `Environment-${worker}`, {
      description: `Environment variables of worker ${worker}, which runs outside Lambda.`,
      value: json(jobs.workerEnvironment(worker)),
    });
  }
}

/** The stack that is deployed under a name of the user's: the outermost one. CloudFormation names nested stacks. */
export function deployedStack(scope: Construct): Stack {
  const stack = Stack.of(scope);
  return stack.nestedStackParent === undefined ? stack : deployedStack(stack.nestedStackParent);
}

/** Repeats an output of a nested stack in each stack around it, under the construct's own name: an operator knows the outermost one. */
function putOutAbove(jobs: Construct, output: CfnOutput): void {
  const inner = Stack.of(output);
  const { nestedStackResource: nested, nestedStackParent: parent } = inner;
  if (nested === undefined || parent === undefined) return;
  const id = `${inner.node.id}-${jobs.node.path.slice(inner.node.path.length + 1)}`.replaceAll('/', '-');
  const place = new Construct(parent, id);
  const value = nested.getAtt(`Outputs.${inner.getLogicalId(output)}`).toString();
  putOutAbove(place, new CfnOutput(place, 'Operator', { description: READ_BY_STACK, value }));
}
