import { describe, expect, it, vi } from 'vitest';
import { tenantHash } from '../../../../shared/job/hash.ts';
import { StoreUnavailableError } from '../../../../shared/job/errors.ts';
import { SettableClock } from '../../../../shared/adapters/memory/settable-clock.ts';
import { createMemoryTables } from '../../../../shared/adapters/memory/tables.ts';
import type { JournalEntry } from '../../../../shared/ports/journal.ts';
import { priorityKey, suspensionKey, suspensionRow } from '../../../../shared/features/rules/store/rules.ts';
import { entryFields } from '../../../../shared/adapters/observability/log-fields.ts';
import { createRulesCache } from '../../../../functions/executor/gates/rules.ts';
import { faultyTables } from '../../../support/faulty-tables.ts';

const HOUR = 3_600_000;

function stage() {
  const clock = new SettableClock();
  const memory = createMemoryTables({ clock });
  const entries: JournalEntry[] = [];
  let down = false;
  const faults = faultyTables(memory);
  faults.unreadable(() => down);
  const query = vi.spyOn(faults.tables, 'query');
  const journal = { record: (entry: JournalEntry) => void entries.push(entry), gauge: () => {}, flush: () => {} };
  return { clock, memory, entries, query, ports: { tables: faults.tables, clock, journal }, answer: (yes: boolean) => (down = !yes) };
}

const row = suspensionRow({ scope: 'type#t', reason: 'r', actor: 'a', at: 0 });

