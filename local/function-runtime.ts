import type { Context } from 'aws-lambda';
import type { Sandbox } from '../shared/ports/sandbox.ts';

/** A Lambda function's entry, as Node functions export it. */
export type LambdaHandler = (event: never, context: Context) => Promise<unknown>;

/** Where a function runs. One process for all functions now; a child process per sandbox fits behind the same seam. */
export interface FunctionRuntime {
  readonly name: string;
  /**
   * Runs the function once and returns its result. Throws FunctionError if it threw, exceeded `timeoutMs`, or ended
   * its sandbox: as in Lambda, the caller gets no other information.
   */
  invoke(event: unknown, options: { readonly timeoutMs: number }): Promise<unknown>;
  /** Invocations that have not ended yet. */
  readonly running: number;
}

/** A function as the runtime starts it: `create` corresponds to loading the module in Lambda, once per sandbox. */
export interface FunctionSpec {
  readonly name: string;
  readonly memoryMb: number;
  readonly create: (sandbox: Sandbox) => LambdaHandler | Promise<LambdaHandler>;
}

/** Why an invocation failed. `kind` distinguishes Lambda's three ways. */
export class FunctionError extends Error {
  readonly kind: 'threw' | 'timed-out' | 'sandbox-ended';

  constructor(kind: FunctionError['kind'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'FunctionError';
    this.kind = kind;
  }
}
