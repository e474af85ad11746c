/** How a job may end: completed, cancelled, or dead for a reason. */
export type JobEnding = 'completed' | 'cancelled' | `dead: ${string}`;

/** A job that was accepted, and every end that is right for it. */
export interface AcceptedJob {
  readonly kind: string;
  readonly ends: readonly JobEnding[];
}

/** One run of a handler. Instants are epoch milliseconds. */
export interface Run {
  readonly id: string;
  readonly attempt: number;
  readonly pid: number;
  readonly group?: string;
  readonly dueAt: number;
  readonly startedAt: number;
  /** For a run that never ended: when its process was last seen alive. */
  readonly endedAt: number;
}

/** A job that the store reported as completed to an executor. */
export interface Completion {
  readonly id: string;
  readonly at: number;
}

/** All that is known after a run of torture. */
export interface Evidence {
  readonly accepted: ReadonlyMap<string, AcceptedJob>;
  readonly runs: readonly Run[];
  readonly completions: readonly Completion[];
  /** Of the zombies, those that went on and had an outcome refused. */
  readonly refusedZombies: number;
  /** Rows of History by job. */
  readonly finished: ReadonlyMap<string, { readonly outcome: string; readonly finishedAt: number }>;
  /** Reasons of dead letters by job. */
  readonly dead: ReadonlyMap<string, string>;
  /** Jobs with a row in Jobs, Timers or Suspended, and where. */
  readonly unsettled: ReadonlyMap<string, string>;
  /** Locks and unique keys that nobody took away. */
  readonly locks: readonly string[];
  /** Messages that SQS gave up on. */
  readonly deadMessages: number;
  /** Processes whose kill was put off past the lease: a run in them may overlap, and must not complete. */
  readonly zombies: ReadonlySet<number>;
}

/** What can be wrong. */
export const RULES = {
  lost: 'accepted, and nowhere to be found',
  'wrong end': 'ended as it must not',
  'double completion': 'completed, or ended, more than once',
  'run after end': 'started after it had completed',
  'group overlap': 'ran beside another job of its group',
  'job overlap': 'ran twice at the same time',
  'early start': 'started before it was due',
  'row left': 'has a row although all is over',
  'dead message': 'SQS gave up on a message',
} as const;

/** A promise that was broken, and by which jobs or rows. */
export interface Violation {
  readonly rule: keyof typeof RULES;
  readonly ids: readonly string[];
}

/** Judges the evidence; empty when every promise was kept. Pure. */
export function audit(evidence: Evidence): readonly Violation[] {
  const { accepted, unsettled, locks, deadMessages } = evidence;
  const firm = evidence.runs.filter((run) => !evidence.zombies.has(run.pid));
  const grouped = firm.filter((run) => run.group !== undefined);
  const ids = [...accepted.keys()];
  const found: readonly Violation[] = [
    { rule: 'lost', ids: ids.filter((id) => endsOf(evidence, id).length === 0 && !unsettled.has(id)) },
    { rule: 'wrong end', ids: ids.filter((id) => endsOf(evidence, id).some((end) => accepted.get(id)?.ends.includes(end) !== true)) },
    { rule: 'double completion', ids: doubleCompletions(evidence) },
    { rule: 'run after end', ids: firm.filter((run) => run.startedAt > completedAt(evidence, run.id)).map((run) => run.id) },
    { rule: 'group overlap', ids: overlaps(grouped, (run) => run.group ?? '') },
    { rule: 'job overlap', ids: overlaps(firm, (run) => run.id) },
    { rule: 'early start', ids: evidence.runs.filter((run) => run.startedAt < run.dueAt).map((run) => run.id) },
    { rule: 'row left', ids: [...[...unsettled].map(([id, where]) => `${id} in ${where}`), ...locks] },
    { rule: 'dead message', ids: deadMessages === 0 ? [] : [`${deadMessages} in the dead-letter queues`] },
  ];
  return found.flatMap(({ rule, ids: broken }) => (broken.length === 0 ? [] : [{ rule, ids: [...new Set(broken)] }]));
}

/** Where a job ended, as the tables say. */
export function endsOf({ finished, dead }: Pick<Evidence, 'finished' | 'dead'>, id: string): readonly JobEnding[] {
  const ends: JobEnding[] = [];
  const outcome = finished.get(id)?.outcome;
  if (outcome === 'completed' || outcome === 'cancelled') ends.push(outcome);
  const reason = dead.get(id);
  if (reason !== undefined) ends.push(`dead: ${reason}`);
  return ends;
}

/** More than one executor was told that it completed the job, or it ended in two ways, or ended and has a row still. */
function doubleCompletions(evidence: Evidence): readonly string[] {
  const told = Map.groupBy(evidence.completions, ({ id }) => id);
  const ids = new Set([...told.keys(), ...evidence.finished.keys(), ...evidence.dead.keys()]);
  return [...ids].filter((id) => {
    const ends = endsOf(evidence, id);
    const completed = Math.max(told.get(id)?.length ?? 0, ends.includes('completed') ? 1 : 0);
    const others = ends.filter((end) => end !== 'completed').length + (evidence.unsettled.has(id) ? 1 : 0);
    return completed + others > 1;
  });
}

/** When the first executor knew that the job was completed; a completion that nobody lived to tell is dated by its row. */
function completedAt({ completions, finished }: Evidence, id: string): number {
  const told = completions.filter((completion) => completion.id === id).map(({ at }) => at);
  const row = finished.get(id);
  return Math.min(...told, row?.outcome === 'completed' ? row.finishedAt : Number.POSITIVE_INFINITY);
}

/** Jobs that started while an earlier run with the same key had not ended. */
function overlaps(runs: readonly Run[], keyOf: (run: Run) => string): readonly string[] {
  return [...Map.groupBy(runs, keyOf).values()].flatMap((same) => {
    let busyUntil = Number.NEGATIVE_INFINITY;
    return same
      .toSorted((a, b) => a.startedAt - b.startedAt)
      .flatMap((run) => {
        const overlapping = run.startedAt < busyUntil;
        busyUntil = Math.max(busyUntil, run.endedAt);
        return overlapping ? [run.id] : [];
      });
  });
}
