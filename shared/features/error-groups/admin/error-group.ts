import type { GroupState } from '../model/error-group.ts';

/** Dead letters of one fault: type, error name, message without what varies, top frame. */
export interface ErrorGroup {
  readonly fingerprint: string;
  readonly type: string;
  readonly errorName: string;
  /** Of the dead letter that was seen last. */
  readonly message: string;
  readonly frame?: string;
  /**
   * `closed` without dead letters. With some: `ignored` until the time that an operator gave, `resolved` from when an operator said that it is
   * fixed until the fault comes back, otherwise `open`.
   */
  readonly state: GroupState;
  /** Present and true: a job died of it after it was resolved. */
  readonly cameBack?: true;
  readonly note?: string;
  readonly owner?: string;
  readonly ignoredUntil?: Date;
  readonly resolvedAt?: Date;
  readonly resolvedBy?: string;
  /** Current dead letters: a lower bound in lists, because executors write their counts with a delay; exact in `errorGroup`. */
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
    readonly state?: GroupState | 'all';
    readonly type?: string;
    readonly limit?: number;
    readonly after?: string;
  }): Promise<ErrorGroupPage>;
  /** One group, with `open` counted in the index up to 10,000; beyond that it is the sum, if that is more. */
  errorGroup(fingerprint: string): Promise<ErrorGroup | undefined>;
}
