/** A version of a worker that has reported. */
export interface WorkerView {
  readonly worker: string;
  readonly kind: 'lambda' | 'outside';
  /** Version of the function, or of the package where there is none. */
  readonly version: string;
  /** Types that it has handlers for; `*` for one whose tasks are fetched by others. */
  readonly types: readonly string[];
  /** Types that are switched off on this worker. */
  readonly off: readonly string[];
  readonly firstSeen: Date;
  readonly lastSeen: Date;
  /** It reported within the last 10 minutes; a Lambda reports at the end of an invocation, so one without jobs reports nothing. */
  readonly fresh: boolean;
}

/** What operators read of workers; a type is switched off on one with `suspend({ type, worker })`. */
export interface WorkerVerbs {
  /** By name, then the version that reported last. */
  workers(): Promise<readonly WorkerView[]>;
}
