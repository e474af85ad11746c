/** What a restore can leave half done, and what a run of `reconcile` does about it. */
export const FINDING_KINDS = {
  'finished-again': 'a job that History knows as finished is back in another table: its row is deleted, so that it does not run again',
  'two-places': 'a job has rows in two places: the row with the lower revision is deleted, because the other one came after it',
  'job-missing': 'a job of an earlier copy is in no table and not finished: it is put back',
  'unreachable-timer': 'a timer was moved and no pointer leads to it: the pointer is written',
  'parked-unlisted': 'a job is parked under a limit that is not listed: it is made ready, and its limit decides again',
  'suspended-unlisted': 'a job is suspended for a cause that is not listed: the cause is listed',
  'key-missing': 'a job does not hold its unique key: it takes it',
  'key-contested': 'two living jobs have the same unique key: both stay, and an operator decides',
  'key-orphan': 'a unique key is held by a job that has ended or is gone: the key is freed',
  'schedule-stalled': 'the next occurrence of a schedule does not wait in Timers: it is planned again, or the one after it',
  'batch-counts': 'the counters of a batch disagree with its jobs: they are corrected',
  'batch-unlisted': 'an unfinished batch is not on the list of the sweeper: it is listed',
  'callback-missing': 'a batch ended shortly before the instant of the restore, and its callback job is missing: it is enqueued again',
  'batch-gone': 'a job belongs to a batch that is gone: the job runs, and the batch fires no callback',
} as const;

/** One kind of finding. */
export type FindingKind = keyof typeof FINDING_KINDS;

/** Something that does not fit together. `subject` is the id of a job or batch, the name of a schedule, or the hash of a key. */
export interface Finding {
  readonly kind: FindingKind;
  readonly subject: string;
  /** What was seen, and what is done about it. */
  readonly says: string;
}

/**
 * What became of a finding. `found`: a dry run changed nothing. `repaired`: its transaction was applied. `changed`: its rows changed between
 * the read and the write, so nothing was written; the next run looks again. `left`: it is not repaired, for the reason that it says.
 */
export type FindingOutcome = 'found' | 'repaired' | 'changed' | 'left';

/** All findings of a kind. */
export interface FindingCounts extends Readonly<Record<FindingOutcome, number>> {
  readonly kind: FindingKind;
  /** Five at most: what is left goes before the rest. */
  readonly examples: readonly FindingExample[];
}

/** A finding with what became of it. */
type FindingExample = Finding & { readonly outcome: FindingOutcome };

const MAX_EXAMPLES = 5;

/** Counts findings by kind. */
export class Findings {
  readonly #byKind = new Map<FindingKind, FindingCounts>();
  readonly #seen = new Set<string>();

  /** False when the same finding was added before, from another of its rows. */
  isNew({ kind, subject }: Finding, place: string): boolean {
    const name = JSON.stringify([kind, subject, place]);
    if (this.#seen.has(name)) return false;
    this.#seen.add(name);
    return true;
  }

  add(finding: Finding, outcome: FindingOutcome): void {
    const before = this.#byKind.get(finding.kind) ?? { kind: finding.kind, found: 0, repaired: 0, changed: 0, left: 0, examples: [] };
    const examples = withExample(before.examples, { ...finding, outcome });
    this.#byKind.set(finding.kind, { ...before, [outcome]: before[outcome] + 1, examples });
  }

  /** In the order of `FINDING_KINDS`; without the kinds of which there are none. */
  counts(): readonly FindingCounts[] {
    return (Object.keys(FINDING_KINDS) as FindingKind[]).flatMap((kind) => this.#byKind.get(kind) ?? []);
  }
}

/** A finding that is left needs an operator, so it takes the place of one that does not. */
function withExample(examples: readonly FindingExample[], one: FindingExample): readonly FindingExample[] {
  if (examples.length < MAX_EXAMPLES) return [...examples, one];
  const place = one.outcome === 'left' ? examples.findLastIndex(({ outcome }) => outcome !== 'left') : -1;
  return place < 0 ? examples : [...examples.slice(0, place), ...examples.slice(place + 1), one];
}
