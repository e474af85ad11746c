import {
  type Alias,
  CfnEventSourceMapping,
  type CfnEventSourceMappingProps,
  type Code,
  type Function as LambdaFunction,
  RecursiveLoop,
} from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Settings } from '../shared/config/settings.ts';
import { defined } from '../shared/job/defined.ts';
import { acknowledge } from './acknowledgements.ts';
import type { LaneCapacity, WorkerLanePlan } from './lane-plan.ts';
import { createFunction, type FunctionChoices } from './function-defaults.ts';
import { mergePermissions, PERMISSIONS } from './permissions.ts';
import type { DeploymentReferences } from './references.ts';
import { releaseFunction } from './release.ts';
import { statements } from './statements.ts';
import type { WorkerQueues } from './queues.ts';

/** SQS takes no larger batches from a FIFO queue. */
const FIFO_BATCH = 10;

/** Props of one worker's executor. */
export interface ExecutorFunctionOptions {
  readonly worker: string;
  readonly code: Code;
  readonly handler?: string;
  readonly queues: WorkerQueues;
  readonly lanes: WorkerLanePlan;
  readonly settings: Settings;
  readonly deployment: DeploymentReferences;
  readonly environment: Readonly<Record<string, string>>;
  readonly active: boolean;
  readonly choices: FunctionChoices;
}

/** The executor of one worker with its event source mappings. */
export class ExecutorFunction extends Construct {
  readonly fn: LambdaFunction;
  /** What the mappings invoke. */
  readonly alias: Alias;
  /** One per queue; disabled while the executor is not active. */
  readonly mappings: readonly CfnEventSourceMapping[];
  readonly #options: ExecutorFunctionOptions;

  constructor(scope: Construct, id: string, options: ExecutorFunctionOptions) {
    super(scope, id);
    this.#options = options;
    const { settings, deployment, worker, queues } = options;
    this.fn = createFunction(
      this,
      {
        description: `Nightcrew executor of worker ${worker}: runs jobs.`,
        code: options.code,
        ...defined({ handler: options.handler }),
        timeoutMs: settings.executorTimeoutMs,
        memoryMb: settings.executorMemoryMb,
        environment: options.environment,
        // Handlers enqueue jobs of any worker, so an executor is connected from the start.
        statements: statements(mergePermissions(PERMISSIONS.executor, PERMISSIONS.enqueue), deployment, worker),
        deadLetterQueue: queues.deadLetterQueue,
        // Otherwise Lambda stops a chain of jobs that enqueue jobs after about 16; `chainLimit` is our own guard.
        recursiveLoop: RecursiveLoop.ALLOW,
      },
      options.choices,
    );
    this.alias = releaseFunction(this, this.fn, settings.provisionedConcurrency);
    this.mappings = [
      ...Object.entries(queues.lanes).map(([lane, queue]) =>
        this.#mapping(`Lane-${lane}-Source`, { queue, capacity: options.lanes.capacities[lane] ?? settings }),
      ),
      ...(queues.fifo === undefined ? [] : [this.#mapping('Fifo-Source', { queue: queues.fifo, capacity: options.lanes.fifo })]),
    ];
    acknowledge(this.fn.role ?? this.fn, 'anyResource');
  }

  /** An L1, because the L2 adds a permission that nothing uses. */
  #mapping(id: string, { queue, capacity }: { readonly queue: Queue; readonly capacity: LaneCapacity }): CfnEventSourceMapping {
    const { settings, active } = this.#options;
    const mapping = new CfnEventSourceMapping(this, id, {
      functionName: this.alias.functionArn,
      eventSourceArn: queue.queueArn,
      batchSize: queue.fifo ? Math.min(capacity.batchSize, FIFO_BATCH) : capacity.batchSize,
      ...(queue.fifo ? {} : { maximumBatchingWindowInSeconds: settings.batchWindowMs / 1_000 }),
      functionResponseTypes: ['ReportBatchItemFailures'],
      ...scaling(capacity),
      enabled: active,
    });
    // Lambda tries the role when it creates a mapping.
    if (this.fn.role !== undefined) mapping.node.addDependency(this.fn.role);
    acknowledge(mapping, 'eventSource');
    return mapping;
  }
}

/** Lambda takes either a limit or pollers of its own for a queue; without both it scales as the account allows. */
function scaling({ maxConcurrency, pollers }: LaneCapacity): Partial<CfnEventSourceMappingProps> {
  if (pollers !== undefined) {
    const { minimum: minimumPollers, maximum: maximumPollers } = pollers;
    return { provisionedPollerConfig: defined({ minimumPollers, maximumPollers }) };
  }
  return maxConcurrency === 0 ? {} : { scalingConfig: { maximumConcurrency: maxConcurrency } };
}
