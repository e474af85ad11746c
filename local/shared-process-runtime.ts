import { randomUUID } from 'node:crypto';
import type { Context } from 'aws-lambda';
import { systemClock } from '../shared/adapters/system.ts';
import type { Clock } from '../shared/ports/clock.ts';
import { FunctionError, type FunctionRuntime, type FunctionSpec, type LambdaHandler } from './function-runtime.ts';

/** One sandbox: it runs one invocation at a time and is thrown away once it has ended or timed out. */
class LocalSandbox {
  #handler: LambdaHandler | undefined;
  alive = true;
  /** Called when the code in it asks to be ended; work that still runs then is abandoned. */
  onEnd: (() => void) | undefined;

  end(): void {
    this.alive = false;
    this.onEnd?.();
  }

  async load(spec: FunctionSpec): Promise<LambdaHandler> {
    this.#handler ??= await spec.create({ end: () => this.end() });
    return this.#handler;
  }
}

const TIMED_OUT = Symbol('timed out');

/**
 * Runs a function in this process as Lambda would: a sandbox per concurrent invocation, reused when idle, replaced when it
 * ended itself or passed its timeout. Code that is still running in a replaced sandbox is not stopped: that takes a process.
 */
export function createSharedProcessRuntime(spec: FunctionSpec, clock: Clock = systemClock): FunctionRuntime {
  const idle: LocalSandbox[] = [];
  let running = 0;

  const run = async (sandbox: LocalSandbox, event: unknown, timeoutMs: number): Promise<unknown> => {
    const over = new AbortController();
    const context = lambdaContext(spec, clock.now() + timeoutMs, clock);
    const call = async (): Promise<unknown> => (await sandbox.load(spec))(structuredClone(event) as never, context);
    const ended = new Promise<void>((resolve) => {
      sandbox.onEnd = resolve;
    });
    try {
      const returned = await Promise.race([call(), ended, clock.wait(timeoutMs, over.signal).then(() => TIMED_OUT)]);
      if (!sandbox.alive) throw new FunctionError('sandbox-ended', `${spec.name}: Runtime exited with error: exit status 1`);
      if (returned !== TIMED_OUT) return returned;
      sandbox.end();
      throw new FunctionError('timed-out', `${spec.name}: Task timed out after ${(timeoutMs / 1000).toFixed(2)} seconds`);
    } catch (error) {
      throw error instanceof FunctionError ? error : new FunctionError('threw', `${spec.name}: ${String(error)}`, { cause: error });
    } finally {
      over.abort();
    }
  };

  return {
    name: spec.name,
    get running() {
      return running;
    },
    async invoke(event, { timeoutMs }) {
      const sandbox = idle.pop() ?? new LocalSandbox();
      running += 1;
      try {
        return await run(sandbox, event, timeoutMs);
      } finally {
        running -= 1;
        if (sandbox.alive) idle.push(sandbox);
      }
    },
  };
}

function lambdaContext(spec: FunctionSpec, deadlineAt: number, clock: Clock): Context {
  return {
    callbackWaitsForEmptyEventLoop: false,
    functionName: spec.name,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:us-east-1:000000000000:function:${spec.name}`,
    memoryLimitInMB: String(spec.memoryMb),
    awsRequestId: randomUUID(),
    logGroupName: `/aws/lambda/${spec.name}`,
    logStreamName: 'local',
    getRemainingTimeInMillis: () => Math.max(0, deadlineAt - clock.now()),
    done: () => undefined,
    fail: () => undefined,
    succeed: () => undefined,
  };
}
