import { expect } from 'vitest';
import { type Admin, createAdminOver } from '../../operate/admin.ts';
import type { FindingKind } from '../../operate/reconcile/findings.ts';
import type { ReconcileOptions } from '../../operate/reconcile/reconcile.ts';
import { followUp } from '../../shared/job/follow-up.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { defineLimit } from '../../shared/job/limit.ts';
import { complete } from '../../shared/job/verdict.ts';
import type { Row, TableName } from '../../shared/ports/tables.ts';
import { faultyTables, type FaultyTables } from './faulty-tables.ts';
import { anyPayload, Rig, type RigOptions } from './rig.ts';
import { rigTables } from './rig-tables.ts';
import { SettableClock } from '../../shared/adapters/memory/settable-clock.ts';

/** A job that fails if its payload says so. */
export const work = defineJob('work', { payload: anyPayload, retry: 'R1/PT1S' });
/** A job of which one runs at a time. */
export const narrow = defineJob('narrow', { payload: anyPayload, limits: [defineLimit('narrow', { concurrency: 1 })] });

/** A deployment after a restore, and what its operator has. */
export interface Restored extends Rig {
  readonly ran: string[];
  readonly admin: Admin;
  readonly faults: FaultyTables;
  /** A second set of tables: an earlier copy. */
  readonly copy: ReturnType<typeof rigTables>;
}

/** A deployment whose rows a test can lose, double and set back. */
export function restoredRig(options: RigOptions = {}): Restored {
  const ran: string[] = [];
  const clock = new SettableClock();
  const faults = faultyTables(rigTables(clock));
  const handlers = [
    work.handle(({ job, payload }) => {
      ran.push(job.id);
      if (payload['fail'] === true) throw new Error('asked to');
      return payload['chain'] === true ? complete({ enqueue: [followUp(work, {})] }) : undefined;
    }),
    narrow.handle(({ job }) => void ran.push(job.id)),
  ];
  const rig = new Rig({ clock, tables: faults.tables, handlers, history: 'durable', ...options });
  const copy = rigTables(clock);
  const admin = createAdminOver({ ...rig.deps, tablesNamed: () => copy });
  return Object.assign(rig, { ran, admin, faults, copy });
}

/** What a run says, by kind: how many, and of which outcome. */
export async function kindsOf(rig: Restored, options: ReconcileOptions = {}): Promise<Partial<Record<FindingKind, string>>> {
  const { findings, failed } = await rig.admin.reconcile(options);
  expect(failed).toBe(0);
  return Object.fromEntries(
    findings.map(({ kind, ...counts }) => [
      kind,
      (['found', 'repaired', 'changed', 'left'] as const)
        .flatMap((name) => (counts[name] > 0 ? [`${counts[name]} ${name}`] : []))
        .join(', '),
    ]),
  );
}

/** A dry run that finds it and writes nothing, a run that repairs it, and one that finds nothing more. */
export async function repairs(rig: Restored, kind: FindingKind, options: ReconcileOptions = {}, count = 1): Promise<void> {
  const all = async (): Promise<unknown> =>
    Promise.all((['jobs', 'timers', 'suspended', 'deadLetters', 'control'] as const).map((name) => rig.rows(name)));
  const before = await all();
  expect(await kindsOf(rig, options)).toEqual({ [kind]: `${count} found` });
  expect(await all()).toEqual(before);
  expect(await kindsOf(rig, { ...options, apply: true })).toEqual({ [kind]: `${count} repaired` });
  expect(await kindsOf(rig, options)).toEqual({});
}

/** Puts a row, whatever stands there. */
export const put = async (rig: Restored, table: TableName, row: Row | undefined): Promise<void> => {
  await rig.tables.write({ op: 'put', table, row: row ?? {} });
};
/** Deletes a row. */
export const remove = async (rig: Restored, table: TableName, key: Readonly<Record<string, string>>): Promise<void> => {
  await rig.tables.write({ op: 'delete', table, key });
};
/** The only row of a table. */
export const only = async (rig: Restored, table: TableName): Promise<Row> => {
  const rows = await rig.rows(table);
  expect(rows).toHaveLength(1);
  return rows[0] ?? {};
};
/** Rows of Control whose partition begins so. */
export const controlOf = async (rig: Restored, prefix: string): Promise<readonly Row[]> =>
  (await rig.rows('control')).filter(({ pk }) => String(pk).startsWith(prefix));
