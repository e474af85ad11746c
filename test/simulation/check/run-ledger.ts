import { groupHash } from '../../../shared/core/hint.ts';
import type { JobInfo } from '../../../shared/core/job-type.ts';
import { MAX_CLOCK_SKEW_MS } from '../../../shared/core/lease.ts';
import type { SimProcess } from '../world/sim-process.ts';
import type { Step } from './job-book.ts';
import type { Leases } from './leases.ts';
import type { Violations } from './violations.ts';

/** One run of a handler, from the inside of its process. */
interface Run {
  readonly id: string;
  readonly group: string | undefined;
  readonly by: SimProcess;
}

/** How a run ended, as its handler knows. */
export type RunEnd = 'done' | 'failed' | 'uncounted' | 'refused' | 'snoozed' | 'stopped';

/** What handlers did: the other side of what the store says. */
export class RunLedger {
  starts = 0;
  overlaps = 0;
  readonly #open = new Set<Run>();
  readonly #runs = new Map<string, { mayHaveFailed: number; last: RunEnd | undefined; by: SimProcess }>();
  readonly #violations: Violations;
  readonly #leases: Leases;
  readonly #now: () => number;

  constructor(violations: Violations, leases: Leases, now: () => number) {
    this.#violations = violations;
    this.#leases = leases;
    this.#now = now;
  }

  /** A handler starts; call what comes back when it ends. A run also ends with its process. */
  start(by: SimProcess, job: JobInfo): (end: RunEnd) => void {
    this.starts++;
    const run: Run = { id: job.id, group: job.group, by };
    this.#checkStart(run, job.dueAt.getTime());
    const known = this.#runs.get(run.id);
    // Until it says otherwise it may be one that is stopped by its time limit.
    const record = { mayHaveFailed: (known?.mayHaveFailed ?? 0) + 1, last: undefined as RunEnd | undefined, by };
    this.#runs.set(run.id, record);
    this.#open.add(run);
    by.onDeath(() => this.#open.delete(run));
    return (end) => {
      this.#open.delete(run);
      record.last = end;
      if (end === 'snoozed' || end === 'uncounted') record.mayHaveFailed--;
    };
  }

  /** Holds what the store was told against what handlers did. */
  see({ entry, verb, by, after }: Step): void {
    const run = this.#runs.get(entry.id);
    if (verb === 'redrive') this.#runs.delete(entry.id);
    if (verb === 'complete' && (run?.last !== 'done' || run.by !== by)) {
      this.#violations.add('completes-what-ran', `${entry.id} was completed by ${by.name}, but its last run ended as ${run?.last}`);
    }
    if (verb === 'retry' || verb === 'bury') {
      const failures = Number(after?.['failures']);
      if (failures > (run?.mayHaveFailed ?? 0)) {
        this.#violations.add(
          'counters-justified',
          `${entry.id}: ${failures} failures, its handler failed at most ${run?.mayHaveFailed ?? 0} times`,
        );
      }
    }
    if (verb === 'bury' && after?.['reason'] !== 'crash-loop' && !['failed', 'refused', 'stopped'].includes(run?.last ?? 'stopped')) {
      this.#violations.add('counters-justified', `${entry.id} was buried as ${after?.['reason']} after a run that ended as ${run?.last}`);
    }
  }

  #checkStart({ id, group, by }: Run, dueAt: number): void {
    const now = this.#now();
    if (dueAt > now + MAX_CLOCK_SKEW_MS) this.#violations.add('never-early', `${id} runs ${dueAt - now} ms early`);
    for (const other of this.#open) {
      if (other.id === id) this.#overlap('runs-once-at-a-time', `${id} runs in ${by.name} while it runs in ${other.by.name}`);
      else if (group !== undefined && other.group === group)
        this.#overlap('group-exclusive', `${id} and ${other.id} of group ${group} run at once`);
    }
    if (group === undefined) return;
    const lock = this.#leases.groups.get(`group#${groupHash(group)}`);
    if (lock?.by !== by || lock.until < now)
      this.#violations.add('group-locked', `${id} runs in ${by.name} without the lock of group ${group}`);
  }

  #overlap(rule: 'runs-once-at-a-time' | 'group-exclusive', what: string): void {
    this.overlaps++;
    this.#violations.add(rule, what);
  }
}
