import { storedInstant, iso } from '../../shared/job/instant.ts';
import { defined } from '../../shared/job/defined.ts';
import { mapLimited } from '../../shared/job/map-limited.ts';
import { hasEnded, sumCounts } from '../../shared/features/batches/model/batch-progress.ts';
import {
  batchHeadKey,
  batchListKey,
  countingKeys,
  countsOf,
  readBatch,
  type SeenBatch,
} from '../../shared/features/batches/store/batch-rows.ts';
import type { Row, RowKey, Tables, Write } from '../../shared/ports/tables.ts';
import { all, noRow, unchanged } from '../../shared/store/conditions.ts';
import { batchLeafKey, heartbeatKey } from '../../shared/store/control-rows.ts';
import { type BatchCorrection, type BatchTally, correctionOf } from './batch-counts.ts';
import { JOB_TABLES } from './rows-of-job.ts';
import { quietly, type ReconcileRun, type ReconcileStep, settle } from './run.ts';
import { plural } from '../../shared/job/plural.ts';

const PAGE_ROWS = 1_000;
const PARALLEL = 8;
/** A sweeper whose next run is overdue by no more than this means that the deployment is on. */
const OVERDUE_MS = 4 * 60_000;

type Tallies = ReadonlyMap<string, BatchTally>;

/**
 * Compares the counters of batches with their jobs. Counters are read before the jobs and must be unchanged afterwards: every job that is
 * added or ends writes one of them. Jobs are counted twice, and both counts must agree, because a job that moves during a count may be missed.
 */
export const batchesStep: ReconcileStep = {
  name: 'batches',
  async page(run) {
    const { tables } = run.deps;
    const first = await tallyOf(tables);
    const names = [...new Set([...(await unfinished(tables)), ...first.tallies.keys()])];
    if (names.length === 0) return { rows: first.rows };
    const seen = new Map<string, SeenBatch | undefined>();
    await mapLimited(names, PARALLEL, async (name) =>
      quietly(run, `batch ${name}`, async () => void seen.set(name, await readBatch(tables, name))),
    );
    const second = await tallyOf(tables);
    const live = await isLive(run);
    for (const [name, batch] of seen) {
      const tally = { before: first.tallies.get(name), after: second.tallies.get(name) };
      await quietly(run, `batch ${name}`, async () => lookAtBatch(run, { name, batch, seen, live }, tally));
    }
    return { rows: first.rows + second.rows };
  },
};

const NONE: BatchTally = { living: 0, dead: 0 };

interface Met {
  readonly name: string;
  readonly batch: SeenBatch | undefined;
  readonly seen: ReadonlyMap<string, SeenBatch | undefined>;
  readonly live: boolean;
}

async function lookAtBatch(
  run: ReconcileRun,
  { name, batch, seen, live }: Met,
  { before = NONE, after = NONE }: { readonly before?: BatchTally | undefined; readonly after?: BatchTally | undefined },
): Promise<void> {
  if (batch === undefined) {
    if (after.living > 0)
      run.findings.add(
        { kind: 'batch-gone', subject: name, says: `${after.living} ${plural(after.living, 'job belongs', 'jobs belong')} to it` },
        'left',
      );
    return;
  }
  await listUnlisted(run, name, batch);
  const counts = sumCounts(batch.counting.map(countsOf));
  const correction = correctionOf(counts, { ...after, living: after.living + pendingBatches(name, seen) });
  if (correction === undefined) return;
  const ended = counts.succeeded + counts.failed + counts.cancelled;
  const says = `${counts.total} ${plural(counts.total, 'job')}, of which ${after.living} ${plural(after.living, 'lives', 'live')} and ${ended} ${plural(ended, 'is', 'are')} counted as ended`;
  const finding = { kind: 'batch-counts', subject: name, says } as const;
  const moved = before.living !== after.living || before.dead !== after.dead;
  if (live || moved) {
    const why = live
      ? `the deployment runs: switch it off, wait ${liveMsOf(run) / 60_000} minutes, and run this again`
      : 'its jobs moved during the check';
    return run.findings.add({ ...finding, says: `${says}; ${why}` }, 'left');
  }
  await settle(run, finding, { writes: { counters: correctionWrites(batch, correction), list: relist(run, name, batch) } });
}

