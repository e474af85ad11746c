/** A version of a worker that has reported. */
export interface WorkerView {
  readonly worker: string;
  readonly kind: 'lambda' | 'outside';
  /** Version of the function, or of the package where there is none. */
  readonly version: string;
  /** Types that it has handlers for; `*` for an external worker. */
  readonly types: readonly string[];
  /** The versions of the payloads that it reads, by type, for those beyond the first. */
  readonly payloads?: Readonly<Record<string, number>>;
  /** The codecs that its types decode. */
  readonly codecs?: readonly string[];
  /** The limits of its jobs, with the numbers of its code; `perMs`: the period of a rate. */
  readonly limits?: readonly { readonly name: string; readonly n: number; readonly perMs?: number }[];
  /** Types that are switched off on this worker. */
  readonly off: readonly string[];
  /** Why it makes its writes one by one, if the store refused them in batches. */
  readonly batchRefusal?: string;
  /** The permission that its role lacked last: an action and a resource. */
  readonly missingPermission?: string;
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
