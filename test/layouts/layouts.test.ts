import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { inOrder } from '../../scripts/release/versions.ts';
import { createAdminOver } from '../../operate/admin.ts';
import { SettableClock } from '../../shared/adapters/memory/settable-clock.ts';
import { decodeEnvironment, ENVIRONMENT } from '../../shared/config/environment.ts';
import { PACKAGE_VERSION } from '../../shared/config/package-version.ts';
import { TABLE_NAMES, TABLE_SPECS } from '../../shared/ports/table-spec.ts';
import type { Row, TableName } from '../../shared/ports/tables.ts';
import { Rig } from '../support/rig.ts';
import { handlersOf, TYPES } from './left-jobs.ts';
import { keptFile, type Layouts, layoutsOf, WORKERS } from './layouts.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** In the order of the releases. */
const KEPT: readonly Layouts[] = inOrder(readdirSync(new URL('kept/', import.meta.url)).map((file) => file.replace('.json', ''))).map(
  (version) => JSON.parse(readFileSync(keptFile(version), 'utf8')) as Layouts,
);
const told = { actor: 'anna', reason: 'upgrade' };

/** What another release may write beside what this one knows: attributes, rows, fields of a message. */
interface Additions {
  readonly row: Row;
  readonly hint: object;
}

const NOTHING: Additions = { row: {}, hint: {} };
const OF_TOMORROW: Additions = { row: { ofTomorrow: 'x', alsoNew: 3 }, hint: { new: 1 } };

/** The deployment of a kept release, taken over by the code of today an hour after the other one stopped. */
async function takeOver({ rows, messages, at }: Layouts, { row: more, hint }: Additions = NOTHING) {
  const rig = new Rig({
    clock: new SettableClock(at + HOUR),
    handlers: handlersOf({ fixed: true }),
    workers: WORKERS,
    history: 'full',
    version: 'next',
    seed: 5,
  });
  for (const table of TABLE_NAMES) {
    for (const row of rows[table]) await rig.tables.write({ op: 'put', table, row: { ...row, ...more } });
  }
  for (const { queue, body } of messages) rig.hints.inject(queue, JSON.stringify({ ...(JSON.parse(body) as object), ...hint }));
  return { rig, admin: createAdminOver(rig.deps) };
}

/** Ticks, sweeps and deliveries of a day and a half. */
async function pass(rig: Rig): Promise<void> {
  for (let passed = 0; passed < 36 * HOUR; passed += 5 * MINUTE) {
    await rig.fire();
    await rig.sweep();
    await rig.drain();
    await rig.clock.advance(5 * MINUTE);
  }
}

/** Ids of all jobs that were not finished. */
const openJobs = ({ rows }: Layouts): readonly string[] =>
  (['jobs', 'timers', 'deadLetters', 'suspended'] as const).flatMap((table) => rows[table].map((row) => String(row['id'])));

/** Which attributes rows of one kind have, with the types of their values: a kind is a table, or in Control the prefixes of the key. */
function shapesOf(rows: Layouts['rows']): ReadonlyMap<string, string> {
  const kindOf = (table: TableName, row: Row): string =>
    table === 'control'
      ? `control ${String(row['pk']).split('#')[0]}`
      : `${table}${String(row['shard'] ?? '').startsWith('limit#') ? ' parked' : ''}`;
  return new Map(
    TABLE_NAMES.flatMap((table) =>
      rows[table].flatMap((row) => Object.entries(row).map(([name, value]) => [`${kindOf(table, row)}.${name}`, typeof value] as const)),
    ),
  );
}

