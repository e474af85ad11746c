import { Stack, Token } from 'aws-cdk-lib';
import type { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';

/** Lambda takes no more than this for names and values together. */
const MAX_BYTES = 4_096;
/** The suffix that CloudFormation appends to generated names. */
const GENERATED_SUFFIX = 14;
const LONG_REGION = 'ap-southeast-2';
const SOME_URL_BYTES = 120;

const watched = new WeakSet<CfnFunction>();

/**
 * Fails the synthesis when a function's variables would not fit, which CloudFormation finds out only in the middle of a deployment.
 * Names that are made there are estimated.
 */
export function watchEnvironmentSize(fn: IConstruct, resource = fn.node.defaultChild as CfnFunction): void {
  if (watched.has(resource)) return;
  watched.add(resource);
  resource.node.addValidation({
    validate: () => {
      const bytes = environmentBytes(resource);
      if (bytes <= MAX_BYTES) return [];
      return [
        `environment: the variables of ${fn.node.path} take about ${bytes} bytes, and Lambda takes ${MAX_BYTES}. ` +
          'The queues of all workers are among them: use fewer lanes and workers, or two JobExecutors.',
      ];
    },
  });
}

function environmentBytes(resource: CfnFunction): number {
  const stack = Stack.of(resource);
  const { environment } = resource;
  const { variables = {} } = (stack.resolve(environment) ?? {}) as { readonly variables?: Readonly<Record<string, unknown>> };
  const queues = queueNames(stack);
  return Object.entries(variables).reduce((sum, [name, value]) => sum + name.length + bytesOf(stack, queues, value), 0);
}

/** Names of queues by logical id. */
function queueNames(stack: Stack): ReadonlyMap<string, string> {
  const queues = stack.node.findAll().filter((one) => one instanceof CfnQueue);
  return new Map(queues.map((queue) => [String(stack.resolve(queue.logicalId)), String(stack.resolve(queue.queueName))]));
}

function bytesOf(stack: Stack, queues: ReadonlyMap<string, string>, value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value, 'utf8');
  if (Array.isArray(value)) return value.reduce<number>((sum, part) => sum + bytesOf(stack, queues, part), 0);
  const [[intrinsic, argument] = []] = Object.entries(value ?? {}) as readonly (readonly [string, unknown])[];
  if (intrinsic === 'Fn::Join') return bytesOf(stack, queues, (argument as readonly unknown[])[1]);
  if (intrinsic !== 'Ref') return SOME_URL_BYTES;
  const queue = queues.get(String(argument));
  // A queue's URL, or a name that CloudFormation makes of the stack's and the resource's.
  if (queue === undefined) return stack.stackName.length + String(argument).length + GENERATED_SUFFIX;
  const region = Token.isUnresolved(stack.region) ? LONG_REGION : stack.region;
  return `https://sqs.${region}.amazonaws.com/123456789012/${queue}`.length;
}
