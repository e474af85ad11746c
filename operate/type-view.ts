/** A worker that has a handler for a type, by its own reports. */
export interface TypeOnWorker {
  readonly worker: string;
  readonly kind: 'lambda' | 'outside';
  /** Versions of the worker that reported the type within 30 days, the one that reported last first. */
  readonly versions: readonly string[];
  /** False: the version of this worker that reported last does not have the type any more. */
  readonly current: boolean;
  /** The type is switched off on this worker. */
  readonly off: boolean;
  readonly lastSeen: Date;
}

/** The bound on the ready jobs of a type, by the clients that enqueue it. */
export interface TypeBacklog {
  /** `maxBacklog` of the client that asked last for a measurement. */
  readonly bound: number;
  /** Ready jobs when the sweeper counted them last; absent until it has. */
  readonly ready?: number;
  readonly measuredAt?: Date;
}

/** A type of jobs, as reports, error groups and suspensions know it. */
export interface TypeView {
  readonly type: string;
  /** By name. None: no worker reported it within 30 days. */
  readonly workers: readonly TypeOnWorker[];
  /** Dead letters in open error groups; the number lags like theirs. */
  readonly deadLetters: number;
  /** The type is suspended on every worker. */
  readonly suspended: boolean;
  /** Jobs of it are suspended because a worker had no handler for them. */
  readonly handlerMissing: boolean;
  /** For a type with a `maxBacklog` that was enqueued within eight days. */
  readonly backlog?: TypeBacklog;
}

/** The types of a deployment, by name. */
export interface TypeList {
  readonly types: readonly TypeView[];
  /** Workers that take every type, such as external workers. */
  readonly anyType: readonly string[];
  /** False: there are too many error groups to read, so that types and dead letters may be missing. */
  readonly complete: boolean;
  readonly readUnits: number;
}

/** What operators read of types. */
export interface TypeVerbs {
  /**
   * The types that workers report, that have dead letters or a bound on their backlog, that are suspended, or that lack a handler: a few queries of Control, and no table of
   * jobs. A type whose jobs wait for a worker that never ran is not known: `count({ type })` finds those.
   */
  types(): Promise<TypeList>;
}
