/** The process that runs handlers. */
export interface Sandbox {
  /**
   * Ends the process, so that a handler that outlived its attempt can never thaw again. In a Lambda it does not return;
   * where several functions share a process it replaces the sandbox and the invocation counts as failed.
   */
  end(): void;
}

/** The context of an invocation. */
export interface Invocation {
  readonly requestId: string;
  /** Epoch milliseconds at which Lambda kills the sandbox. */
  readonly deadlineAt: number;
}
