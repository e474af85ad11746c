import type { Death } from '../model/error-group.ts';
import { mapLimited } from '../../../job/map-limited.ts';

/** A group is written at most this often by a sandbox before a burial, and as often at the end of an invocation. */
export const GROUP_WRITE_EVERY_MS = 10_000;
/** After a write that the store refused the next one waits, so that burials do not. */
const AFTER_REFUSAL_MS = 1_000;
/** Counts kept for longer may have been counted in the index by then. */
const RECENT_MS = 45_000;
const PARALLEL = 8;

/** A sandbox's state of one group. */
interface Summed {
  /** Deaths that are not written yet. */
  untold: number;
  latest: Death;
  /** The row is there: this sandbox wrote it then. */
  ensuredAt?: number;
  flushedAt?: number;
  refusedAt?: number;
  writing?: Promise<void>;
}

/** Writes `seen` deaths into a group's row, the newest of which is `latest`; `recent` is false for counts that were kept long. Rejects if the result is unknown. */
export type WriteDeaths = (latest: Death, seen: number, recent: boolean) => Promise<void>;

/**
 * Sums up the deaths that a sandbox sees, as long as it lives: a fault that kills a thousand jobs in ten seconds is written a few
 * times and not a thousand. What a process has not written when it dies is lost.
 */
export class ErrorGroupSums {
  readonly #groups = new Map<string, Summed>();
  /** Deaths that may have happened: another try does not count them again. */
  readonly #unsure = new Set<string>();

  /** Counts a death that is about to come. The promise, if its group's row is still to be written, ends when it is or was refused, and never rejects. */
  enter(death: Death, attempt: string, now: number, write: WriteDeaths): Promise<void> | undefined {
    const group = this.#group(death);
    group.latest = death;
    if (!this.#unsure.delete(attempt)) group.untold += 1;
    if (group.writing !== undefined) return group.writing;
    if (isWithin(group.ensuredAt, now, GROUP_WRITE_EVERY_MS) || isWithin(group.refusedAt, now, AFTER_REFUSAL_MS)) return undefined;
    return this.#write(group, now, write);
  }

  /** Removes a death that did not happen, or marks one that may not have. */
  undo({ fingerprint }: Death, attempt: string, certain: boolean): void {
    const group = this.#groups.get(fingerprint);
    if (!certain) this.#unsure.add(attempt);
    else if (group !== undefined) group.untold -= 1;
  }

  /** Writes what was summed up, for each group at most every ten seconds unless `all`. Never rejects. */
  async flush(now: number, write: WriteDeaths, all = false): Promise<void> {
    this.#unsure.clear();
    const due: Summed[] = [];
    for (const [fingerprint, group] of this.#groups) {
      if (group.writing !== undefined) due.push(group);
      else if (group.untold === 0) {
        if (!isWithin(group.ensuredAt, now, GROUP_WRITE_EVERY_MS)) this.#groups.delete(fingerprint);
      } else if (all || !isWithin(group.flushedAt, now, GROUP_WRITE_EVERY_MS)) {
        group.flushedAt = now;
        due.push(group);
      }
    }
    await mapLimited(due, PARALLEL, async (group) => group.writing ?? this.#write(group, now, write));
  }

  #group(death: Death): Summed {
    const known = this.#groups.get(death.fingerprint);
    if (known !== undefined) return known;
    const fresh: Summed = { untold: 0, latest: death };
    this.#groups.set(death.fingerprint, fresh);
    return fresh;
  }

  #write(group: Summed, now: number, write: WriteDeaths): Promise<void> {
    const seen = group.untold;
    group.untold = 0;
    const ended = (async () => {
      try {
        await write(group.latest, seen, now - group.latest.at < RECENT_MS);
        group.ensuredAt = now;
      } catch {
        group.untold += seen;
        group.refusedAt = now;
      } finally {
        delete group.writing;
      }
    })();
    group.writing = ended;
    return ended;
  }
}

function isWithin(since: number | undefined, now: number, ms: number): boolean {
  return since !== undefined && now >= since && now - since < ms;
}
