import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../../../operate/admin.ts';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { defineLimit, type Limit } from '../../../../shared/job/limit.ts';
import { anyPayload, Rig } from '../../../support/rig.ts';

const QUEUE = { worker: 'default', lane: 'default', kind: 'standard' } as const;
/** After that, no executor has the rules from before. */
const SEEN_MS = 5_001;
const HOUR = 3_600_000;

/** A deployment whose jobs run under a limit until they are told to end, and an operator. */
class Stage {
  readonly answers: string[] = [];
  readonly ends = new Map<number, () => void>();
  readonly rig: Rig;
  readonly admin: ReturnType<typeof createAdminOver>;
  readonly #type;

  constructor(limit: Limit = defineLimit('some', { concurrency: 2 })) {
    this.#type = defineJob('slow', { payload: anyPayload, limits: [limit] });
    const handled = this.#type.handle(({ payload }) => {
      const n = Number(payload['n']);
      return new Promise<void>((resolve) => this.ends.set(n, resolve)).finally(() => this.ends.delete(n));
    });
    this.rig = new Rig({ handlers: [handled], version: '7' });
    this.admin = createAdminOver(this.rig.deps);
  }

  get running(): readonly number[] {
    return [...this.ends.keys()];
  }

  async add(...jobs: readonly number[]): Promise<void> {
    for (const n of jobs) {
      await this.rig.client.enqueue(this.#type, { n });
      await this.deliver();
      await this.rig.clock.advance(1);
    }
  }

  async deliver(): Promise<void> {
    for (let messages = this.rig.hints.receive(QUEUE, 1); messages.length > 0; messages = this.rig.hints.receive(QUEUE, 1)) {
      void this.rig.execute(messages).catch(() => undefined);
      await this.rig.settle();
    }
  }

  async end(...jobs: readonly number[]): Promise<void> {
    for (const n of jobs) {
      this.ends.get(n)?.();
      await this.rig.settle();
      await this.deliver();
    }
  }

  async set(n: number): Promise<void> {
    this.answers.push(await this.admin.setLimit('some', n, { actor: 'anna', reason: 'the bank is down' }));
    await this.rig.clock.advance(SEEN_MS);
  }

  async clear(): Promise<void> {
    this.answers.push(await this.admin.clearLimit('some'));
    await this.rig.clock.advance(SEEN_MS);
  }

  async tick(): Promise<void> {
    await this.rig.clock.advance(30_000);
    await this.rig.fire();
    await this.deliver();
  }
}

