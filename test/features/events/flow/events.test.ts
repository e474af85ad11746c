import { describe, expect, it } from 'vitest';
import { sweep } from '../../../../functions/sweeper/sweep.ts';
import { acquireTimers } from '../../../../functions/acquirer/acquire-timers.ts';
import { type Admin, createAdminOver } from '../../../../operate/admin.ts';
import { createEvents } from '../../../../shared/lambda/connect-events.ts';
import type { EventsConfig } from '../../../../shared/config/environment.ts';
import { createClient } from '../../../../shared/client/job-client.ts';
import { InvalidInputError } from '../../../../shared/job/errors.ts';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { snooze } from '../../../../shared/job/verdict.ts';
import type { EventSink, JobEvent } from '../../../../shared/ports/event-sink.ts';
import type { Tables } from '../../../../shared/ports/tables.ts';
import { anyPayload, Rig } from '../../../support/rig.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const work = defineJob('work', { payload: anyPayload, retry: 'R2/PT1M' });

interface StageOptions {
  readonly config?: EventsConfig;
  readonly sinks?: readonly EventSink[];
  readonly tables?: (tables: Tables) => Tables;
}

/** A deployment whose every part tells events. */
function stage({ config = { log: true }, sinks = [], tables: wrap = (tables) => tables }: StageOptions = {}) {
  let turn = 0;
  const handler = work.handle(({ payload }) => {
    turn++;
    if (payload['do'] === 'fail') throw new Error(`card 4111, turn ${turn}`);
    return payload['do'] === 'snooze' && turn === 1 ? snooze('PT1M') : undefined;
  });
  const rig = new Rig({ handlers: [handler] });
  const tables = wrap(rig.tables);
  const deployment = { ...rig.deployment, events: config };
  const events = createEvents()({ deployment, tables, journal: rig.journal, clock: rig.clock, entropy: rig.deps.entropy, sinks });
  const deps = { ...rig.deps, tables, journal: events.journal, flushEvents: events.flush };
  const client = createClient({ ...deps, beforeCreate: [] }, (writes) => [...writes]);
  const tick = () => ({ requestId: 'tick', deadlineAt: rig.clock.now() + MINUTE });
  return {
    rig,
    client,
    admin: createAdminOver(deps),
    flush: events.flush,
    fire: async () => acquireTimers(deps, { acquirer: 0, of: 1 }, tick()),
    sweep: async () => sweep({ ...deps, backlog: rig.hints }, tick()),
    drain: async () => {
      for (let round = 0; round < 20; round++) {
        const batches = rig.queues.map((queue) => rig.hints.receive(queue, 10)).filter((messages) => messages.length > 0);
        if (batches.length === 0) break;
        for (const messages of batches) await rig.execute(messages, deps);
      }
      await events.flush();
    },
  };
}

/** Reads the log to its end, in small steps. */
async function readAll(admin: Admin, limit = 3, from?: number): Promise<readonly JobEvent[]> {
  const events: JobEvent[] = [];
  let page = await admin.events({ limit, ...(from === undefined ? {} : { from }) });
  for (let reads = 0; reads < 200; reads++) {
    expect(page.events.length).toBeLessThanOrEqual(limit);
    events.push(...page.events);
    if (page.upToDate) return events;
    page = await admin.events({ limit, after: page.after });
  }
  throw new Error('The log has no end.');
}

