import { groupHash } from '../../../../shared/job/hint.ts';
import { JobTimedOutError } from '../../../../shared/job/errors.ts';
import type { JobInfo } from '../../../../shared/job/job-info.ts';
import { ranAlone } from '../../../../shared/job/lock-owner.ts';
import { MAX_CLOCK_SKEW_MS } from '../../../../shared/job/lease.ts';
import type { SimProcess } from '../world/sim-process.ts';
import type { VirtualTime } from '../world/virtual-time.ts';
import { JOB_TYPES } from '../workload/work-item-jobs.ts';
import type { Settings } from '../../../../shared/config/settings.ts';
import type { JobTracker, Step } from './job-tracker.ts';
import { type MeetingRule, RunInvariants } from './run-invariants.ts';
import type { Leases } from './leases.ts';
import type { Violations } from './violations.ts';

/** One run of a handler, from the inside of its process. */
interface Run {
  readonly id: string;
  readonly group: string | undefined;
  readonly by: SimProcess;
  readonly signal: AbortSignal;
  /** Its lease says that nothing runs beside it. */
  readonly alone: boolean;
}

/** What a ledger looks at. */
export interface LedgerDeps {
  readonly violations: Violations;
  readonly leases: Leases;
  readonly tracker: JobTracker;
  readonly settings: Settings;
  readonly time: VirtualTime;
}

/** Between the check and the start of a handler: requests, with their retries. */
const START_MS = 30_000;

/** What is known of the job of a run when it starts. */
type StartedJob = Pick<JobInfo, 'id' | 'dueAt'> & { readonly group?: string | undefined };

/** How a run ended, as its handler knows. */
export type RunEnd = 'done' | 'failed' | 'uncounted' | 'refused' | 'snoozed' | 'stopped';

/** What handlers did: the other side of what the store says. */
export class RunLedger {
  starts = 0;
  /** Shown each start of a handler. */
  onStart: (by: SimProcess, id: string) => void = () => {};
  overlaps = 0;
  readonly #open = new Set<Run>();
  readonly #runs = new Map<string, { mayHaveFailed: number; last: RunEnd | undefined; wasLate: boolean; by: SimProcess }>();
  readonly #violations: Violations;
  readonly #leases: Leases;
  readonly #tracker: JobTracker;
  readonly #settings: Settings;
  readonly #now: () => number;
  /** Runs that no deadline ends, and whatever meets them. */
  readonly #outside: RunInvariants;