describe('a limit whose number an operator sets', () => {
  it('lets nothing start at 0 while running jobs go on, hands no slot over, and starts the parked ones in order once it is cleared', async () => {
    const stage = new Stage();
    await stage.add(0, 1, 2, 3);
    await stage.set(0);
    expect(stage.running).toEqual([0, 1]);
    await stage.end(0, 1);
    await stage.add(4);
    await stage.tick();
    expect(stage.running).toEqual([]);
    expect((await stage.rig.rows('control')).filter(({ sk }) => String(sk).startsWith('slot#'))).toEqual([]);
    await stage.clear();
    await stage.tick();
    expect(stage.running).toEqual([2, 3]);
    await stage.end(2, 3);
    await stage.end(4);
    expect(stage.rig.journal.count('completed')).toBe(5);
    expect(stage.answers).toEqual(['set', 'cleared']);
  });

  it('when lowered, lets its jobs end, and then runs no more than the number', async () => {
    const stage = new Stage(defineLimit('some', { concurrency: 3 }));
    await stage.add(0, 1, 2, 3, 4, 5);
    await stage.set(1);
    const [first, ...others] = stage.running;
    await stage.end(...others);
    expect(stage.running).toEqual([first]);
    await stage.tick();
    expect(stage.running).toEqual([first]);
    await stage.end(first ?? 0);
    expect(stage.running).toEqual([3]);
  });

  it('when raised, starts parked jobs at the next tick of the acquirer, in order', async () => {
    const stage = new Stage();
    await stage.add(0, 1, 2, 3, 4, 5);
    await stage.set(4);
    await stage.tick();
    expect(stage.running).toEqual([0, 1, 2, 3]);
  });

  it('when raised, starts parked jobs when the next job comes by', async () => {
    const stage = new Stage();
    await stage.add(0, 1, 2);
    await stage.set(4);
    await stage.add(3);
    expect(stage.running).toEqual([0, 1, 2, 3]);
  });

  it('has the number of the code for its parked jobs once it is cleared, whoever parked them', async () => {
    const stage = new Stage();
    await stage.set(0);
    await stage.add(0, 1, 2);
    expect(stage.running).toEqual([]);
    await stage.clear();
    await stage.tick();
    expect(stage.running).toEqual([0, 1]);
  });

  it('has it for each of its keys', async () => {
    const stage = new Stage(
      defineLimit('some', { concurrency: 1 }, { key: (payload) => String((payload as { readonly n: number }).n % 2) }),
    );
    await stage.set(2);
    await stage.add(0, 1, 2, 3, 4, 5);
    expect(stage.running).toEqual([0, 1, 2, 3]);
  });

  it('is not harmed by a number that cannot be read: that of the code holds, and it is shown', async () => {
    const stage = new Stage();
    await stage.rig.tables.write({ op: 'put', table: 'control', row: { pk: 'rules', sk: 'limit#some', n: 'many', actor: 'anna' } });
    await stage.add(0, 1, 2);
    expect(stage.running).toEqual([0, 1]);
    expect(await stage.admin.limitNumbers()).toMatchObject([{ limit: 'some', n: 2, coded: 2, set: { actor: 'anna' } }]);
    expect((await stage.admin.limitNumbers())[0]?.set?.n).toBeUndefined();
    await stage.set(1);
  });

  it('releases nothing while the numbers cannot be read', async () => {
    const stage = new Stage();
    await stage.add(0, 1, 2);
    await stage.set(0);
    await stage.end(0);
    const query = stage.rig.tables.query.bind(stage.rig.tables);
    stage.rig.tables.query = async (what) => (what.partition === 'rules' ? Promise.reject(new Error('throttled')) : query(what));
    await stage.tick();
    expect(stage.running).toEqual([1]);
    expect(stage.rig.journal.count('store-failed')).toBeGreaterThan(0);
  });
});

describe('a rate whose number an operator sets', () => {
  const rate = () => defineLimit('some', { rate: 1, per: 'PT1M' });

  it('is strict for the new number', async () => {
    const stage = new Stage(rate());
    await stage.set(3);
    await stage.add(0, 1, 2, 3, 4);
    expect(stage.running).toEqual([0, 1, 2]);
    await stage.set(1);
    await stage.rig.clock.advance(62_000);
    await stage.deliver();
    expect(stage.running).toHaveLength(4);
  });

  it('lets nothing start at 0; its jobs ask again, and start once it is cleared', async () => {
    const stage = new Stage(rate());
    await stage.set(0);
    await stage.add(0, 1);
    for (let minute = 0; minute < 5; minute++) {
      await stage.rig.clock.advance(61_000);
      await stage.deliver();
    }
    expect(stage.running).toEqual([]);
    await stage.clear();
    for (let minute = 0; minute < 5; minute++) {
      await stage.rig.clock.advance(61_000);
      await stage.deliver();
    }
    expect(stage.running).toHaveLength(2);
  });
});

