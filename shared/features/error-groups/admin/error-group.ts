/** Dead letters of one fault: type, error name, message without what varies, top frame. An open group is an incident. */
export interface ErrorGroup {
  readonly fingerprint: string;
  readonly type: string;
  readonly errorName: string;
  /** Of the dead letter that was seen last. */
  readonly message: string;
  readonly frame?: string;
  /** `open` as long as dead letters of it lie there. */
  readonly state: 'open' | 'closed';
  /** Dead letters that lie there now: in a list at least so many, because executors tell what they have summed up with a delay; `errorGroup` counts them. */
  readonly open: number;
  /** Ever, at least: sandboxes sum up, and one that dies may take a few along. */
  readonly seen: number;
  /** Left it by `redrive` or more retries, and by `delete`. */
  readonly redriven: number;
  readonly deleted: number;
  readonly firstSeen: Date;
  readonly lastSeen: Date;
  /** The dead letter that was seen last. */
  readonly sample: string;
}

/** A page of error groups. */
export interface ErrorGroupPage {
  readonly groups: readonly ErrorGroup[];
  readonly next?: string;
  readonly readUnits: number;
}

/** What operators read of error groups. */
export interface ErrorGroupVerbs {
  /** Those that were seen last come first. Default: open ones. */
  errorGroups(options?: {
    readonly state?: 'open' | 'closed' | 'all';
    readonly type?: string;
    readonly limit?: number;
    readonly after?: string;
  }): Promise<ErrorGroupPage>;
  /** One group, with `open` counted in the index up to 10,000; beyond that it is the sum, if that is more. */
  errorGroup(fingerprint: string): Promise<ErrorGroup | undefined>;
}
