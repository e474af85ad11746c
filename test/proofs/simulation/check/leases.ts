import { groupHash } from '../../../../shared/job/hint.ts';
import { MAX_CLOCK_SKEW_MS } from '../../../../shared/job/lease.ts';
import { isQueueOwner, ranAlone } from '../../../../shared/job/lock-owner.ts';
import type { Row } from '../../../../shared/ports/tables.ts';
import type { Change, Mutation } from '../world/observed-store.ts';
import type { SimProcess } from '../world/sim-process.ts';
import type { JobTracker } from './job-tracker.ts';
import type { Violations } from './violations.ts';

/** A group lock as it lies in Control, and who took it. */
export interface HeldLock {
  readonly by: SimProcess;
  readonly until: number;
}

/** Watches leases and group locks: while one lives, nobody changes its row but the process that took it. */
export class Leases {
  readonly groups = new Map<string, HeldLock>();
  /** Jobs whose claim came without the lock of their group, because their message told of none or of another: they are sent back. */
  readonly #unguarded = new Set<string>();
  /** Who runs what; handed in later, because it looks at the locks. */
  runs: { runsGroup(by: SimProcess, pk: string): string | undefined } | undefined;
  readonly #tracker: JobTracker;
  readonly #violations: Violations;

  constructor(tracker: JobTracker, violations: Violations) {
    this.#tracker = tracker;
    this.#violations = violations;
  }

  /** To be called before the tracker sees the mutation: it is judged by who held the row until then. */
  see({ by, at, changes }: Mutation): void {
    for (const change of changes) {
      // A row that cannot be read is nobody's: it goes to the dead letters whoever waits for it.
      const quarantined = changes.some(({ after }) => after?.['reason'] === 'unreadable');
      if (change.table === 'jobs' && change.before !== undefined && !quarantined) this.#checkLease(change, by, at);
      if (change.table === 'jobs') this.#noteGuard(change, by);
      const pk = change.key['pk'];
      if (change.table === 'control' && pk?.startsWith('group#')) this.#checkGroup(pk, change, by, at);
    }
  }

  #checkLease({ before, after, key }: Change, by: SimProcess, at: number): void {
    const owner = String(before?.['lockOwner']);
    const lives = untilOf(before) > at + MAX_CLOCK_SKEW_MS;
    const id = String(key['id']);
    // By a clock that is wrong a lease is over that lives.
    const livesForIt = untilOf(before) > at + Math.max(MAX_CLOCK_SKEW_MS, by.skewMs);
    if (Number(after?.['crashes']) > Number(before?.['crashes']) && (livesForIt || !ranAlone(owner))) {
      this.#violations.add('counters-justified', `${id}: crashes raised by ${by.name} while its lease lived or others ran beside it`);
    }
    if (!lives) return;
    if (isQueueOwner(owner)) {
      if (by.role === 'sweeper') this.#violations.add('live-lease', `${id}: reset by ${by.name} while its queue still had time`);
      return;
    }
    const holder = this.#tracker.jobs.get(id)?.owner;
    const asked = after?.['cancelRequested'] === true || after?.['triesLimit'] !== before?.['triesLimit'];
    // As many tries as before are an answer too.
    const sameAgain = by.role === 'admin' && JSON.stringify({ ...after, rev: 0 }) === JSON.stringify({ ...before, rev: 0 });
    const onlyAsked = after?.['lockOwner'] === owner && (asked || sameAgain);
    if (holder !== by && !onlyAsked) this.#violations.add('live-lease', `${id}: changed by ${by.name} while ${holder?.name} holds it`);
  }

  #noteGuard({ before, after, key }: Change, by: SimProcess): void {
    const id = String(key['id']);
    if (after?.['lockOwner'] === before?.['lockOwner']) return;
    const pk = groupOf(after);
    if (pk === undefined || this.groups.get(pk)?.by === by) this.#unguarded.delete(id);
    else this.#unguarded.add(id);
  }

  #checkGroup(pk: string, { before, after }: Change, by: SimProcess, at: number): void {
    const held = this.groups.get(pk);
    const lives = before !== undefined && untilOf(before) > at + MAX_CLOCK_SKEW_MS;
    if (lives && held !== undefined && held.by !== by) {
      this.#violations.add('live-lease', `${pk}: ${after === undefined ? 'freed' : 'taken'} by ${by.name} while ${held.by.name} holds it`);
    }
    if (lives && after === undefined && held?.by === by) this.#checkFreed(pk, by, at);
    if (after === undefined) this.groups.delete(pk);
    else this.groups.set(pk, { by, until: untilOf(after) });
  }

  /**
   * A group lock is given back when what it guarded is over, and written. It guards no job whose lease is over: a machine that stood still
   * until then takes it anew, like any other, and gives it back.
   */
  #checkFreed(pk: string, by: SimProcess, at: number): void {
    const running = this.runs?.runsGroup(by, pk);
    if (running !== undefined) this.#violations.add('group-locked', `${pk} is freed by ${by.name} while it runs ${running}`);
    if (by.troubles > 0) return;
    for (const { id, owner, state, row } of this.#tracker.jobs.values()) {
      const guarded = groupOf(row) === pk && !this.#unguarded.has(id) && untilOf(row) > at;
      if (owner === by && state === 'running' && guarded)
        this.#violations.add('group-locked', `${pk} is freed by ${by.name} before the outcome of ${id} is written`);
    }
  }
}

/** The partition of the lock that guards a job; a label is guarded by none. */
function groupOf(row: Row | undefined): string | undefined {
  const group = row?.['exclusive'] === false ? undefined : row?.['group'];
  return typeof group === 'string' ? `group#${groupHash(group)}` : undefined;
}

function untilOf(row: Row | undefined): number {
  return Date.parse(String(row?.['lockExpiresAt']));
}