describe('an operator of limits', () => {
  it('sees the numbers of the code and those that were set, with who and why, and those of limits that no code has', async () => {
    const stage = new Stage();
    await stage.add(0);
    await stage.end(0);
    expect(await stage.admin.limitNumbers()).toEqual([{ limit: 'some', n: 2, coded: 2, workers: ['default'] }]);
    await stage.set(5);
    expect(await stage.admin.setLimit('other', 7)).toBe('set');
    expect(await stage.admin.setLimit('tenant/default', 1)).toBe('set');
    const [other, some, tenant] = await stage.admin.limitNumbers();
    expect(other).toMatchObject({ limit: 'other', n: 7, workers: [], set: { n: 7, actor: 'operator' } });
    expect(other).not.toHaveProperty('coded');
    expect(some).toMatchObject({ n: 5, coded: 2, set: { n: 5, actor: 'anna', reason: 'the bank is down' } });
    expect(tenant).toMatchObject({ limit: 'tenant/default', n: 1 });
    const audit = (await stage.admin.audit()).filter(({ verb }) => verb === 'setLimit');
    expect(audit).toHaveLength(3);
    expect(audit).toContainEqual(expect.objectContaining({ scope: 'limit#some', actor: 'anna', reason: 'the bank is down', detail: '5' }));
    await stage.clear();
    expect(await stage.admin.clearLimit('some')).toBe('not-set');
    expect((await stage.admin.audit()).filter(({ verb }) => verb === 'clearLimit')).toMatchObject([{ scope: 'limit#some' }]);
  });

  it('sees the number in force where jobs are parked, and why in the explanation of one', async () => {
    const stage = new Stage();
    await stage.add(0, 1, 2);
    await stage.set(0);
    expect((await stage.admin.limits()).limits).toMatchObject([{ limit: 'some', held: 2, n: 0, parked: 1 }]);
    const id = (await stage.admin.list({ state: 'parked' })).jobs[0]?.id ?? '';
    const { text, next, verbs } = (await stage.admin.explain(id)) ?? {};
    expect(text).toContain('2 slots are held, more than the number, which is 0.');
    expect(text).toMatch(/anna set the number to 0 at .* \(the bank is down\); the code says 2\./);
    expect(text).toContain('No job starts under it until the number is raised, or cleared.');
    expect([next?.by, verbs]).toEqual(['operator', expect.arrayContaining(['setLimit', 'clearLimit'])]);
  });

  it('who loses a race writes nothing, and no entry of the audit', async () => {
    const stage = new Stage();
    const get = stage.rig.tables.get.bind(stage.rig.tables);
    for (const [act, left] of [
      [async () => stage.admin.setLimit('some', 1), 9],
      [async () => stage.admin.clearLimit('some'), 10],
    ] as const) {
      let isFirst = true;
      stage.rig.tables.get = async (table, key) => {
        const row = await get(table, key);
        if (isFirst && key['sk'] === 'limit#some') {
          isFirst = false;
          expect(await stage.admin.setLimit('some', left)).toBe('set');
        }
        return row;
      };
      expect(await act()).toBe('conflict');
      expect((await stage.admin.limitNumbers())[0]?.n).toBe(left);
      await stage.rig.clock.advance(1);
    }
    expect((await stage.admin.audit()).map(({ detail }) => detail).toReversed()).toEqual(['9', '10']);
  });

  it.each([
    ['a b', 1, /^limit: /],
    ['tenant/No', 1, /^limit: /],
    ['', 1, /^limit: /],
    ['some', -1, /^n: /],
    ['some', 101, /^n: .*from 0 to 100/],
    ['some', 1.5, /^n: /],
    ['some', '3' as unknown as number, /^n: /],
  ])('is refused %j and %j before anything is written', async (limit, n, message) => {
    const { admin, rig } = new Stage();
    await expect(admin.setLimit(limit, n)).rejects.toThrow(message);
    expect(await rig.rows('control')).toEqual([]);
  });

  it('needs no deployment of code for it: a number outlives the processes', async () => {
    const stage = new Stage();
    await stage.set(1);
    await stage.rig.clock.advance(400 * 24 * HOUR);
    await stage.add(0, 1);
    expect(stage.running).toEqual([0]);
  });
});
