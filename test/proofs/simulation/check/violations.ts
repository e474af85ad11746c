/** What a world must never do; the words of docs/reference/reliability.md. */
export type Rule =
  | 'one-place'
  | 'legal-transition'
  | 'live-lease'
  | 'rev-grows'
  | 'no-resurrection'
  | 'completes-what-ran'
  | 'never-early'
  | 'runs-once-at-a-time'
  | 'group-exclusive'
  | 'group-locked'
  | 'right-lane'
  | 'suspended-not-started'
  | 'suspension-kept'
  | 'older-not-suspended'
  | 'resumed-after-suspension'
  | 'counters-untouched'
  | 'time-to-run'
  | 'runs-alone'
  | 'waits-for-old-attempt'
  | 'abort-told'
  | 'counters-justified'
  | 'starts-in-time'
  | 'payload-kept'
  | 'claim-kept'
  | 'payload-version'
  | 'key-unique'
  | 'key-held'
  | 'limit-concurrency'
  | 'limit-rate'
  | 'limit-released'
  | 'cancel-wins'
  | 'cancel-told'
  | 'cancelled-never-runs'
  | 'siblings-cancelled'
  | 'history-true'
  | 'told-true'
  | 'answer-true'
  | 'found-when-asked'
  | 'row-readable'
  | 'nothing-lost'
  | 'nothing-left'
  | 'nothing-abandoned'
  | 'nothing-thaws'
  | 'sent-after-commit'
  | 'nothing-unsent'
  | 'hint-kept'
  | 'stale-dropped'
  | 'rescued-in-time'
  | 'rescues-explained'
  | 'sends-explained'
  | 'batch-count'
  | 'callback-once'
  | 'batch-tenant'
  | 'state-kept'
  | 'layout-kept'
  | 'group-before-burial'
  | 'group-reopens'
  | 'erased-gone'
  | 'erased-only'
  | 'retention-kept'
  | 'backlog-true'
  | 'group-held-back'
  | 'group-in-order'
  | 'group-goes-on'
  | 'schedule-goes-on'
  | 'each-occurrence-once'
  | 'occurrences-apart'
  | 'occurrences-in-order'
  | 'one-occurrence-waits'
  | 'latest-occurrence-wins'
  | 'paused-starts-nothing'
  | 'missed-starts-nothing'
  | 'excluded-starts-nothing'
  | 'excluded-taken-back'
  | 'backfill-leaves-alone'
  | 'no-stray-rejection';

/** What breaks when nobody kills a sandbox at its deadline; a second completion is not among it. */
export const BROKEN_WITHOUT_KILL: readonly Rule[] = [
  'group-exclusive',
  'runs-once-at-a-time',
  'live-lease',
  'group-locked',
  'nothing-abandoned',
  'limit-concurrency',
  'occurrences-apart',
];

/** A broken rule, and what broke it. */
export interface Violation {
  readonly rule: Rule;
  readonly at: number;
  readonly what: string;
}

/** Gathers broken rules; a run goes on, so that one bug shows all its effects. */
export class Violations {
  readonly list: Violation[] = [];
  readonly #now: () => number;
  readonly #forgiven: ReadonlySet<Rule>;

  /** `forgiven`: rules that this run breaks on purpose, because an assumption of theirs is broken. */
  constructor(now: () => number, forgiven: readonly Rule[] = []) {
    this.#now = now;
    this.#forgiven = new Set(forgiven);
  }

  add(rule: Rule, what: string): void {
    if (!this.#forgiven.has(rule)) this.list.push({ rule, at: this.#now(), what });
  }
}