describe.each(KEPT)('what a deployment of $version left', (kept) => {
  it.each([
    ['as it is', NOTHING],
    ['with attributes and fields that this release does not know, as after a roll-back', OF_TOMORROW],
  ])('is run to its end by the code of today, %s', async (_, additions) => {
    const { rig, admin } = await takeOver(kept, additions);
    await admin.resume({ tenant: 'late-payer' }, told);
    for (const row of kept.rows.suspended.filter(({ cause }) => cause === 'breakpoint')) await admin.runNow(String(row['id']), told);
    for (const { id } of kept.rows.deadLetters) expect(await admin.redrive(String(id), told)).toBe('redriven');
    await pass(rig);
    expect(await rig.counts()).toMatchObject({ jobs: 0, deadLetters: 0, suspended: 0, timers: 1 });
    const finished = new Set((await rig.rows('history')).map(({ id }) => String(id)));
    const scheduled = kept.rows.timers.filter(({ schedule }) => schedule !== undefined).map(({ id }) => String(id));
    expect(openJobs(kept).filter((id) => !finished.has(id) && !scheduled.includes(id))).toEqual([]);
    expect(rig.hints.deadLetters()).toEqual([]);
    expect(rig.journal.count('quarantined')).toBe(0);
  });

  it('is read by every list of today', async () => {
    const { rig, admin } = await takeOver(kept, OF_TOMORROW);
    for (const state of ['ready', 'running', 'waiting', 'parked', 'suspended', 'dead', 'finished'] as const) {
      expect((await admin.list({ state })).jobs.length, state).toBeGreaterThan(0);
    }
    for (const id of openJobs(kept)) expect(await admin.explain(id), id).toBeDefined();
    expect((await admin.errorGroups({ state: 'all' })).groups).toHaveLength(1);
    expect((await admin.schedules.list()).schedules).toHaveLength(1);
    expect(await admin.suspensions()).toHaveLength(1);
    expect(await admin.priorities()).toHaveLength(1);
    expect((await admin.workers()).map(({ version }) => version)).toContain(kept.version);
    expect((await admin.audit({ day: new Date(kept.at).toISOString().slice(0, 10) })).length).toBeGreaterThan(0);
    await expect(rig.client.enqueue(TYPES.report, {}, { key: 'moved' })).resolves.toMatchObject({ duplicate: true });
  });

  it('has no attribute that the code of today leaves out or gives another type: after a roll-back its release needs them', async () => {
    const today = shapesOf((await layoutsOf(kept.version)).rows);
    const lost = [...shapesOf(kept.rows)].filter(([attribute, type]) => today.get(attribute) !== type);
    expect(lost).toEqual([]);
  });

  it('is an environment that the code of today reads, and the other way round but for new settings', async () => {
    const read = decodeEnvironment(kept.environment);
    expect(read).toMatchObject({ name: 'shop', worker: 'default', settings: { batchSize: 5 } });
    expect(read).not.toHaveProperty('unknownSettings');
    const { environment } = await layoutsOf(kept.version);
    for (const name of Object.keys(kept.environment)) expect(environment).toHaveProperty(name);
    const next = { ...kept.environment, [ENVIRONMENT.settings]: '{"batchSize":5,"ofTomorrow":1}', NIGHTCREW_OF_TOMORROW: 'x' };
    expect(decodeEnvironment(next)).toMatchObject({ settings: { batchSize: 5 }, unknownSettings: ['ofTomorrow'] });
  });

  it('has messages of the form that the code of today sends', async () => {
    const forms = ({ messages }: Layouts) => messages.map(({ queue, body }) => [queue.kind, Object.keys(JSON.parse(body) as object)]);
    const today = forms(await layoutsOf(kept.version));
    for (const form of forms(kept)) expect(today).toContainEqual(form);
  });
});

it('every release has its layouts kept', () => {
  expect(KEPT.map(({ version }) => version)).toContain(PACKAGE_VERSION);
});

describe.each(KEPT)('the tables of $version', ({ tables }) => {
  it('have the keys of today, and so has each index of the same name: CloudFormation changes neither', () => {
    for (const table of TABLE_NAMES) {
      const { indexes: before, ...old } = tables[table];
      const { indexes: today, ...now } = TABLE_SPECS[table];
      expect(now).toEqual(old);
      for (const [index, spec] of Object.entries(today)) if (Object.hasOwn(before, index)) expect(spec, index).toEqual(before[index]);
    }
  });
});

/** The release before the code of today. It may have today's version: until the next release, the code is what comes after it. */
const LAST = KEPT.at(-1) as Layouts;
const indexesOf = (tables: Layouts['tables'], table: TableName) => new Set(Object.keys(tables[table].indexes));

it('at most one index of a table came or went since the release before: CloudFormation makes one change in an update', () => {
  for (const table of TABLE_NAMES) {
    const [before, today] = [indexesOf(LAST.tables, table), indexesOf(TABLE_SPECS, table)];
    const changed = [...before, ...today].filter((index) => !before.has(index) || !today.has(index));
    expect(changed.length, table).toBeLessThanOrEqual(1);
  }
});

it('no index is read that the release before did not have: it may still be filled while this one is deployed', async () => {
  const { rig, admin } = await takeOver(LAST);
  const query = vi.spyOn(rig.tables, 'query');
  const [{ groups }, suspended] = [await admin.errorGroups({ state: 'all' }), LAST.rows.suspended.map(({ cause }) => String(cause))];
  await admin.list({ state: 'dead', type: 'plain' });
  await admin.list({ state: 'dead', fingerprint: groups.map(({ fingerprint }) => fingerprint) });
  await admin.list({ state: 'suspended', cause: suspended });
  await admin.resume({ tenant: 'late-payer' }, told);
  await pass(rig);
  const read = new Set(query.mock.calls.flatMap(([{ table, index }]) => (index === undefined ? [] : [`${table}.${index}`])));
  const had = TABLE_NAMES.flatMap((table) => [...indexesOf(LAST.tables, table)].map((index) => `${table}.${index}`));
  expect(had).toEqual(expect.arrayContaining([...read]));
  expect(read.size).toBeGreaterThan(2);
});
