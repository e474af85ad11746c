import { expect } from 'vitest';
import { createAdminOver } from '../../operate/admin.ts';
import type { FindingKind } from '../../operate/reconcile/findings.ts';
import type { ReconcileReport } from '../../operate/reconcile/reconcile.ts';
import { SettableClock } from '../../shared/adapters/memory/settable-clock.ts';
import type { TableName, Tables } from '../../shared/ports/tables.ts';
import { copyStaggered, drainAll, type LoadedRig, loadedRig, restored, step, type TableCopies } from './restore-load.ts';

const NOW = Date.parse('2026-03-01T00:00:10Z');
const HOLDING = ['jobs', 'timers', 'suspended', 'deadLetters'] as const;
const STEPS_BEFORE = 40;

interface Disaster {
  readonly old: LoadedRig;
  readonly early: TableCopies;
  readonly late: TableCopies;
  readonly history: TableCopies;
  readonly at: number;
}

/** `advised`: as the page says, Jobs after the tables from which jobs come, Control after Jobs. `any`: in any order. */
type Order = 'advised' | 'any';

/** A load in the middle of which the tables are copied at instants of their own: once early, then History, then all others. */
async function disaster(seed: number, order: Order): Promise<Disaster> {
  const old = loadedRig(seed, NOW);
  for (let steps = 0; steps < STEPS_BEFORE; steps++) await step(old);
  const shuffled = <Name extends TableName>(names: readonly Name[]): readonly Name[] =>
    names
      .map((name) => ({ name, place: old.random() }))
      .toSorted((one, other) => one.place - other.place)
      .map(({ name }) => name);
  const [sources, advised] = [HOLDING.filter((name) => name !== 'jobs'), order === 'advised'];
  const early = await copyStaggered(old, advised ? [...shuffled(sources), 'jobs'] : shuffled(HOLDING));
  for (let steps = 0; steps < 5; steps++) await step(old);
  const history = await copyStaggered(old, ['history']);
  const late = await copyStaggered(old, advised ? [...shuffled(sources), 'jobs', 'control'] : shuffled([...HOLDING, 'control'] as const));
  const at = old.rig.clock.now();
  for (let steps = 0; steps < 10; steps++) await step(old);
  return { old, early, late, history, at };
}

interface Recovery {
  readonly loaded: LoadedRig;
  readonly reconcile: (apply: boolean) => Promise<ReconcileReport>;
}

/** The deployment on restored tables, an hour later, without a single message. */
async function recover(seed: number, { old, early, late, history, at }: Disaster): Promise<Recovery> {
  const clock = new SettableClock(old.rig.clock.now() + 3_600_000);
  const loaded = loadedRig(seed + 1, clock.now(), await restored(clock, new Map([...late, ...history])));
  const copy = await restored(clock, early);
  const tablesNamed = (): Tables => copy;
  const admin = createAdminOver({ ...loaded.rig.deps, tablesNamed });
  const copies = Object.fromEntries(HOLDING.map((name) => [name, `early-${name}`]));
  return { loaded, reconcile: async (apply) => admin.reconcile({ apply, copies, restoredTo: at, actor: 'test' }) };
}

const momentsOf = (copies: TableCopies): readonly number[] => [...copies.values()].map(({ moment }) => moment);

/** Whether a job left one of the tables while a set of them was copied: only such a job may be in none of that set. */
function leftIn(old: LoadedRig, id: string, copies: TableCopies, tables: readonly TableName[]): boolean {
  const moments = momentsOf(copies);
  return (old.moves.get(id) ?? []).some(
    ({ from, moment }) => tables.includes(from) && moment > Math.min(...moments) && moment <= Math.max(...moments),
  );
}

async function idsIn({ rig }: LoadedRig, tables: readonly TableName[]): Promise<readonly string[]> {
  return (await Promise.all(tables.map(async (table) => rig.rows(table)))).flat().map(({ id }) => String(id));
}

const kinds = (report: ReconcileReport): Partial<Record<FindingKind, number>> =>
  Object.fromEntries(report.findings.map(({ kind, found, repaired, changed, left }) => [kind, found + repaired + changed + left]));

async function reconciled({ reconcile }: Recovery): Promise<ReconcileReport> {
  const dry = await reconcile(false);
  const first = await reconcile(true);
  let last = first;
  for (let round = 0; round < 4 && last.findings.some(({ repaired, changed }) => repaired + changed > 0); round++)
    last = await reconcile(true);
  expect(kinds(await reconcile(false))).toEqual(kinds(last));
  expect(dry.applied).toBe(false);
  return first;
}

/**
 * One load, one disaster, one recovery: nothing is lost that was accepted before the first instant, nothing runs again that History knows,
 * and every batch ends. Gives back what the repairing run found.
 */
export async function restoreTrial(seed: number): Promise<Partial<Record<FindingKind, number>>> {
  const order = seed % 2 === 0 ? 'advised' : 'any';
  const met = await disaster(seed, order);
  const recovery = await recover(seed, met);
  const report = await reconciled(recovery);
  const { loaded } = recovery;
  const held = await idsIn(loaded, HOLDING);
  expect(held.toSorted()).toEqual([...new Set(held)].toSorted());
  await drainAll(loaded);
  await expectNothingLost(loaded, met, order);
  expectNothingAgain(loaded, met);
  for (const id of met.old.batches) {
    const batch = await loaded.admin.batch(id);
    if (batch !== undefined)
      expect(batch).toMatchObject({ id, state: 'finished', pending: 0, fired: expect.arrayContaining(['completed']) });
  }
  return kinds(report);
}

async function expectNothingLost(loaded: LoadedRig, { old, early, late }: Disaster, order: Order): Promise<void> {
  const first = Math.min(...momentsOf(early));
  const ends = new Set([...(await idsIn(loaded, ['history', 'deadLetters'])), ...old.ledger.ended.keys()]);
  const lost = [...old.accepted].filter(([id, moment]) => moment <= first && !ends.has(id)).map(([id]) => id);
  // With the advised order a fired timer is never among them: only a job that left Jobs while each of the two sets was copied.
  const leaving = order === 'advised' ? (['jobs', 'suspended', 'deadLetters'] as const) : HOLDING;
  expect(lost.filter((id) => ![early, late].every((copies) => leftIn(old, id, copies, leaving)))).toEqual([]);
}

function expectNothingAgain(loaded: LoadedRig, { old, history }: Disaster): void {
  const historyAt = Math.min(...momentsOf(history));
  const known = new Set([...old.ledger.ended].filter(([, moment]) => moment <= historyAt).map(([id]) => id));
  expect(known.size).toBeGreaterThan(20);
  expect(loaded.ledger.ran.filter((id) => known.has(id))).toEqual([]);
}