describe('the event log', () => {
  it('tells the whole life of a job in order, from every part of the deployment, and no payload', async () => {
    const { rig, client, admin, drain, fire, flush } = stage();
    const { id } = await client.enqueue(work, { do: 'fail', card: '4111' }, { delay: 'PT1H', tenant: 'acme', correlationId: 'c1' });
    await flush();
    await rig.clock.advance(60 * MINUTE);
    await fire();
    await drain();
    await rig.clock.advance(MINUTE);
    await drain();
    await admin.redrive(id);
    await flush();
    await client.cancel(id);
    await flush();
    await rig.clock.advance(15 * SECOND);
    const events = await readAll(admin, 2, rig.clock.now() - 120 * MINUTE);
    expect(events.map(({ event }) => event)).toEqual([
      'enqueued',
      'fired',
      'started',
      'retried',
      'started',
      'dead-lettered',
      'redriven',
      'cancelled',
    ]);
    for (const { job } of events) expect(job).toMatchObject({ id, type: 'work', worker: 'default', tenant: 'acme', correlationId: 'c1' });
    expect(events.map(({ at }) => at)).toEqual(events.map(({ at }) => at).toSorted((a, b) => a - b));
    expect(events[5]).toMatchObject({ reason: 'retries-exhausted', errorName: 'Error' });
    expect(JSON.stringify(events)).not.toContain('4111');
    expect(new Set(events.map((event) => event.id)).size).toBe(8);
  });

  it('gives each event once to a reader that comes again and again, in the order of writing, also between many jobs', async () => {
    const { rig, client, admin, drain } = stage();
    const seen: JobEvent[] = [];
    let after: string | undefined;
    const read = async (): Promise<void> => {
      for (let upToDate = false; !upToDate;) {
        const page = await admin.events({ limit: 7, ...(after === undefined ? {} : { after }) });
        seen.push(...page.events);
        ({ after, upToDate } = page);
      }
    };
    for (let round = 0; round < 5; round++) {
      await client.enqueueMany(
        work,
        Array.from({ length: 12 }, () => ({})),
      );
      await drain();
      await rig.clock.advance(17 * MINUTE);
      await read();
    }
    const ofJobs = Object.values(Object.groupBy(seen, ({ job }) => job.id));
    expect(ofJobs).toHaveLength(60);
    for (const events of ofJobs) expect(events?.map(({ event }) => event)).toEqual(['enqueued', 'started', 'completed']);
  });

  it('leaves what is younger than 15 s for later, because an older event may still arrive', async () => {
    const { rig, client, admin, flush } = stage();
    await client.enqueue(work, {});
    await flush();
    await rig.clock.advance(14 * SECOND);
    const early = await admin.events();
    expect(early).toMatchObject({ events: [], upToDate: true });
    await rig.clock.advance(SECOND);
    expect((await admin.events({ after: early.after })).events).toHaveLength(1);
  });

  it('passes days without events in a bounded number of reads, and resumes behind them', async () => {
    let queries = 0;
    const { rig, client, admin, flush } = stage({
      tables: (tables) => ({ ...tables, query: async (query) => (queries++, tables.query(query)) }),
    });
    const begin = rig.clock.now();
    await client.enqueue(work, {});
    await flush();
    await rig.clock.advance(2 * 24 * 60 * MINUTE);
    await client.enqueue(work, {});
    await flush();
    await rig.clock.advance(MINUTE);
    queries = 0;
    const first = await admin.events({ from: begin });
    expect(first.events).toHaveLength(1);
    expect(first.upToDate).toBe(false);
    expect(queries).toBeLessThanOrEqual(24 * 16);
    expect(await readAll(admin, 100, begin)).toHaveLength(2);
  });

  it('is kept as long as History, and its rows disturb no list of jobs', async () => {
    const { rig, client, admin, drain } = stage();
    await client.enqueue(work, {});
    await drain();
    const rows = (await rig.rows('history')).filter((row) => String(row['day']).startsWith('events#'));
    expect(rows).toHaveLength(3);
    for (const row of rows) {
      expect(Number(row['expiresAt'])).toBe(Math.floor(rig.clock.now() / 1_000) + rig.deployment.settings.historyDays * 86_400);
    }
    expect((await admin.history()).jobs).toHaveLength(1);
  });

  it('that cannot be written fails no job, and its loss is counted', async () => {
    const { rig, client, drain } = stage({
      tables: (tables) => ({
        ...tables,
        putAll: async (table, rows, window) =>
          rows.some((row) => String(row['day']).startsWith('events#'))
            ? Promise.reject(new Error('down'))
            : tables.putAll(table, rows, window),
      }),
    });
    const { id } = await client.enqueue(work, {});
    await drain();
    expect(await client.get(id)).toMatchObject({ state: 'finished' });
    expect(rig.journal.count('events-lost')).toBe(3);
  });

  it('is refused a cursor or limit that it cannot mean', async () => {
    const { admin } = stage();
    for (const query of [
      { limit: 0 },
      { limit: 1_001 },
      { after: 'x' },
      { after: '2026-13-01T00:00:00.000Z#1' },
      { from: 'x' },
      { until: 1 },
    ]) {
      await expect(admin.events(query as never)).rejects.toThrow(InvalidInputError);
    }
  });
});

