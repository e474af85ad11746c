import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { placedRows } from './job-places.ts';
import type { ExpectedEnding, Ledger, Run } from './ledger.ts';
import type { Shop } from './shop.ts';

/** How the jobs of a run ended, measured from the tables, the journals and the effects, never assumed. */
export interface Audit {
  /** Jobs that the order service said it had enqueued. */
  readonly enqueued: number;
  readonly completed: number;
  readonly deadLettered: number;
  readonly cancelled: number;
  /** In no table, and no end was observed. */
  readonly lost: number;
  /** Ended more than once: completed twice, or completed and a dead letter, and so on. */
  readonly doubleCompleted: number;
  /** Runs that began before their job was due. */
  readonly earlyTimers: number;
  /** Runs of one group that overlapped. */
  readonly groupOverlaps: number;
  /** Still waiting, ready, running or suspended. */
  readonly unsettled: number;
  /** Completed without the file or the delivery that it should have left. */
  readonly missingEffects: number;
  /** Jobs that ended elsewhere than they should have, described; at most ten. */
  readonly astray: readonly string[];
}

type Ending = 'completed' | 'dead' | 'cancelled' | 'unsettled' | 'lost';

/** Whether every job ended where it should. */
export function isClean(audit: Audit): boolean {
  const { lost, doubleCompleted, earlyTimers, groupOverlaps, unsettled, missingEffects, astray } = audit;
  return lost + doubleCompleted + earlyTimers + groupOverlaps + unsettled + missingEffects + astray.length === 0;
}

/** Which jobs have a row, and where. */
export interface JobPlaces {
  /** Jobs, Timers and Suspended: not ended yet. */
  readonly unsettled: ReadonlySet<string>;
  readonly dead: ReadonlySet<string>;
  /** Outcomes by id, from History. */
  readonly outcomes: ReadonlyMap<string, string | undefined>;
}

/** Reads all tables and checks every promised job. */
export async function auditShop(shop: Shop): Promise<Audit> {
  const { dynamo, tables } = shop.region;
  const [jobs, timers, suspended, dead, history] = await Promise.all(
    [tables.jobs, tables.timers, tables.suspended, tables.deadLetters, tables.history].map((table) => placedRows(dynamo, table)),
  );
  const unsettled = [jobs, timers, suspended].flatMap((rows = []) => rows.map((row) => row.id));
  const places: JobPlaces = {
    unsettled: new Set(unsettled),
    dead: new Set(dead?.map((row) => row.id)),
    outcomes: new Map(history?.map((row) => [row.id, row.outcome])),
  };
  return judge(shop.ledger, places, (id) => hasEffect(shop, id));
}

/** Compares the promises with the observations. `hasEffect`: whether a completed job left its effect. */
export function judge(ledger: Ledger, places: JobPlaces, hasEffect: (id: string) => boolean): Audit {
  const endings = new Map([...ledger.expected.keys()].map((id) => [id, endingsOf(ledger, places, id)]));
  const all = [...endings.values()];
  const count = (ending: Ending): number => all.filter((seen) => seen.includes(ending)).length;
  return {
    enqueued: endings.size,
    completed: count('completed'),
    deadLettered: count('dead'),
    cancelled: count('cancelled'),
    lost: count('lost'),
    doubleCompleted: all.filter((seen) => seen.length > 1).length,
    earlyTimers: ledger.runs.filter((run) => run.startedAt < run.dueAt).length,
    groupOverlaps: groupOverlaps(ledger.runs),
    unsettled: count('unsettled'),
    missingEffects: [...endings].filter(([id, seen]) => seen.includes('completed') && !hasEffect(id)).length,
    astray: [...endings].flatMap(([id, seen]) => describeAstray(ledger, id, seen)).slice(0, 10),
  };
}

/** Every observed end of a job, once each; History repeats the journal's. */
function endingsOf(ledger: Ledger, places: JobPlaces, id: string): readonly Ending[] {
  const events = ledger.finished.get(id) ?? [];
  const outcome = places.outcomes.get(id);
  const completed = Math.max(events.filter((event) => event === 'completed').length, outcome === 'completed' ? 1 : 0);
  const seen: Ending[] = Array.from({ length: completed }, () => 'completed');
  if (ledger.cancelled.has(id) || events.includes('cancelled') || outcome === 'cancelled') seen.push('cancelled');
  if (places.dead.has(id)) seen.push('dead');
  if (places.unsettled.has(id)) seen.push('unsettled');
  return seen.length === 0 ? ['lost'] : seen;
}

function describeAstray(ledger: Ledger, id: string, seen: readonly Ending[]): readonly string[] {
  const expected = ledger.expected.get(id);
  if (expected === undefined || isExpected(expected.ending, seen)) return [];
  return [`${expected.type} ${id}: ${seen.join(', ')} instead of ${expected.ending}`];
}

function isExpected(expected: ExpectedEnding, seen: readonly Ending[]): boolean {
  const [ending] = seen;
  if (seen.length !== 1 || ending === undefined) return false;
  return expected === 'completed or cancelled' ? ending === 'completed' || ending === 'cancelled' : expected === ending;
}

/** The effect that a completed job must have left outside Nightcrew. */
function hasEffect(shop: Shop, id: string): boolean {
  switch (shop.ledger.expected.get(id)?.type) {
    case 'invoice.render':
      return existsSync(join(shop.invoicesFolder, `${id}.html`));
    case 'webhook.deliver':
      return shop.receiver.delivered.has(id);
    default:
      return true;
  }
}

/** Pairs of runs of one group that ran at the same time. A run that never ended ran until now. */
export function groupOverlaps(runs: readonly Run[]): number {
  const byGroup = Map.groupBy(
    runs.filter((run) => run.group !== undefined),
    (run) => run.group,
  );
  let overlaps = 0;
  for (const group of byGroup.values()) {
    const inTurn = group.toSorted((a, b) => a.startedAt - b.startedAt);
    let busyUntil = -Infinity;
    for (const run of inTurn) {
      if (run.startedAt < busyUntil) overlaps += 1;
      busyUntil = Math.max(busyUntil, run.endedAt ?? Infinity);
    }
  }
  return overlaps;
}