describe('the rules of a sandbox', () => {
  it('are read once for all who ask at once, and once in five seconds', async () => {
    const { clock, ports, query } = stage();
    const cache = createRulesCache();
    await Promise.all(Array.from({ length: 20 }, () => cache.current(ports)));
    await clock.advance(4_999);
    await cache.current(ports);
    expect(query).toHaveBeenCalledTimes(1);
    expect(query.mock.calls[0]?.[0]).toMatchObject({ table: 'control', partition: 'rules', consistent: false });
    await clock.advance(1);
    await cache.current(ports);
    expect(query).toHaveBeenCalledTimes(2);
  });

  it('are the last known ones while the store does not answer, and that is journalled', async () => {
    const { clock, memory, ports, answer, entries, query } = stage();
    const cache = createRulesCache();
    await memory.write({ op: 'put', table: 'control', row });
    await cache.current(ports);
    await clock.advance(5_000);
    answer(false);
    expect((await cache.current(ports)).suspensions.has('type#t')).toBe(true);
    expect((await cache.current(ports)).suspensions.has('type#t')).toBe(true);
    expect(entries).toMatchObject([{ event: 'store-failed', reason: 'rules' }]);
    expect(query).toHaveBeenCalledTimes(2);
    await memory.write({ op: 'delete', table: 'control', key: suspensionKey('type#t') });
    answer(true);
    await clock.advance(1_000);
    expect((await cache.current(ports)).suspensions.size).toBe(0);
  });

  it('that a later version set and this one does not know are told once, and those that it knows are not', async () => {
    const { clock, memory, ports, entries } = stage();
    const cache = createRulesCache();
    const sorts = ['suspension#type#t', 'suspension#region#eu', 'priority#tenant-default#a', 'priority#region#eu', 'limit#relay'];
    const told = { reason: 'r', actor: 'a', at: '2026-01-01T00:00:00.000Z', priority: 3, n: 2 };
    for (const sk of [...sorts, 'backlogs', 'switched-off', 'events', 'pace#mail']) {
      await memory.write({ op: 'put', table: 'control', row: { pk: 'rules', sk, ...told } });
    }
    expect((await cache.current(ports)).suspensions.has('type#t')).toBe(true);
    await clock.advance(5_000);
    await cache.current(ports);
    const unknown = ['suspension#region#eu', 'priority#region#eu', 'pace#mail'];
    expect(entries).toEqual(unknown.map((reason) => ({ event: 'unknown-rules', reason })));
    expect(entries.map((entry) => entryFields(entry, false).reason)).toEqual(unknown);
    await memory.write({ op: 'put', table: 'control', row: { pk: 'rules', sk: 'pace#report', ...told } });
    await clock.advance(5_000);
    await cache.current(ports);
    expect(entries.slice(3)).toEqual([{ event: 'unknown-rules', reason: 'pace#report' }]);
  });

  it('that were read by a clock that has gone back since are read anew', async () => {
    const { memory, ports } = stage();
    const cache = createRulesCache();
    const ahead = { now: () => ports.clock.now() + HOUR, wait: ports.clock.wait.bind(ports.clock) };
    await cache.current({ ...ports, clock: ahead });
    await memory.write({ op: 'put', table: 'control', row });
    expect((await cache.current(ports)).suspensions.has('type#t')).toBe(true);
  });

  it('that were never read are an error, because it is not known what is suspended', async () => {
    const { ports, answer } = stage();
    answer(false);
    const cache = createRulesCache();
    await expect(cache.current(ports)).rejects.toThrow(StoreUnavailableError);
    answer(true);
    expect((await cache.current(ports)).suspensions.size).toBe(0);
  });

  it('suspend also where their row was damaged, and leave out a priority that is none', async () => {
    const { memory, ports, entries } = stage();
    await memory.write({ op: 'put', table: 'control', row: { ...row, until: 'tomorrow' } });
    const ofNewJobs = suspensionRow({ scope: 'all', reason: 'r', actor: 'a', at: 0, createdAfter: HOUR });
    await memory.write({ op: 'put', table: 'control', row: { ...ofNewJobs, createdAfter: 7 } });
    await memory.write({ op: 'put', table: 'control', row: { ...priorityKey('type#t'), priority: 'high', at: 'now' } });
    await memory.write({ op: 'put', table: 'control', row: { pk: 'rules', sk: 'events', on: true } });
    const rules = await createRulesCache().current(ports);
    expect(rules.suspensions.get('type#t')?.until).toBeUndefined();
    expect(rules.suspensions.get('all')).toEqual({ scope: 'all', reason: 'r', actor: 'a', at: 0 });
    expect(rules.priorities.size).toBe(0);
    expect(rules.others.get('events')).toMatchObject({ on: true });
    const told = ['rule#priority#type#t', 'rule#suspension#all', 'rule#suspension#type#t'];
    expect(new Set(entries.map((entry) => entryFields(entry, false).reason))).toEqual(new Set(told));
  });

  it('are told without the name of a tenant', async () => {
    const { memory, ports, entries } = stage();
    await memory.write({ op: 'put', table: 'control', row: { ...priorityKey('tenant#acme'), priority: 'high', at: 'now' } });
    await createRulesCache().current(ports);
    expect(entries).toEqual([{ event: 'store-failed', reason: `rule#priority#tenant#${tenantHash('acme')}` }]);
  });

  it('list a cause once a minute, and again when the first try failed', async () => {
    const cache = createRulesCache();
    const list = vi.fn(() => Promise.resolve());
    await Promise.all([cache.listOnce('a', 0, list), cache.listOnce('a', 0, list), cache.listOnce('b', 0, list)]);
    await cache.listOnce('a', 59_999, list);
    expect(list).toHaveBeenCalledTimes(2);
    await cache.listOnce('a', 60_000, list);
    expect(list).toHaveBeenCalledTimes(3);
    await expect(cache.listOnce('c', 0, () => Promise.reject(new Error('down')))).rejects.toThrow('down');
    await cache.listOnce('c', 1, list);
    expect(list).toHaveBeenCalledTimes(4);
  });

  it('forget what they listed before they know more than a thousand causes', async () => {
    const cache = createRulesCache();
    const list = vi.fn(() => Promise.resolve());
    for (let cause = 0; cause < 1_000; cause++) await cache.listOnce(`cause-${cause}`, 0, list);
    await cache.listOnce('cause-0', 0, list);
    expect(list).toHaveBeenCalledTimes(1_000);
    await cache.listOnce('one more', 0, list);
    await cache.listOnce('cause-0', 0, list);
    expect(list).toHaveBeenCalledTimes(1_002);
  });

  it('list a cause again after the clock went back', async () => {
    const cache = createRulesCache();
    const list = vi.fn(() => Promise.resolve());
    await cache.listOnce('a', HOUR, list);
    await cache.listOnce('a', 0, list);
    expect(list).toHaveBeenCalledTimes(2);
  });
});
