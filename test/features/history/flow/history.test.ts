import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../../../operate/admin.ts';
import { LOG_BYTES } from '../../../../shared/job/attempt.ts';
import { InvalidInputError } from '../../../../shared/job/errors.ts';
import type { HistoryLevel } from '../../../../shared/job/history-level.ts';
import { continueWith, defineJob, fail, type HandledJob, snooze } from '../../../../shared/index.ts';
import { rowBytes } from '../../../../shared/store/row-bytes.ts';
import { aimAt } from '../../../support/faulty-tables.ts';
import { faultyRig } from '../../../support/faulty-rig.ts';
import { anyPayload, Rig, type RigOptions } from '../../../support/rig.ts';

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;

const ofLevel = (history: HistoryLevel) => defineJob('work', { payload: anyPayload, retry: 'R3/PT1M', history });

/** A handler that fails twice before it succeeds. */
function thirdTime(history: HistoryLevel): HandledJob {
  let runs = 0;
  return ofLevel(history).handle(({ log }) => {
    log.info('trying', { run: ++runs });
    if (runs < 3) throw new Error(`no ${runs}`);
  });
}

async function play(rig: Rig, type: HandledJob['type'], payload: object = {}): Promise<string> {
  const { id } = await rig.client.enqueue(type, payload);
  for (let round = 0; round < 4; round++) {
    await rig.drain();
    await rig.clock.advance(MINUTE);
  }
  return id;
}

async function played(history: HistoryLevel, options: RigOptions = {}): Promise<{ rig: Rig; id: string }> {
  const handled = thirdTime(history);
  const rig = new Rig({ handlers: [handled], ...options });
  return { rig, id: await play(rig, handled.type, { secret: 1 }) };
}

