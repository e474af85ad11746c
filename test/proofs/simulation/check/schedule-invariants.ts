import type { JobInfo } from '../../../../shared/job/job-info.ts';
import { MAX_CLOCK_SKEW_MS } from '../../../../shared/job/lease.ts';
import type { RecurrenceInput } from '../../../../shared/features/schedules/model/recurrence.ts';
import type { ScheduleDefinition } from '../../../../shared/features/schedules/model/definition.ts';
import { MISSED_AFTER_MS, plannedAfter, type Schedule } from '../../../../shared/features/schedules/model/schedule.ts';
import type { Row } from '../../../../shared/ports/tables.ts';
import { decodeSchedule, isScheduleRow, scheduleRunKey } from '../../../../shared/features/schedules/store/schedule-rows.ts';
import type { ObservedStore } from '../world/observed-store.ts';
import type { SimProcess } from '../world/sim-process.ts';
import { isExcludedDay } from './excluded-days.ts';
import type { JobTracker, Step } from './job-tracker.ts';
import { isOvertaken } from './run-invariants.ts';
import type { Violations } from './violations.ts';

/** A run of an occurrence. */
interface ScheduledRun {
  readonly id: string;
  readonly by: SimProcess;
  /** In true time. */
  readonly since: number;
}

/** A sandbox may have looked this long ago: its cache, and answers that are slow on the way from the gate to the handler. */
const LOOKED_BEFORE_MS = 30_000;
/** Between the look at the clock and the start of a handler: requests, with their retries. */
const START_MS = 60_000;

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
  /** The revision with which each was fired. */
  readonly #firedAs = new Map<string, unknown>();
  /** Occurrences that were taken out of Timers by something else than the schedule: spoiled rows. */
  readonly #taken = new Map<string, number>();
  readonly #running = new Map<string, ScheduledRun>();
  readonly #overlaps = new Map<string, string>();
  /** Every recurrence that each schedule ever had, by the hash of its definition. */
  readonly #recurrences = new Map<string, Map<string, RecurrenceInput>>();
  /** The definition of each schedule that skips what it missed. */
  readonly #skipsMissed = new Map<string, ScheduleDefinition>();
  /** Occurrences that were jobs when the missed policy left them out, by schedule. */
  readonly #leftOut = new Map<string, number>();
  /** Occurrences that may not start beside another one and wait, by schedule. */
  readonly #waiting = new Map<string, Set<string>>();
  /** Occurrences that wait for their turn in the order of their times, by schedule. */
  readonly #inLine = new Map<string, Map<string, { readonly nominal: number; readonly since: number }>>();
  /** When each occurrence was claimed last. */
  readonly #claimedAt = new Map<string, number>();
  /** The latest occurrence that started, by its time and schedule. */
  readonly #latest = new Map<string, number>();
  /** Since when each paused schedule is: by its row, and by the world's clock. */
  readonly #paused = new Map<string, { readonly at: string; readonly since: number }>();
  /** Occurrences that started when they might, or that an operator redrove, or were claimed before: one whose process was killed before it looked counts as tried. */
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

  see({ entry, verb, from, to, before, after }: Step): void {
    const name = entry.first['schedule'];
    if (typeof name !== 'string') return;
    if (before !== undefined && after?.['backfill'] === true && before['backfill'] !== true)
      this.#violations.add('backfill-leaves-alone', `${entry.id} of ${name} was ${from}, and a backfill took its place`);
    const isClaimed = verb === 'claim' || verb === 'take over';
    if (isClaimed) this.#claimedAt.set(entry.id, this.#now());
    if (!(to === 'ready' || to === 'running')) this.#inLine.get(name)?.delete(entry.id);
    if (verb === 'redrive' || (isClaimed && Number(after?.['starts']) > 1)) this.#started.add(entry.id);
    // One that was suspended or postponed has left its place.
    if (!(to === 'ready' || to === 'running') || this.#started.has(entry.id)) this.#waiting.get(name)?.delete(entry.id);
    if (verb === 'fire') this.#fired.set(name, (this.#fired.get(name) ?? new Set()).add(entry.id));
    if (verb === 'fire') this.#firedAs.set(entry.id, after?.['rev']);
    if (from === 'waiting' && verb !== 'fire') this.#taken.set(name, (this.#taken.get(name) ?? 0) + 1);
  }

  /** An executor found an occurrence that may not start yet, and has sent it back. */
  waits(id: string): void {
    const row = this.#tracker.jobs.get(id)?.row;
    const schedule = String(row?.['schedule']);
    // One that was tried, or that an operator asked for, waits beside others.
    if (this.#loosened.has(schedule) || this.#started.has(id) || row?.['runNow'] === true || row?.['kind'] === 'async') return;
    if (this.#overlaps.get(schedule) === 'queue') this.#joins(schedule, id, Date.parse(String(row?.['nominalAt'])));
    if (this.#overlaps.get(schedule) !== 'buffer-one') return;
    const waiting = (this.#waiting.get(schedule) ?? new Set()).add(id);
    this.#waiting.set(schedule, waiting);
    if (waiting.size > 1) this.#violations.add('one-occurrence-waits', `${[...waiting].join(' and ')} of ${schedule} wait`);
  }

  #joins(schedule: string, id: string, nominal: number): void {
    const line = this.#inLine.get(schedule) ?? new Map<string, { readonly nominal: number; readonly since: number }>();
    this.#inLine.set(schedule, line);
    if (!line.has(id)) line.set(id, { nominal, since: this.#now() });
  }

  /** What a row of Control says of a schedule. */
  seeRow(row: Row | undefined, before?: Row): void {
    if (row === undefined && before !== undefined && isScheduleRow(before)) this.#overlaps.delete(String(before['sk']));
    if (row?.['sk'] === 'run') this.#seeTurn(row);
    if (row === undefined || !isScheduleRow(row)) return;
    const name = String(row['sk']);
    const { definition } = decodeSchedule(row);
    this.#overlaps.set(name, definition.overlap);
    if (before !== undefined && before['hash'] !== row['hash']) this.#checkTakenBack(name, definition);
    const recurrences = this.#recurrences.get(name) ?? new Map<string, RecurrenceInput>();
    this.#recurrences.set(name, recurrences.set(String(row['hash']), definition.recurrence));
    if (definition.missed === 'skip') this.#skipsMissed.set(name, definition);
    // The acquirer, which counts them before they are jobs, writes a new revision.
    if (before !== undefined && before['rev'] === row['rev'])
      this.#leftOut.set(name, (this.#leftOut.get(name) ?? 0) + Number(row['missed']) - Number(before['missed']));
    const at = row['pausedAt'];
    if (typeof at !== 'string') this.#paused.delete(name);
    else if (this.#paused.get(name)?.at !== at) this.#paused.set(name, { at, since: this.#now() });
  }

  /** An occurrence that has the turn waits no more, though its process may have died before the handler started. */
  #seeTurn({ pk, jobId }: Row): void {
    for (const [name, waiting] of this.#waiting) if (scheduleRunKey(name)['pk'] === pk) waiting.delete(String(jobId));
  }

  /** A handler of an occurrence starts; call what comes back when it ends. */
  start(by: SimProcess, { id, schedule, nominalAt, backfill }: JobInfo): () => void {
    if (this.#cancelled.has(id)) this.#violations.add('cancel-wins', `${id} of ${schedule} starts though it was cancelled`);
    this.#checkDay(id, schedule ?? '', nominalAt?.getTime() ?? 0);
    // It takes no turn, and no pause stops it.
    if (backfill === true) return () => {};
    const paused = this.#paused.get(schedule ?? '');
    // One that started before the pause is tried again like any other job. Its time may come after the pause's, which is when the
    // operator's verb began: the verb may have waited for the store since.
    const isStopped = paused && nominalAt && nominalAt.toISOString() > paused.at && this.#now() > paused.since + LOOKED_BEFORE_MS;
    if (isStopped && !this.#started.has(id) && this.#tracker.jobs.get(id)?.row['runNow'] !== true)
      this.#violations.add('paused-starts-nothing', `${id} starts though ${schedule} is paused`);
    this.#checkLatest(id, schedule ?? '', nominalAt?.getTime() ?? 0);
    if (nominalAt !== undefined) this.#checkInTime(by, id, { schedule: schedule ?? '', nominal: nominalAt.getTime() });
    this.#checkOrder(id, schedule ?? '', nominalAt?.getTime() ?? 0);
    this.#waiting.get(schedule ?? '')?.delete(id);
    this.#inLine.get(schedule ?? '')?.delete(id);
    this.#started.add(id);
    if (schedule === undefined || this.#loosened.has(schedule) || (this.#overlaps.get(schedule) ?? 'allow') === 'allow') return () => {};
    const other = this.#running.get(schedule);
    if (other !== undefined && other.id !== id && !isOvertaken(other, this.#now()))
      this.#violations.add('occurrences-apart', `${id} of ${schedule} starts in ${by.name} while ${other.id} runs`);
    const run = { id, by, since: this.#now() };
    this.#running.set(schedule, run);
    const end = (): void => {
      if (this.#running.get(schedule)?.id === id) this.#running.delete(schedule);
    };
    by.onDeath(end);
    return end;
  }

  /** Nothing is left of what was fired ahead, and not touched since, for a day that is excluded from now on. */
  #checkTakenBack(name: string, { recurrence }: ScheduleDefinition): void {
    for (const id of this.#fired.get(name) ?? []) {
      const { state, row = {} } = this.#tracker.jobs.get(id) ?? {};
      const nominal = Date.parse(String(row['nominalAt']));
      if (state !== 'ready' || row['rev'] !== this.#firedAs.get(id) || nominal <= this.#now() + MAX_CLOCK_SKEW_MS) continue;
      if (isExcludedDay(recurrence, nominal)) this.#violations.add('excluded-taken-back', `${id} of ${name} stays on an excluded day`);
    }
  }

  /** No occurrence starts on a day that its schedule has always excluded, unless an operator started the schedule by hand. */
  #checkDay(id: string, schedule: string, nominal: number): void {
    const { kind, backfill } = this.#tracker.jobs.get(id)?.row ?? {};
    const recurrences = [...(this.#recurrences.get(schedule)?.values() ?? [])];
    if (recurrences.length === 0 || (kind === 'async' && backfill !== true)) return;
    if (recurrences.every((one) => isExcludedDay(one, nominal)))
      this.#violations.add('excluded-starts-nothing', `${id} of ${schedule} starts on an excluded day, ${new Date(nominal).toISOString()}`);
  }

  /** No occurrence starts before an earlier one that waited in line when it was claimed. */
  #checkOrder(id: string, schedule: string, nominal: number): void {
    const row = this.#tracker.jobs.get(id)?.row;
    if (this.#started.has(id) || this.#loosened.has(schedule) || this.#overlaps.get(schedule) !== 'queue') return;
    if (row?.['runNow'] === true || row?.['kind'] === 'async') return;
    const claimedAt = this.#claimedAt.get(id) ?? 0;
    for (const [other, { nominal: earlier, since }] of this.#inLine.get(schedule) ?? [])
      if (earlier < nominal && since < claimedAt)
        this.#violations.add('occurrences-in-order', `${id} of ${schedule} starts while ${other}, which is earlier, waits`);
  }

  /** An occurrence that is started first starts for the last time that has come. */
  #checkLatest(id: string, schedule: string, nominal: number): void {
    if (this.#started.has(id) || this.#meddled.has(schedule) || this.#overlaps.get(schedule) !== 'cancel-other') return;
    const latest = this.#latest.get(schedule) ?? 0;
    if (nominal < latest) this.#violations.add('latest-occurrence-wins', `${id} of ${schedule} starts after a later one`);
    this.#latest.set(schedule, Math.max(nominal, latest));
  }

  /** An occurrence that is started first is in time where the schedule skips those that are not, unless its group or the acquirer was late. */
  #checkInTime(by: SimProcess, id: string, { schedule, nominal }: { readonly schedule: string; readonly nominal: number }): void {
    const definition = this.#skipsMissed.get(schedule);
    const row = this.#tracker.jobs.get(id)?.row;
    if (definition === undefined || this.#meddled.has(schedule) || this.#started.has(id) || definition.overlap === 'queue') return;
    if (row?.['runNow'] === true || row?.['mayBeLate'] === true || Math.abs(by.skewMs) > MAX_CLOCK_SKEW_MS) return;
    // One that stood still had looked before.
    if (
      this.#now() >
      Math.max(nominal + definition.jitterMs + MISSED_AFTER_MS, Date.parse(String(row?.['dueAt'])) + MISSED_AFTER_MS, by.thawedAt) +
        MAX_CLOCK_SKEW_MS +
        START_MS
    )
      this.#violations.add('missed-starts-nothing', `${id} of ${schedule} starts long after ${new Date(nominal).toISOString()}`);
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
    const twice = this.#leftOut.get(name) ?? 0;
    if (schedule.runs + schedule.missed - twice > all.length || counted - twice < all.length)
      this.#violations.add(
        'each-occurrence-once',
        `${name} has ${all.length}: ${schedule.runs} ran, ${schedule.missed} missed, ${twice} of them as jobs, ${counted} known`,
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

/** Every occurrence from the schedule's beginning to its end but those on excluded days, also those that an operator buried before their time. */
function nominals({ definition, anchor }: Schedule): readonly number[] {
  const all: number[] = [];
  const { exclude: _exclude, ...recurrence } = definition.recurrence;
  const everyDay = { definition: { ...definition, recurrence }, anchor };
  for (let next = plannedAfter(everyDay, anchor); next; next = plannedAfter(everyDay, next.nominal)) all.push(next.nominal);
  return all.filter((nominal) => !isExcludedDay(definition.recurrence, nominal));
}
