import { join } from 'node:path';
import type { SQSEvent } from 'aws-lambda';
import { type ChildProcessRuntime, createChildProcessRuntime } from '../../local/child-process-runtime.ts';
import { type EventSource, startEventSource } from '../../local/event-source.ts';
import type { FunctionRuntime } from '../../local/function-runtime.ts';
import { createSqsClient } from '../../shared/sqs/client.ts';
import { EMULATOR_ACCESS } from '../support/emulator-access.ts';
import type { DeployablePart, LeftOutFunction } from './deployable-part.ts';

/** What the functions of a deployment are run with. */
export interface DeployedWith {
  /** Of the emulator that has the tables and queues. */
  readonly endpoint: string;
  /** Outputs of the stack by name. */
  readonly outputs: Readonly<Record<string, string>>;
  /** Folder of the synthesized assembly, with the bundles in it. */
  readonly assembly: string;
  /** Variables that every function gets besides its own. */
  readonly variables: Readonly<Record<string, string>>;
  readonly log: (line: string) => void;
  /** Told failed polls, deletes, invocations and ticks. */
  readonly onProblem: (what: string, error: unknown) => void;
}

/** The functions that an emulator did not deploy, in processes of their own behind the queues that it did. */
export interface DeployedFunctions {
  /** The one function whose logical id begins so. */
  runtime(prefix: string): FunctionRuntime;
  /** The environment of a function as it was deployed, without the emulators' endpoints. */
  environment(prefix: string): Readonly<Record<string, string>>;
  /** How often a function was invoked by a tick, and returned. */
  ticks(prefix: string): number;
  stop(): Promise<void>;
}

const STOP_GRACE_MS = 5_000;

/** Starts an event source for each mapping of the template, and one for each tick's queue. */
export async function startDeployedFunctions(part: DeployablePart, deployed: DeployedWith): Promise<DeployedFunctions> {
  const { endpoint, outputs, onProblem } = deployed;
  const sqs = createSqsClient({ ...EMULATOR_ACCESS, endpoint });
  const runtimes = new Map(part.functions.map((fn) => [fn.id, startFunction(fn, deployed)]));
  const counts = new Map<string, number>();
  const sources: EventSource[] = [];
  const poll = async (
    functionId: string,
    queue: string,
    options: { runtime: FunctionRuntime; batchSize: number; maxConcurrency: number },
  ) => {
    const { timeoutMs } = one(part.functions, functionId);
    const queueUrl = outputs[queue] ?? '';
    sources.push(await startEventSource({ sqs, queueUrl, functionTimeoutMs: timeoutMs, onProblem, ...options }));
  };
  for (const { functionId, queueUrl, batchSize, maxConcurrency } of part.sources) {
    await poll(functionId, queueUrl, { runtime: found(runtimes, functionId), batchSize, maxConcurrency });
  }
  for (const { functionId, queueUrl } of part.ticks) {
    const runtime = ticked(found(runtimes, functionId), () => counts.set(functionId, (counts.get(functionId) ?? 0) + 1));
    await poll(functionId, queueUrl, { runtime, batchSize: 1, maxConcurrency: 2 });
  }
  return {
    runtime: (prefix) => found(runtimes, one(part.functions, prefix).id),
    environment: (prefix) => environmentOf(one(part.functions, prefix), outputs),
    ticks: (prefix) => counts.get(one(part.functions, prefix).id) ?? 0,
    async stop() {
      await Promise.all(sources.map((source) => source.stop(STOP_GRACE_MS)));
      await Promise.all([...runtimes.values()].map((runtime) => runtime.stop()));
      sqs.destroy();
    },
  };
}

function startFunction(fn: LeftOutFunction, { endpoint, outputs, assembly, variables, log }: DeployedWith): ChildProcessRuntime {
  return createChildProcessRuntime({
    name: fn.id,
    memoryMb: fn.memoryMb,
    codeFolder: join(assembly, fn.asset),
    environment: {
      ...environmentOf(fn, outputs),
      ...variables,
      AWS_ENDPOINT_URL_DYNAMODB: endpoint,
      AWS_ENDPOINT_URL_SQS: endpoint,
    },
    log,
  });
}

/** A tick's message holds what the schedule would have invoked the function with. */
function ticked(runtime: FunctionRuntime, count: () => void): FunctionRuntime {
  return {
    name: runtime.name,
    get running() {
      return runtime.running;
    },
    async invoke(event, options) {
      for (const { body } of (event as SQSEvent).Records) await runtime.invoke(JSON.parse(body), options);
      count();
    },
  };
}

function environmentOf({ environment }: LeftOutFunction, outputs: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(environment).map(([name, output]) => [name, outputs[output] ?? '']));
}

function one(functions: readonly LeftOutFunction[], prefix: string): LeftOutFunction {
  const [fn, ...others] = functions.filter(({ id }) => id.startsWith(prefix));
  if (fn === undefined || others.length > 0)
    throw new Error(`${prefix}: one function is wanted among ${functions.map(({ id }) => id).join(', ')}.`);
  return fn;
}

function found(runtimes: ReadonlyMap<string, ChildProcessRuntime>, id: string): ChildProcessRuntime {
  const runtime = runtimes.get(id);
  if (runtime === undefined) throw new Error(`There is no function ${id}.`);
  return runtime;
}