describe('the history of a job', () => {
  it('has every attempt with start, end, outcome, error, request and number', async () => {
    const { rig, id } = await played('attempts');
    const { finished, attempts } = await rig.client.history(id);
    expect(finished).toMatchObject({ id, outcome: 'completed', attempts: 3, failures: 2 });
    expect(attempts).toMatchObject([
      { attempt: 1, outcome: 'retried', error: { name: 'Error', message: 'no 1' }, requestId: 'request-1' },
      { attempt: 2, outcome: 'retried', error: { message: 'no 2' }, requestId: 'request-2' },
      { attempt: 3, outcome: 'completed', requestId: 'request-3' },
    ]);
    expect(attempts.map(({ startedAt }) => startedAt.getTime() - (attempts[0]?.startedAt.getTime() ?? 0))).toEqual([0, MINUTE, 2 * MINUTE]);
    expect(attempts.some(({ log }) => log !== undefined)).toBe(false);
  });

  it.each([
    ['off', 0],
    ['outcome', 1],
    ['attempts', 4],
    ['full', 4],
    ['durable', 4],
  ] as const)('at level %s is %i rows, whatever the deployment says', async (level, rows) => {
    for (const history of ['off', 'outcome', 'durable'] as const) {
      const { rig } = await played(level, { history });
      expect((await rig.counts()).history, `deployment: ${history}`).toBe(rows);
    }
  });

  it('follows the deployment where the type says nothing', async () => {
    const plain = defineJob('plain', { payload: anyPayload });
    const rig = new Rig({ handlers: [plain.handle(() => undefined)], history: 'attempts' });
    expect((await rig.client.history(await play(rig, plain))).attempts).toHaveLength(1);
  });

  it('names the version of the function that ran it', async () => {
    const rig = new Rig({ handlers: [thirdTime('attempts')] });
    Object.assign(rig.deployment, { version: '42' });
    expect((await rig.client.history(await play(rig, ofLevel('attempts')))).attempts).toMatchObject([
      { version: '42' },
      { version: '42' },
      { version: '42' },
    ]);
  });

  it('at level full keeps the payload and what the handler logged', async () => {
    const { rig, id } = await played('full');
    const { finished, attempts } = await rig.client.history(id);
    expect(finished?.payload).toBe('{"secret":1}');
    expect(attempts.map(({ log }) => log)).toMatchObject([1, 2, 3].map((run) => [{ level: 'info', message: 'trying', fields: { run } }]));
    expect((await rig.client.get(id))?.payload).toEqual({ secret: 1 });
  });

  it('at level full caps a log that is too long, and says how much is missing', async () => {
    const noisy = ofLevel('full');
    const rig = new Rig({
      handlers: [
        noisy.handle(({ log }) => {
          for (let line = 0; line < 5_000; line++) log.info('x'.repeat(100), { line, circle: line === 0 ? log : 1n });
        }),
      ],
    });
    const [attempt] = (await rig.client.history(await play(rig, noisy))).attempts;
    const { missing } = (attempt?.log ?? []).at(-1) as { missing: number };
    expect((attempt?.log?.length ?? 0) - 1 + missing).toBe(5_000);
    const row = (await rig.rows('history')).find((one) => one['log'] !== undefined) ?? {};
    expect(rowBytes(row)).toBeLessThan(LOG_BYTES + 2_048);
  });

  it('of a dead letter has its attempts, those before its redrive included', async () => {
    const handled = ofLevel('attempts').handle(() => fail('never'));
    const rig = new Rig({ handlers: [handled] });
    const id = await play(rig, handled.type);
    await createAdminOver(rig.deps).redrive(id);
    await rig.drain();
    const { finished, attempts } = await rig.client.history(id);
    expect(finished).toBeUndefined();
    expect(attempts).toMatchObject(
      [1, 1].map((attempt) => ({ attempt, outcome: 'dead-lettered', reason: 'failed', error: { name: 'JobFailed' } })),
    );
  });

  it('has a row for each run of an attempt that goes on, and for each snooze', async () => {
    let runs = 0;
    const handled = ofLevel('attempts').handle(() => [continueWith(1), continueWith(2), snooze('PT1M'), undefined][runs++]);
    const rig = new Rig({ handlers: [handled] });
    const { attempts } = await rig.client.history(await play(rig, handled.type));
    expect(attempts.map(({ attempt, outcome }) => `${attempt} ${outcome}`)).toEqual([
      '1 continued',
      '1 continued',
      '1 snoozed',
      '2 completed',
    ]);
  });

  it('is gone by TTL days after each of its rows was written', async () => {
    const { rig } = await played('attempts');
    for (const row of await rig.rows('history')) {
      const written = Date.parse(String(row['endedAt'] ?? row['finishedAt']));
      expect(Number(row['expiresAt']) * 1_000 - written).toBe(rig.deployment.settings.historyDays * DAY);
    }
  });

  it('of an unknown job is empty, and of an invalid id an error', async () => {
    const rig = new Rig();
    const id = rig.client.newId();
    expect(await rig.client.history(id)).toEqual({ id, attempts: [] });
    await expect(rig.client.history('job 7')).rejects.toThrow(InvalidInputError);
    expect(() => ofLevel('everything' as never)).toThrow(/^history: "everything"/);
  });

  it('is seen by its tenant, and by no other', async () => {
    const handled = ofLevel('attempts').handle(() => undefined);
    const rig = new Rig({ handlers: [handled] });
    const { id } = await rig.client.enqueue(handled.type, {}, { tenant: 'acme' });
    await rig.drain();
    await rig.clock.advance(MINUTE);
    const admin = createAdminOver(rig.deps);
    for (const [tenant, rows] of [
      ['acme', 1],
      ['other', 0],
    ] as const) {
      expect((await rig.client.forTenant(tenant).history(id)).attempts).toHaveLength(rows);
      expect((await admin.forTenant(tenant).history({ id })).attempts).toHaveLength(rows);
      expect((await admin.forTenant(tenant).history()).jobs).toHaveLength(rows);
    }
  });

  it('lost on its way is counted and costs no job', async () => {
    const rig = new Rig({ handlers: [thirdTime('attempts')] });
    const deps = { ...rig.deps, tables: { ...rig.tables, putAll: async () => Promise.reject(new Error('down')) } };
    const { id } = await rig.client.enqueue(ofLevel('attempts'), {});
    await rig.execute(rig.hints.receive({ worker: 'default', lane: 'default', kind: 'standard' }, 1), deps);
    expect(rig.journal.count('history-lost')).toBe(1);
    expect(await rig.client.get(id)).toMatchObject({ state: 'ready', failures: 1 });
  });
});

