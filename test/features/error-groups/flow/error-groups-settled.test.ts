import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../../../operate/admin.ts';
import type { ErrorGroup } from '../../../../shared/features/error-groups/admin/error-group.ts';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { fail } from '../../../../shared/job/verdict.ts';
import type { Query, Tables, Write } from '../../../../shared/ports/tables.ts';
import { anyPayload } from '../../../support/rig.ts';
import { summingRig } from '../../../support/summing-rig.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const pay = defineJob('pay', { payload: anyPayload, retry: 'never' });

/** Jobs that die of what their payload says. */
function stage() {
  const all = summingRig({ handlers: [pay.handle(({ payload }) => fail((payload['why'] as string | undefined) ?? 'no'))] });
  const many = async (count: number): Promise<void> => {
    await all.rig.client.enqueueMany(
      pay,
      Array.from({ length: count }, () => ({})),
    );
    await all.drain();
  };
  /** A sweeper at work for as long as every group is looked at once, and a minute more. */
  const sweepRound = async (): Promise<void> => {
    for (let run = 0; run < 18; run++) {
      await all.rig.clock.advance(MINUTE);
      await all.sweep();
    }
  };
  return { ...all, many, sweepRound };
}

const only = (groups: readonly ErrorGroup[]): ErrorGroup => {
  expect(groups).toHaveLength(1);
  return groups[0] as ErrorGroup;
};

const isGroupUpdate = (writes: readonly Write[]): boolean =>
  writes.some((write) => write.op === 'update' && write.table === 'control' && write.key['pk'] === 'error-groups');

/** Counts queries of the index of error groups. */
function counting(tables: Tables) {
  const seen = { queries: 0 };
  const query = async (asked: Query) => {
    if (asked.index === 'byFingerprint') seen.queries++;
    return tables.query(asked);
  };
  return { seen, tables: { ...tables, query } };
}

describe('an error group with dead letters', () => {
  it('is never shown closed by deaths that a sandbox kept to itself: a later death opens it at once, the sweeper counts it', async () => {
    const { rig, many, admin, groups, drain, freshSandbox, end, sweepRound } = stage();
    await many(10);
    await rig.clock.advance(SECOND);
    await many(90);
    await rig.clock.advance(20 * SECOND);
    // Reaped with what it had not told.
    freshSandbox();
    const { fingerprint, seen } = only(await groups());
    expect(seen).toBeLessThan(50);
    expect(await admin.bulk({ verb: 'redrive' }, { fingerprint })).toMatchObject({ done: 100 });
    await rig.clock.advance(SECOND);
    await drain();
    await end();
    expect((await rig.counts()).deadLetters).toBe(100);
    expect(only(await groups())).toMatchObject({ state: 'open' });
    await sweepRound();
    expect(only(await groups())).toMatchObject({ state: 'open', open: 100 });
  });

  it('was seen at least as often as jobs of it lie there, however far its sums lag', async () => {
    const { rig, many, admin, groups } = stage();
    await many(10);
    await rig.clock.advance(SECOND);
    await many(90);
    const { fingerprint, open } = only(await groups());
    expect(open).toBeLessThan(100);
    expect(await admin.errorGroup(fingerprint)).toMatchObject({ open: 100, seen: 100 });
  });

  it('that left before anybody told of them is open again within a round of the sweeper', async () => {
    const { rig, many, admin, groups, freshSandbox, sweepRound } = stage();
    await many(1);
    await rig.clock.advance(SECOND);
    await many(30);
    freshSandbox();
    const dead = (await rig.rows('deadLetters')).map(({ id }) => String(id));
    for (const id of dead.slice(0, 20)) await admin.delete(id);
    expect(only(await groups()).state).toBe('closed');
    await sweepRound();
    expect(only(await groups())).toMatchObject({ state: 'open', open: 11 });
  });
});

