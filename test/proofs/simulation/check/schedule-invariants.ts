import type { JobInfo } from '../../../../shared/core/job-info.ts';
import { plannedAfter, type Schedule } from '../../../../shared/features/schedules/model/schedule.ts';
import type { Row } from '../../../../shared/ports/tables.ts';
import { decodeSchedule, isScheduleRow } from '../../../../shared/features/schedules/store/schedule-rows.ts';
import type { ObservedStore } from '../world/observed-store.ts';
import type { SimProcess } from '../world/sim-process.ts';
import type { JobTracker, Step } from './job-tracker.ts';
import type { Violations } from './violations.ts';

/** A sandbox may have looked this long ago: its cache, and answers that are slow on the way from the gate to the handler. */
const LOOKED_BEFORE_MS = 30_000;

/** Holds what recurring schedules promised against the jobs that came of them. */
export class ScheduleInvariants {
  readonly #violations: Violations;
  readonly #tracker: JobTracker;
  /** Schedules that somebody pauses, changes or deletes: what they run depends on when. */
  readonly #meddled = new Set<string>();
  /** Those of which the policy for overlaps may change as well. */
  readonly #loosened = new Set<string>();
  /** Occurrences that were fired, by schedule. */
  readonly #fired = new Map<string, Set<string>>();
  /** Occurrences that were taken out of Timers by something else than the schedule: spoiled rows. */
  readonly #taken = new Map<string, number>();
  readonly #running = new Map<string, string>();
  readonly #overlaps = new Map<string, string>();
  /** Since when each paused schedule is: by its row, and by the world's clock. */
  readonly #paused = new Map<string, { readonly at: string; readonly since: number }>();
  /** Occurrences that started when they might, or were claimed before: one whose process was killed before it looked counts as tried. */
  readonly #started = new Set<string>();
  /** Occurrences of which somebody was told that they are cancelled. */
  readonly #cancelled = new Set<string>();
  readonly #now: () => number;

  constructor(violations: Violations, tracker: JobTracker, now: () => number) {
    this.#violations = violations;
    this.#tracker = tracker;
    this.#now = now;
  }

  /** `apart`: whatever is done to it, its occurrences stay apart as long as it is there. */
  meddledWith(name: string, stays?: 'apart'): void {
    this.#meddled.add(name);
    if (stays === undefined) this.#loosened.add(name);
  }

  cancelled(id: string): void {
    this.#cancelled.add(id);
  }

  see({ entry, verb, from, after }: Step): void {
    const name = entry.first['schedule'];
    if (typeof name !== 'string') return;
    if ((verb === 'claim' || verb === 'take over') && Number(after?.['starts']) > 1) this.#started.add(entry.id);
    if (verb === 'fire') this.#fired.set(name, (this.#fired.get(name) ?? new Set()).add(entry.id));
    if (from === 'waiting' && verb !== 'fire') this.#taken.set(name, (this.#taken.get(name) ?? 0) + 1);
  }

  /** What a row of Control says of a schedule. */
  seeRow(row: Row | undefined, before?: Row): void {
    if (row === undefined && before !== undefined && isScheduleRow(before)) this.#overlaps.delete(String(before['sk']));
    if (row === undefined || !isScheduleRow(row)) return;
    const name = String(row['sk']);
    this.#overlaps.set(name, decodeSchedule(row).definition.overlap);
    const at = row['pausedAt'];
    if (typeof at !== 'string') this.#paused.delete(name);
    else if (this.#paused.get(name)?.at !== at) this.#paused.set(name, { at, since: this.#now() });
  }

  /** A handler of an occurrence starts; call what comes back when it ends. */
  start(by: SimProcess, { id, schedule, nominalAt }: JobInfo): () => void {
    if (this.#cancelled.has(id)) this.#violations.add('cancel-wins', `${id} of ${schedule} starts though it was cancelled`);
    const paused = this.#paused.get(schedule ?? '');
    // One that started before the pause is tried again like any other job. Its time may come after the pause's, which is when the
    // operator's verb began: the verb may have waited for the store since.
    const isStopped = paused && nominalAt && nominalAt.toISOString() > paused.at && this.#now() > paused.since + LOOKED_BEFORE_MS;
    if (isStopped && !this.#started.has(id) && this.#tracker.jobs.get(id)?.row['runNow'] !== true)
      this.#violations.add('paused-starts-nothing', `${id} starts though ${schedule} is paused`);
    this.#started.add(id);
    if (schedule === undefined || this.#loosened.has(schedule) || !['skip', 'queue'].includes(this.#overlaps.get(schedule) ?? ''))
      return () => {};
    const other = this.#running.get(schedule);
    if (other !== undefined && other !== id)
      this.#violations.add('occurrences-apart', `${id} of ${schedule} starts in ${by.name} while ${other} runs`);
    this.#running.set(schedule, id);
    const end = (): void => {
      if (this.#running.get(schedule) === id) this.#running.delete(schedule);
    };
    by.onDeath(end);
    return end;
  }

  /** When everything had time to come to its end. */
  checkEnd(store: ObservedStore): void {
    for (const row of store.tables.rows('control')) if (isScheduleRow(row)) this.#checkOne(decodeSchedule(row));
  }

  #checkOne(schedule: Schedule): void {
    const { name, missed } = schedule.definition;
    if (schedule.paused !== undefined) this.#violations.add('schedule-goes-on', `${name} is paused in the end`);
    if (schedule.next !== undefined)
      this.#violations.add('schedule-goes-on', `${name} still waits for ${new Date(schedule.next.nominal).toISOString()}`);
    if (this.#meddled.has(name)) return;
    const all = nominals(schedule);
    const counted = schedule.runs + schedule.missed + (this.#taken.get(name) ?? 0);
    if (schedule.runs + schedule.missed > all.length || counted < all.length)
      this.#violations.add(
        'each-occurrence-once',
        `${name} has ${all.length}: ${schedule.runs} ran, ${schedule.missed} missed, ${counted} known`,
      );
    const fired = this.#fired.get(name)?.size ?? 0;
    if (fired < schedule.runs || (missed === 'all' && fired + (this.#taken.get(name) ?? 0) < all.length))
      this.#violations.add('each-occurrence-once', `${name} has ${all.length} occurrences, ${fired} were fired`);
    for (const id of this.#fired.get(name) ?? []) {
      const state = this.#tracker.jobs.get(id)?.state;
      if (state !== 'finished' && state !== 'dead') this.#violations.add('nothing-left', `${id} of ${name} is ${state} in the end`);
    }
  }
}

/** Every occurrence from the schedule's beginning to its end. */
function nominals(schedule: Schedule): readonly number[] {
  const all: number[] = [];
  for (let next = plannedAfter(schedule, schedule.anchor); next; next = plannedAfter(schedule, next.nominal)) all.push(next.nominal);
  return all;
}
