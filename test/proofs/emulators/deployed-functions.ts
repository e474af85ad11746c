import { join } from 'node:path';
import type { SQSEvent } from 'aws-lambda';
import { type ChildProcessRuntime, createChildProcessRuntime } from '../../../local/child-process-runtime.ts';
import { type EventSource, startEventSource } from '../../../local/event-source.ts';
import type { FunctionRuntime } from '../../../local/function-runtime.ts';
import { createSqsClient } from '../../../shared/adapters/sqs/client.ts';
import { EMULATOR_ACCESS } from '../../support/emulator-access.ts';
import type { DeployablePart, LeftOutFunction } from './deployable-part.ts';

/** Options of a deployment's functions. */
export interface DeployedWith {
  /** Of the emulator that has the tables and queues. */
  readonly endpoint: string;
  /** Outputs of the stack by name. */
  readonly outputs: Readonly<Record<string, string>>;
  /** Folder of the synthesized assembly, with the bundles in it. */
  readonly assembly: string;
  /** Variables of every function in addition to its own. */
  readonly variables: Readonly<Record<string, string>>;
  readonly log: (line: string) => void;
  /** Receives failed polls, deletes, invocations and ticks. */
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
  /** How often messages of queues whose URL ends so were given to their function, and it returned. */
  batches(suffix: string): number;
  stop(): Promise<void>;
}

interface Polled {
  readonly functionId: string;
  readonly queueUrl: string;
  readonly batchSize: number;
  readonly maxConcurrency: number;
}

const STOP_GRACE_MS = 5_000;
/** One tick a message, and the next one may come before it has ended. */
const TICK_POLLING = { batchSize: 1, maxConcurrency: 2 };

/** Starts an event source for each mapping of the template, and one for each tick's queue. */
export async function startDeployedFunctions(part: DeployablePart, deployed: DeployedWith): Promise<DeployedFunctions> {
  const { endpoint, outputs, onProblem } = deployed;
  const sqs = createSqsClient({ ...EMULATOR_ACCESS, endpoint });
  const runtimes = new Map(part.functions.map((fn) => [fn.id, startFunction(fn, deployed)]));
  const counts = new Map<string, number>();
  const sources: EventSource[] = [];
  const runtimeOf = (prefix: string): ChildProcessRuntime => runtimes.get(one(part.functions, prefix).id) as ChildProcessRuntime;
  const poll = async (
    { functionId, queueUrl: output, ...options }: Polled,
    around: (inner: FunctionRuntime) => FunctionRuntime,
  ): Promise<void> => {
    const queueUrl = outputs[output] ?? '';
    const runtime = counting(around(runtimeOf(functionId)), () => counts.set(queueUrl, (counts.get(queueUrl) ?? 0) + 1));
    const functionTimeoutMs = one(part.functions, functionId).timeoutMs;
    sources.push(await startEventSource({ sqs, queueUrl, runtime, functionTimeoutMs, onProblem, ...options }));
  };
  for (const source of part.sources) await poll(source, (runtime) => runtime);
  for (const tick of part.ticks) await poll({ ...tick, ...TICK_POLLING }, ticked);
  const sum = (queueUrls: readonly string[]): number => queueUrls.reduce((all, url) => all + (counts.get(url) ?? 0), 0);
  return {
    runtime: runtimeOf,
    environment: (prefix) => environmentOf(one(part.functions, prefix), outputs),
    ticks: (prefix) =>
      sum(part.ticks.filter(({ functionId }) => functionId.startsWith(prefix)).map(({ queueUrl }) => outputs[queueUrl] ?? '')),
    batches: (suffix) => sum([...counts.keys()].filter((url) => url.endsWith(suffix))),
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
function ticked(inner: FunctionRuntime): FunctionRuntime {
  return wrapped(inner, async (event, options) => {
    for (const { body } of (event as SQSEvent).Records) {
      const { input } = JSON.parse(body) as { readonly input: unknown };
      await inner.invoke(input, options);
    }
  });
}

function counting(inner: FunctionRuntime, count: () => void): FunctionRuntime {
  return wrapped(inner, async (event, options) => {
    const returned = await inner.invoke(event, options);
    count();
    return returned;
  });
}

function wrapped(inner: FunctionRuntime, invoke: FunctionRuntime['invoke']): FunctionRuntime {
  return {
    name: inner.name,
    get running() {
      return inner.running;
    },
    invoke,
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