  constructor({ violations, leases, tracker, settings, time }: LedgerDeps) {
    this.#violations = violations;
    this.#leases = leases;
    this.#tracker = tracker;
    this.#settings = settings;
    this.#now = () => time.now;
    this.#outside = new RunInvariants(
      time,
      (rule, what) => this.#overlap(rule, what),
      (process) => process.outside,
    );
  }

  /** A handler starts; call what comes back when it ends. A run also ends with its process. */
  start(by: SimProcess, job: StartedJob, signal: AbortSignal): (end: RunEnd) => void {
    this.starts++;
    this.onStart(by, job.id);
    const entry = this.#tracker.jobs.get(job.id);
    // By a clock that is wrong its lease lives that is over.
    const knows = Math.abs(by.skewMs) <= MAX_CLOCK_SKEW_MS;
    if (entry?.outcome === 'cancelled' && knows)
      this.#violations.add('cancelled-never-runs', `${job.id} runs in ${by.name}, and was cancelled`);
    const row = entry?.row;
    const startBy = Number(row?.['starts']) > 1 ? Number.NaN : Date.parse(String(row?.['startBy']));
    // One that stood still had looked before.
    if (this.#now() > Math.max(startBy, by.thawedAt) + MAX_CLOCK_SKEW_MS + START_MS)
      this.#violations.add('starts-in-time', `${job.id} starts after ${row?.['startBy']}`);
    const alone = ranAlone(String(row?.['lockOwner']));
    // A label excludes nobody.
    const group = row?.['exclusive'] === false ? undefined : job.group;
    const run: Run = { id: job.id, group, by, signal, alone };
    this.#checkStart(run, job.dueAt.getTime());
    const known = this.#runs.get(run.id);
    // Until it says otherwise it may be one that is stopped by its time limit.
    const record = { mayHaveFailed: (known?.mayHaveFailed ?? 0) + 1, last: undefined as RunEnd | undefined, wasLate: false, by };
    this.#runs.set(run.id, record);
    this.#open.add(run);
    by.onDeath(() => this.#open.delete(run));
    const leave = this.#outside.start(by, run.id, group);
    return (end) => {
      leave();
      this.#open.delete(run);
      record.last = end;
      // One whose time was over before it said so has failed all the same.
      record.wasLate = signal.reason instanceof JobTimedOutError;
      if ((end === 'snoozed' || end === 'uncounted') && !record.wasLate) record.mayHaveFailed--;
    };
  }

  /** Holds the shape of the payload that a handler got against the version of its code; one without a form has any. */
  reads(id: string, form: number | undefined, version: number): void {
    if (form !== undefined && form !== version) {
      this.#violations.add('payload-version', `${id}: code of version ${version} got a payload of version ${form}`);
    }
  }

  /** Holds what the store was told against what handlers did. */
  see({ entry, verb, by, before, after }: Step): void {
    const run = this.#runs.get(entry.id);
    // Either starts anew, with fresh counters.
    if (verb === 'redrive' || verb === 'replace') this.#runs.delete(entry.id);
    if (verb === 'expire' && before?.['type'] === JOB_TYPES.overdue.name)
      this.#violations.add('starts-in-time', `${entry.id} expired, and is no dead letter`);
    if (verb === 'expire' && run !== undefined) this.#violations.add('starts-in-time', `${entry.id} expired, and ran before`);
    if (verb === 'complete' && (run?.last !== 'done' || run.by !== by)) {
      this.#violations.add('completes-what-ran', `${entry.id} was completed by ${by.name}, but its last run ended as ${run?.last}`);
    }
    const goesOn = [...this.#open].some((one) => one.id === entry.id && one.by === by);
    // A dead letter waits for an operator; reports of progress, longer leases and requests to stop let nothing run. A machine that stood still may claim
    // the job anew, like any other, before its old attempt is told.
    const mayRun = !['bury', 'report progress', 'renew', 'request cancel', 'claim', 'take over'].includes(verb);
    if (goesOn && mayRun && by.role === 'executor' && String(after?.['dueAt']) < String(before?.['lockExpiresAt']))
      this.#violations.add('waits-for-old-attempt', `${entry.id}: ${verb} before the lease of its old attempt ends, which still runs`);
    if (verb === 'retry' || verb === 'bury') {
      const failures = Number(after?.['failures']);
      if (failures > (run?.mayHaveFailed ?? 0)) {
        this.#violations.add(
          'counters-justified',
          `${entry.id}: ${failures} failures, its handler failed at most ${run?.mayHaveFailed ?? 0} times`,
        );
      }
    }
    if (
      verb === 'retry' &&
      run?.last === 'done' &&
      !run.wasLate &&
      run.by === by &&
      Number(after?.['failures']) > Number(before?.['failures'])
    )
      this.#violations.add('counters-justified', `${entry.id}: ${by.name} counts a failure of a run that went well`);
    if (verb === 'bury' && after?.['reason'] !== 'crash-loop' && !['failed', 'refused', 'stopped'].includes(run?.last ?? 'stopped')) {
      this.#violations.add('counters-justified', `${entry.id} was buried as ${after?.['reason']} after a run that ended as ${run?.last}`);
    }
  }

  /** The process of `by` ends itself: only because of handlers that did not heed their signal. */
  endsItself(by: SimProcess): void {
    for (const run of this.#open) {
      if (run.by === by && !run.signal.aborted) this.#violations.add('abort-told', `${run.id} was not told that its time is over`);
    }
  }

  /** An invocation ended in the normal way: a handler that still runs would go on in a later one. */
  ended(by: SimProcess): void {
    for (const run of this.#open)
      if (run.by === by) this.#violations.add('nothing-thaws', `${run.id} still runs in ${by.name}, which is used again`);
  }

  /** The job of a group that a process runs, if it runs one. */
  runsGroup(by: SimProcess, pk: string): string | undefined {
    for (const run of this.#open) if (run.by === by && run.group !== undefined && `group#${groupHash(run.group)}` === pk) return run.id;
    return undefined;
  }

  #checkStart({ id, group, by, alone }: Run, dueAt: number): void {
    const now = this.#now();
    const { recordReserveMs, abortGraceMs, minimumRunMs } = this.#settings;
    const left = by.deadlineAt - now - recordReserveMs - abortGraceMs;
    if (left < minimumRunMs - MAX_CLOCK_SKEW_MS) this.#violations.add('time-to-run', `${id} starts with ${left} ms left for it`);
    const beside = [...this.#open].find((other) => other.by === by && (other.alone || alone));
    if (beside !== undefined) this.#violations.add('runs-alone', `${id} and ${beside.id} run in ${by.name}, one of them as if alone`);
    if (dueAt > now + MAX_CLOCK_SKEW_MS) this.#violations.add('never-early', `${id} runs ${dueAt - now} ms early`);
    for (const other of this.#open) {
      if (other.by.outside) continue;
      if (other.id === id) this.#overlap('runs-once-at-a-time', `${id} runs in ${by.name} while it runs in ${other.by.name}`);
      else if (group !== undefined && other.group === group)
        this.#overlap('group-exclusive', `${id} and ${other.id} of group ${group} run at once`);
    }
    if (group === undefined) return;
    const lock = this.#leases.groups.get(`group#${groupHash(group)}`);
    if (lock?.by !== by || lock.until < now)
      this.#violations.add('group-locked', `${id} runs in ${by.name} without the lock of group ${group}`);
  }

  #overlap(rule: MeetingRule, what: string): void {
    this.overlaps++;
    this.#violations.add(rule, what);
  }
}