describe('an error group without dead letters', () => {
  it('is closed at the end of the action that took the last, although the store refused its count once', async () => {
    const { rig, many, admin, groups, end, faults } = stage();
    await many(60);
    await end();
    await rig.clock.advance(10 * MINUTE);
    faults.next(isGroupUpdate, 'unavailable', 1);
    const { fingerprint } = only(await groups());
    expect(await admin.bulk({ verb: 'delete' }, { fingerprint })).toMatchObject({ done: 60 });
    expect(only(await groups())).toMatchObject({ state: 'closed', open: 0, deleted: 60 });
  });

  it('that counted a death twice is closed by the sweeper when its last ones left soon after they died', async () => {
    const { rig, many, admin, groups, end, faults, sweepRound } = stage();
    await many(1);
    await rig.clock.advance(SECOND);
    faults.next(isGroupUpdate, 'lost-reply', 1);
    await many(9);
    await rig.until(end());
    await rig.clock.advance(30 * SECOND);
    const { fingerprint, seen } = only(await groups());
    expect(seen).toBeGreaterThan(10);
    await admin.bulk({ verb: 'delete' }, { fingerprint });
    await sweepRound();
    expect(only(await groups())).toMatchObject({ state: 'closed', open: 0 });
  });

  it('is closed by the sweeper even if the process that took the last one was killed before it told the group', async () => {
    const { rig, many, end, groups, admin, sweep } = stage();
    await many(45);
    await end();
    await rig.clock.advance(2 * MINUTE);
    let dead = false;
    const never = new Promise<never>(() => {});
    const guarded = Object.fromEntries(
      Object.entries(rig.tables).map(([name, verb]) => [
        name,
        (...given: readonly unknown[]) => {
          if (name === 'write' && isGroupUpdate([given[0] as Write])) dead = true;
          return dead ? never : (verb as (...all: readonly unknown[]) => unknown)(...given);
        },
      ]),
    ) as unknown as Tables;
    let id = '';
    void createAdminOver({ ...rig.deps, tables: guarded }).bulk({ verb: 'delete' }, { type: 'pay' }, { onBegin: (begun) => (id = begun) });
    for (let turn = 0; turn < 50; turn++) await rig.settle();
    await rig.clock.advance(61 * SECOND);
    await admin.resumeBulk(id);
    expect([(await rig.counts()).deadLetters, only(await groups()).state]).toEqual([0, 'open']);
    for (let run = 0; run < 80; run++) {
      await rig.clock.advance(MINUTE);
      await sweep();
    }
    expect(only(await groups())).toMatchObject({ state: 'closed', open: 0 });
  });

  it('is closed by the first read of it', async () => {
    const { rig, many, admin, groups, end } = stage();
    await many(3);
    await end();
    for (const { id } of await rig.rows('deadLetters')) {
      await rig.tables.write({ op: 'delete', table: 'deadLetters', key: { id: String(id) } });
    }
    await rig.clock.advance(5 * MINUTE);
    const { fingerprint } = only(await groups());
    expect(await admin.errorGroup(fingerprint)).toMatchObject({ state: 'closed' });
    expect(only(await groups())).toMatchObject({ state: 'closed', open: 0 });
  });
});

describe('what it costs to leave a group', () => {
  it('is no look at the index for each dead letter, and at the end of an action few', async () => {
    const { rig, drain, end } = stage();
    const words = 'alpha beta gamma delta epsilon zeta eta theta iota kappa'.split(' ');
    const payloads = Array.from({ length: 100 }, (_, n) => ({ why: `unknown ${words[n % 10]} ${words[Math.floor(n / 10)]}` }));
    await rig.client.enqueueMany(pay, payloads);
    await drain();
    await end();
    await rig.clock.advance(2 * MINUTE);
    const { seen, tables } = counting(rig.tables);
    const admin = createAdminOver({ ...rig.deps, tables });
    expect(await admin.bulk({ verb: 'delete' }, { type: 'pay' })).toMatchObject({ done: 100 });
    expect((await admin.errorGroups()).groups).toEqual([]);
    expect(seen.queries).toBeLessThanOrEqual(20 * 16);
  });

  it('is one count when the last one leaves, and none before', async () => {
    const { rig, many, end } = stage();
    await many(4);
    await end();
    await rig.clock.advance(2 * MINUTE);
    const { seen, tables } = counting(rig.tables);
    const admin = createAdminOver({ ...rig.deps, tables });
    const [last = '', ...others] = (await rig.rows('deadLetters')).map(({ id }) => String(id));
    for (const id of others) await admin.redrive(id);
    expect(seen.queries).toBe(0);
    await admin.redrive(last);
    expect(seen.queries).toBe(16);
  });

  it('does not keep the hint of a redriven job waiting', async () => {
    const { rig, many, end } = stage();
    await many(1);
    await end();
    await rig.clock.advance(2 * MINUTE);
    let hints: number | undefined;
    const write: Tables['write'] = async (one, window) => {
      if (isGroupUpdate([one])) hints ??= rig.hints.receive({ worker: 'default', lane: 'default', kind: 'standard' }, 10).length;
      return rig.tables.write(one, window);
    };
    const admin = createAdminOver({ ...rig.deps, tables: { ...rig.tables, write } });
    await admin.redrive(String((await rig.rows('deadLetters'))[0]?.['id']));
    expect(hints).toBe(1);
  });
});
