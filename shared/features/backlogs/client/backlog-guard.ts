import type { Duration } from '../../../job/duration.ts';
import { errorText } from '../../../job/error-text.ts';
import { dueTime, type Instant } from '../../../job/instant.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Journal } from '../../../ports/journal.ts';
import type { Tables } from '../../../ports/tables.ts';
import { hasRoom, isCurrent } from '../model/backlog.ts';
import { BacklogFullError } from '../model/backlog-full-error.ts';
import { OwnJobs } from '../model/own-jobs.ts';
import { askForMeasurement, type BoundedType, readBoundedType } from '../store/backlog-rows.ts';

/** How long a client uses a measurement before it reads the row again. */
const TTL_MS = 5_000;
/** A client asks again for a type when, according to the row, no client has for this long. */
const ASK_AGAIN_MS = 86_400_000;

/** What a guard works with. */
export interface BacklogDeps {
  readonly deployment: { readonly settings: { readonly sweeperIntervalMs: number; readonly delayHorizonMs: number } };
  readonly tables: Tables;
  readonly clock: Clock;
  readonly journal: Journal;
}

/** The jobs that a call adds to the backlog of a type. */
export interface Addition {
  /** `maxBacklog` is absent for a type without a bound. */
  readonly type: { readonly name: string; readonly maxBacklog?: number };
  readonly count: number;
  /** When they are due, if they were not built yet: timers are not in the backlog. */
  readonly when?: { readonly delay?: Duration; readonly runAt?: Instant };
}

/** Refuses jobs of types whose backlog is full. One per client: it counts what the client has enqueued. */
export interface BacklogGuard {
  /**
   * Runs `write`, unless the backlog has no room: then it throws BacklogFullError, and no job is created. `kept` says how many jobs exist, or
   * may exist, by the result. If nothing is known of the backlog, there is room.
   */
  admit<Result>(addition: Addition, write: () => Promise<Result>, kept: (result: Result) => number): Promise<Result>;
  /** For jobs that it has admitted already. */
  readonly admitted: BacklogGuard;
}

const admitted: BacklogGuard = {
  admit: async (_addition, write) => write(),
  get admitted() {
    return admitted;
  },
};

/** What a guard knows of a type. */
interface Known {
  readonly own: OwnJobs;
  row?: BoundedType | undefined;
  readAt: number;
  reading?: Promise<void> | undefined;
  /** The bound for which it has asked. */
  asked?: number;
}

/** Creates a guard that knows nothing yet. */
export function backlogGuard(deps: BacklogDeps): BacklogGuard {
  const types = new Map<string, Known>();
  const knownOf = (type: string): Known => {
    const known = types.get(type) ?? { own: new OwnJobs(), readAt: Number.NEGATIVE_INFINITY };
    types.set(type, known);
    return known;
  };
  return {
    admitted,
    async admit({ type: { name, maxBacklog }, count, when }, write, kept) {
      if (maxBacklog === undefined || count === 0 || areTimers(deps, when)) return write();
      const known = knownOf(name);
      await refresh(deps, known, name, maxBacklog);
      // Nothing waits between the check and the count, so that two calls never take the same room.
      refuseIfFull(deps, known, { type: name, maxBacklog, adding: count });
      known.own.begin(count);
      let exist = count;
      try {
        const result = await write();
        exist = kept(result);
        return result;
      } finally {
        known.own.end(count, exist, deps.clock.now());
      }
    },
  };
}

function refuseIfFull(
  { clock, deployment }: BacklogDeps,
  { row, own }: Known,
  asked: { type: string; maxBacklog: number; adding: number },
): void {
  const measured = row?.measured;
  if (measured === undefined || !isCurrent(measured, clock.now(), deployment.settings.sweeperIntervalMs)) return;
  const enqueuedSince = own.since(measured.from);
  if (hasRoom({ measured: measured.count, own: enqueuedSince, adding: asked.adding }, asked.maxBacklog)) return;
  throw new BacklogFullError({ ...asked, measured: measured.count, measuredAt: new Date(measured.from), enqueuedSince });
}

/** Reads the row if it was read more than five seconds ago. If the store does not answer, the last known measurement counts. */
async function refresh(deps: BacklogDeps, known: Known, type: string, bound: number): Promise<void> {
  const now = deps.clock.now();
  if (now >= known.readAt && now - known.readAt < TTL_MS) return;
  known.reading ??= read(deps, known, type, bound)
    .catch((error: unknown) => {
      deps.journal.record({ event: 'store-failed', reason: 'backlog', error: errorText(error, deps.clock.now()) });
    })
    .finally(() => {
      known.readAt = deps.clock.now();
      known.reading = undefined;
    });
  await known.reading;
}

async function read({ tables, clock }: BacklogDeps, known: Known, type: string, bound: number): Promise<void> {
  const row = await readBoundedType(tables, type);
  known.row = row;
  if (row?.measured !== undefined) known.own.forgetBefore(row.measured.from);
  const now = clock.now();
  // Clients of two versions may have different bounds: each writes its own once, not in turn.
  const isAsked = row !== undefined && row.askedAt > now - ASK_AGAIN_MS && (row.bound === bound || known.asked === bound);
  if (isAsked) return;
  await askForMeasurement(tables, { type, bound, askedAt: now });
  known.asked = bound;
}

/** Whether jobs that are due then will be timers. Each job refuses an invalid time by itself. */
function areTimers({ clock, deployment }: BacklogDeps, when: Addition['when'] = {}): boolean {
  const now = clock.now();
  try {
    return dueTime(when, now) > now + deployment.settings.delayHorizonMs;
  } catch {
    return true;
  }
}