/** Number of nested batches whose end this batch has not counted yet. It counts them as its jobs. */
function pendingBatches(name: string, seen: ReadonlyMap<string, SeenBatch | undefined>): number {
  return [...seen.values()].filter((one) => one?.head.parent === name && one.head.told === undefined).length;
}

/** The correction goes to one row; every row that counts must be as it was read. */
function correctionWrites({ head, counting }: SeenBatch, { succeeded, failed, cancelled }: BatchCorrection): readonly Write[] {
  const bySort = new Map(counting.map((row) => [row['sk'], row]));
  const corrected = batchLeafKey(head.id, 0);
  return countingKeys(head).map((key): Write => {
    const row: Row | undefined = bySort.get(key['sk'] ?? '');
    const counts: Row = countsOf(row ?? {});
    const same = all(...['total', 'succeeded', 'failed', 'cancelled'].map((name) => unchanged(name, counts[name])));
    const condition = row === undefined ? noRow('pk') : same;
    if (key['pk'] !== corrected['pk'] || key['sk'] !== corrected['sk']) return { op: 'check', table: 'control', key, condition };
    return { op: 'update', table: 'control', key, set: {}, add: { succeeded, failed, cancelled }, condition };
  });
}

/** The sweeper looks at it again: it may have been finished, or all its jobs may have ended. */
function relist({ deps }: ReconcileRun, name: string, { head }: SeenBatch): Write {
  const set = {
    revived: deps.entropy.token(),
    revivedAt: iso(deps.clock.now()),
    createdAt: iso(head.createdAt),
    ...defined({ tenant: head.tenant }),
  };
  return { op: 'update', table: 'control', key: batchListKey(name), set };
}

async function listUnlisted(run: ReconcileRun, name: string, batch: SeenBatch): Promise<void> {
  const { head, counting } = batch;
  const isOver = head.finishedAt !== undefined && hasEnded(sumCounts(counting.map(countsOf)));
  if (isOver || (await run.deps.tables.get('control', batchListKey(name))) !== undefined) return;
  const there: Write = {
    op: 'check',
    table: 'control',
    key: batchHeadKey(name),
    condition: unchanged('finishedAt', finishedText(head.finishedAt)),
  };
  await settle(
    run,
    { kind: 'batch-unlisted', subject: name, says: 'it is not finished and not on the list' },
    { writes: { head: there, list: relist(run, name, batch) } },
  );
}

const finishedText = (at: number | undefined): string | undefined => (at === undefined ? undefined : iso(at));

/** Names of the batches on the list. */
async function unfinished(tables: Tables): Promise<readonly string[]> {
  const names: string[] = [];
  let after: RowKey | undefined;
  do {
    const page = await tables.query({ table: 'control', partition: 'batches', limit: PAGE_ROWS, ...defined({ after }) });
    names.push(...page.rows.map(({ sk }) => String(sk)));
    after = page.cursor;
  } while (after !== undefined);
  return names;
}

/** Counts the jobs of each batch, in tables in which each job has one row by now. Consistent: an old answer could be the same old one twice. */
async function tallyOf(tables: Tables): Promise<{ readonly tallies: Tallies; readonly rows: number }> {
  const tallies = new Map<string, BatchTally>();
  let rows = 0;
  for (const table of JOB_TABLES) {
    let after: RowKey | undefined;
    do {
      const filter = { test: 'present', attribute: 'batch' } as const;
      const page = await tables.scan({ table, segment: 0, segments: 1, limit: PAGE_ROWS, filter, consistent: true, ...defined({ after }) });
      rows += page.scanned ?? page.rows.length;
      for (const { batch } of page.rows) {
        if (typeof batch !== 'string') continue;
        const { living, dead } = tallies.get(batch) ?? NONE;
        tallies.set(batch, table === 'deadLetters' ? { living, dead: dead + 1 } : { living: living + 1, dead });
      }
      after = page.cursor;
    } while (after !== undefined);
  }
  return { tallies, rows };
}

const liveMsOf = ({ deps }: ReconcileRun): number => deps.deployment.settings.sweeperIntervalMs + OVERDUE_MS;

async function isLive(run: ReconcileRun): Promise<boolean> {
  const { tables, clock } = run.deps;
  const row = await tables.get('control', heartbeatKey('sweeper'));
  return (storedInstant(row?.['at']) ?? Number.NEGATIVE_INFINITY) > clock.now() - liveMsOf(run);
}