describe('durable history', () => {
  it.each(['lost-reply', 'lost-for-good', 'unavailable'] as const)(
    'has its last attempt once when the completion meets: %s',
    async (fault) => {
      const handled = ofLevel('durable').handle(() => undefined);
      const rig = faultyRig({ handlers: [handled] });
      const { id } = await rig.client.enqueue(handled.type, {});
      rig.faults.next(aimAt('delete', 'jobs'), fault);
      await rig.until(rig.drain());
      expect(rig.faults.pending()).toBe(0);
      expect(await rig.client.history(id)).toMatchObject({
        finished: { outcome: 'completed' },
        attempts: [{ attempt: 1, outcome: 'completed' }],
      });
    },
  );

  it('has the last attempt of a dead letter in the transaction that buries it', async () => {
    const handled = ofLevel('durable').handle(() => fail('never'));
    const rig = faultyRig({ handlers: [handled] });
    const { id } = await rig.client.enqueue(handled.type, {});
    rig.faults.next(
      (writes) => writes.some(({ table }) => table === 'deadLetters') && writes.some(({ table }) => table === 'history'),
      'lost-reply',
    );
    await rig.drain();
    expect(rig.faults.pending()).toBe(0);
    expect((await rig.client.history(id)).attempts).toMatchObject([{ outcome: 'dead-lettered', reason: 'failed' }]);
  });
});

describe('the list of finished jobs', () => {
  const plain = defineJob('plain', { payload: anyPayload });
  const rare = defineJob('rare', { payload: anyPayload });

  async function stocked(history: HistoryLevel = 'outcome'): Promise<{ rig: Rig; ids: string[] }> {
    const rig = new Rig({ handlers: [plain.handle(() => undefined), rare.handle(() => undefined)], history });
    const ids: string[] = [];
    for (let at = 0; at < 30; at++) {
      const { id } = await rig.client.enqueue(at % 10 === 0 ? rare : plain, {}, at % 3 === 0 ? { tenant: 'acme' } : {});
      ids.unshift(id);
      await rig.drain();
      await rig.clock.advance(150 * MINUTE);
    }
    return { rig, ids };
  }

  it('comes newest first, page by page, and is whole', async () => {
    const { rig, ids } = await stocked('attempts');
    const admin = createAdminOver(rig.deps);
    const seen: string[] = [];
    let after: string | undefined;
    do {
      const page = await admin.history({ limit: 7, ...(after === undefined ? {} : { after }) });
      expect(page.jobs.length).toBeLessThanOrEqual(7);
      seen.push(...page.jobs.map(({ id }) => id));
      after = page.after;
    } while (after !== undefined);
    expect(seen).toEqual(ids);
  });

  it('is filtered by type, tenant and time', async () => {
    const { rig, ids } = await stocked();
    const admin = createAdminOver(rig.deps);
    const all = async (query: object): Promise<string[]> => {
      const seen: string[] = [];
      for (let after: string | undefined, more = true; more; more = after !== undefined) {
        const page = await admin.history({ ...query, ...(after === undefined ? {} : { after }) });
        seen.push(...page.jobs.map(({ id }) => id));
        after = page.after;
      }
      return seen;
    };
    const oldestFirst = ids.toReversed();
    expect(await all({ type: 'rare' })).toEqual([20, 10, 0].map((at) => oldestFirst[at]));
    expect(await all({ type: 'rare', tenant: 'acme' })).toEqual([oldestFirst[0]]);
    const start = Number.parseInt((oldestFirst[0] ?? '').slice(0, 13).replace('-', ''), 16);
    expect(await all({ from: start + 150 * MINUTE, to: start + 300 * MINUTE })).toEqual([oldestFirst[1]]);
  });

  it('refuses what it cannot mean', async () => {
    const admin = createAdminOver(new Rig().deps);
    await expect(admin.history({ limit: 0 })).rejects.toThrow(/^limit: 0/);
    await expect(admin.history({ after: 'x' })).rejects.toThrow(/^after: /);
    await expect(admin.history({ from: 'yesterday' })).rejects.toThrow(/^from: /);
    await expect(admin.history({ tenant: '' })).rejects.toThrow(/^tenant: /);
    await expect(admin.history({ type: '' })).rejects.toThrow(/^type: /);
    await expect(admin.audit({ tenant: '' })).rejects.toThrow(/^tenant: /);
    await expect(admin.history({ until: 1 } as never)).rejects.toThrow(InvalidInputError);
  });
});