describe('switching events', () => {
  it('off and on takes effect within five seconds, and costs one read in that time', async () => {
    let reads = 0;
    const { rig, client, admin, drain } = stage({
      tables: (tables) => ({
        ...tables,
        query: async (query) => {
          if (query.partition === 'rules' && query.through === 'events') reads++;
          return tables.query(query);
        },
      }),
    });
    const told = async (): Promise<number> => (await rig.rows('history')).filter((row) => String(row['day']).startsWith('events#')).length;
    expect(await admin.switchEvents({ log: false })).toEqual({ log: false });
    await client.enqueue(work, {});
    await drain();
    expect(await told()).toBe(0);
    expect(await admin.switchEvents({ log: true, bus: false })).toEqual({ log: true, bus: false });
    await client.enqueue(work, {});
    await drain();
    expect(await told()).toBe(0);
    expect(reads).toBe(1);
    await rig.clock.advance(5 * SECOND);
    await client.enqueue(work, {});
    await drain();
    expect(await told()).toBe(3);
    expect((await admin.audit({})).map(({ verb }) => verb)).toEqual(['switchEvents', 'switchEvents']);
  });

  it('on reaches a deployment that was made with its events switched off', async () => {
    const { rig, client, admin, drain } = stage({ config: { log: true, on: false } });
    await client.enqueue(work, {});
    await drain();
    expect((await rig.counts()).history).toBe(1);
    await admin.switchEvents({ log: true });
    await rig.clock.advance(5 * SECOND);
    await client.enqueue(work, {});
    await drain();
    expect((await rig.counts()).history).toBe(5);
  });

  it('is not about a sink with a name of its own, for which nothing is read', async () => {
    const [got, reads]: [JobEvent[], string[]] = [[], []];
    const { client, flush } = stage({
      config: { on: false },
      sinks: [{ name: 'mine', put: async (events) => (got.push(...events), 0) }],
      tables: (tables) => ({ ...tables, query: async (query) => (reads.push(query.partition), tables.query(query)) }),
    });
    await client.enqueue(work, {});
    await flush();
    expect([got.map(({ event }) => event), reads]).toEqual([['enqueued'], []]);
  });

  it('that cannot be read leaves things as they were last known', async () => {
    let broken = false;
    const { rig, client, admin, drain } = stage({
      tables: (tables) => ({
        ...tables,
        query: async (query) =>
          broken && query.partition === 'rules' && query.through === 'events' ? Promise.reject(new Error('down')) : tables.query(query),
      }),
    });
    await admin.switchEvents({ log: false });
    await client.enqueue(work, {});
    await drain();
    broken = true;
    await rig.clock.advance(5 * SECOND);
    await client.enqueue(work, {});
    await drain();
    expect((await rig.counts()).history).toBe(2);
  });

  it('refuses what is no sink and what is no switch', async () => {
    const { admin } = stage();
    for (const sinks of [{}, { log: 'on' }, { mail: true }])
      await expect(admin.switchEvents(sinks as never)).rejects.toThrow(InvalidInputError);
  });
});

describe('a deployment without events', () => {
  it('reads and writes nothing for them', async () => {
    const seen: string[] = [];
    const { client, drain } = stage({
      config: {},
      tables: (tables) => ({
        ...tables,
        query: async (query) => (seen.push(query.partition), tables.query(query)),
        putAll: async (table, rows, window) => (
          seen.push(...rows.map((row) => String(row['day']).slice(0, 7))),
          tables.putAll(table, rows, window)
        ),
      }),
    });
    await client.enqueue(work, {});
    await drain();
    expect(seen.filter((partition) => partition.startsWith('events'))).toEqual([]);
  });
});
