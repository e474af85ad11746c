import { describe, expect, it, vi } from 'vitest';
import { createClient } from '../../shared/client/job-client.ts';
import { StoreUnavailableError } from '../../shared/job/errors.ts';
import { followUp } from '../../shared/job/follow-up.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { complete } from '../../shared/job/verdict.ts';
import { SettableClock } from '../../shared/adapters/memory/settable-clock.ts';
import { createMemoryTables } from '../../shared/adapters/memory/tables.ts';
import { faultyRig, loseMessages } from '../support/faulty-rig.ts';
import { aimAt } from '../support/faulty-tables.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const MINUTE = 60_000;
const first = defineJob('first', { payload: anyPayload, retry: 'R3/PT30S' });
const second = defineJob('second', { payload: anyPayload });

describe('follow-ups', () => {
  it('exist with the completion, inherit tenant and correlation id, and priority and group only when asked', async () => {
    const seen = vi.fn();
    const rig = new Rig({
      handlers: [
        first.handle(() =>
          complete({
            enqueue: [followUp(second, { n: 1 }), followUp(second, { n: 2 }, { inheritPriority: true, inheritGroup: true, delay: 'PT1H' })],
          }),
        ),
        second.handle(({ payload, job }) => seen(payload['n'], job.tenant, job.correlationId, job.priority, job.group, job.chainDepth)),
      ],
    });
    await rig.client.enqueue(first, {}, { tenant: 't', correlationId: 'c', priority: 5, group: 'g' });
    await rig.drain();
    expect(seen.mock.calls).toEqual([[1, 't', 'c', 0, undefined, 1]]);
    expect(rig.journal.count('enqueued')).toBe(3);
    await rig.clock.advance(60 * MINUTE);
    await rig.fire();
    await rig.drain();
    expect(seen.mock.calls[1]).toEqual([2, 't', 'c', 5, 'g', 1]);
  });

  it('belong to the trace of the invocation that enqueued the first job, and so does what a handler enqueues', async () => {
    const seen: (string | undefined)[] = [];
    const rig: Rig = new Rig({
      handlers: [
        first.handle(async ({ job }) => {
          seen.push(job.traceparent);
          await producer('of another invocation').enqueue(second, {});
          return complete({ enqueue: [followUp(second, {})] });
        }),
        second.handle(({ job }) => void seen.push(job.traceparent)),
      ],
    });
    const producer = (trace: string) => createClient({ ...rig.deps, beforeCreate: [], traceparent: () => trace }, () => []);
    await producer('of the first').enqueue(first, {});
    await rig.drain();
    expect(seen).toEqual(['of the first', 'of the first', 'of the first']);
  });

  it('are tried again with their job, which fails no attempt, when the store cannot be asked for the order of their group', async () => {
    let runs = 0;
    const rig: Rig = new Rig({
      handlers: [
        first.handle(() => {
          runs++;
          return complete({ enqueue: [followUp(second, {}, { group: { name: 'g', onFailure: 'block' } })] });
        }),
        second.handle(() => undefined),
      ],
    });
    const { id } = await rig.client.enqueue(first, {});
    const query = rig.tables.query.bind(rig.tables);
    let down = true;
    Object.assign(rig.tables, {
      query: async (asked: Parameters<typeof query>[0]) => {
        if (down && asked.from?.startsWith('place#') === true) throw new StoreUnavailableError('query', new Error('no answer'));
        return query(asked);
      },
    });
    await rig.deliver();
    expect([runs, await rig.client.get(id)]).toEqual([1, expect.objectContaining({ state: 'ready', failures: 0 })]);
    down = false;
    await rig.clock.advance(10 * MINUTE);
    await rig.drain();
    expect([runs, (await rig.client.get(id))?.state]).toEqual([2, 'finished']);
  });

  it('do not exist when the completion is not recorded, and retry apart from the job that asked for them', async () => {
    let runs = 0;
    const rig = new Rig({
      handlers: [
        first.handle(() => {
          if (++runs === 1) throw new Error('once');
          return complete({ enqueue: [followUp(second, {}, { retry: 'R1/PT1S' })] });
        }),
        second.handle(() => {
          throw new Error('never');
        }),
      ],
    });
    await rig.client.enqueue(first, {});
    await rig.drain();
    expect((await rig.rows('jobs')).map(({ type }) => type)).toEqual(['first']);
    await rig.clock.advance(MINUTE);
    await rig.drain();
    expect((await rig.rows('deadLetters')).map(({ type }) => type)).toEqual(['second']);
    expect(rig.journal.count('completed')).toBe(1);
  });

  it('whose key is taken are left out, and the rest happens', async () => {
    const ran = vi.fn();
    const rig = new Rig({
      handlers: [
        first.handle(() => complete({ enqueue: [followUp(second, { n: 1 }, { key: 'k' }), followUp(second, { n: 2 })] })),
        second.handle(({ payload }) => ran(payload['n'])),
      ],
    });
    await rig.client.enqueue(second, { n: 0 }, { key: 'k', delay: 'PT1H' });
    await rig.client.enqueue(first, {}, { key: 'own' });
    await rig.drain();
    expect(ran.mock.calls).toEqual([[2]]);
    expect((await rig.rows('control')).filter(({ pk }) => String(pk).startsWith('key#'))).toHaveLength(1);
  });

  it('may take over the unique key of their job, also when the store does not say whether it took the completion', async () => {
    let runs = 0;
    const again = first.handle(() => (++runs < 3 ? complete({ enqueue: [followUp(first, {}, { key: 'k', delay: 'PT1M' })] }) : undefined));
    const rig = faultyRig({ handlers: [again] });
    await rig.client.enqueue(first, {}, { key: 'k' });
    rig.faults.next(aimAt('delete', 'jobs'), 'lost-reply');
    for (let run = 0; run < 3; run++) {
      await rig.until(rig.drain());
      expect((await rig.client.enqueue(first, {}, { key: 'k', delay: 'PT9H' })).duplicate).toBe(run < 2);
      await rig.clock.advance(MINUTE);
    }
    expect([runs, rig.journal.count('completed')]).toEqual([3, 3]);
    expect(await rig.counts()).toMatchObject({ jobs: 0, timers: 1, deadLetters: 0 });
  });

  it('that name one key, one id or their own job exist once, and the rest happens', async () => {
    const ran = vi.fn();
    const rig = new Rig({
      handlers: [
        first.handle(({ job }) =>
          complete({
            enqueue: [
              followUp(second, { n: 1 }, { key: 'k' }),
              followUp(second, { n: 2 }, { key: 'k' }),
              followUp(second, { n: 3 }, { id: job.id }),
              followUp(second, { n: 4 }),
            ],
          }),
        ),
        second.handle(({ payload }) => ran(payload['n'])),
      ],
    });
    await rig.client.enqueue(first, {});
    await rig.drain();
    expect(new Set(ran.mock.calls.flat())).toEqual(new Set([1, 4]));
    expect(rig.journal.count('completed')).toBe(3);
  });

  it('that would take over the key of their job, but have an id that exists, leave the key free', async () => {
    let taken = '';
    const rig = new Rig({ handlers: [first.handle(() => complete({ enqueue: [followUp(first, {}, { key: 'k', id: taken })] }))] });
    ({ id: taken } = await rig.client.enqueue(second, {}));
    const { id } = await rig.client.enqueue(first, {}, { key: 'k' });
    await rig.drain();
    expect((await rig.client.get(id))?.state).toBe('finished');
    expect((await rig.client.enqueue(first, {}, { key: 'k', delay: 'PT9H' })).duplicate).toBe(false);
  });

  it.each(['lost-reply', 'lost-for-good', 'unavailable', 'conflict'] as const)(
    'are created once when the store does not say whether it took the completion (%s)',
    async (fault) => {
      const ran = vi.fn();
      const rig = faultyRig({
        handlers: [first.handle(() => complete({ enqueue: [followUp(second, {})] })), second.handle(ran)],
      });
      await rig.client.enqueue(first, {});
      rig.faults.next(aimAt('delete', 'jobs'), fault);
      await rig.until(rig.drain());
      loseMessages(rig);
      expect([ran.mock.calls.length, rig.journal.count('completed'), rig.faults.pending()]).toEqual([1, 2, 0]);
      expect(await rig.counts()).toMatchObject({ jobs: 0 });
    },
  );

  it('that are not valid fail the attempt and name what is wrong', async () => {
    const many = Array.from({ length: 90 }, (_, n) => followUp(second, { n }, { key: `k${n}` }));
    for (const [bad, message] of [
      [() => complete({ enqueue: many }), /^enqueue: 18\d writes /],
      [() => complete({ enqueue: Array.from({ length: 91 }, () => followUp(second, {})) }), /^enqueue: 91 jobs and items /],
      [() => complete({ enqueue: [followUp(second, {}, { batch: 'b' })] }), /^batch: "b"/],
      [() => complete({ enqueue: [{ type: 'second' }] as never }), /^type: /],
      [() => complete({ result: 'x'.repeat(40_000) }), /^result: 40002 bytes /],
    ] as const) {
      const rig = new Rig({ handlers: [first.handle(bad)] });
      const { id } = await rig.client.enqueue(first, {});
      await rig.drain();
      expect((await rig.client.get(id))?.error?.message).toMatch(message);
    }
  });
});

describe('items of the handler', () => {
  /** A store in memory with one foreign row, which is written if its condition holds. */
  function rigWithItems(holds: () => boolean): { readonly rig: Rig; readonly written: unknown[] } {
    const written: unknown[] = [];
    const clock = new SettableClock();
    const beside = (items: readonly unknown[]): boolean => {
      if (!holds()) return false;
      written.push(...items);
      return true;
    };
    const tables = createMemoryTables({ clock, beside });
    const handlers = [
      first.handle(() => complete({ transact: [{ Put: { order: 1 } }], enqueue: [followUp(second, {}, { delay: 'PT5M' })] })),
    ];
    return { rig: new Rig({ clock, tables, handlers }), written };
  }

  it('are written with the completion', async () => {
    const { rig, written } = rigWithItems(() => true);
    await rig.client.enqueue(first, {});
    await rig.drain();
    expect(written).toEqual([{ Put: { order: 1 } }]);
    expect(rig.journal.count('completed')).toBe(1);
  });

  it('whose condition fails keep everything from happening, and the job is retried without counting', async () => {
    let tries = 0;
    const { rig, written } = rigWithItems(() => ++tries > 2);
    const { id } = await rig.client.enqueue(first, {});
    await rig.drain();
    expect((await rig.client.get(id))?.error?.name).toBe('ItemsRefusedError');
    expect([written, (await rig.client.get(id))?.failures]).toEqual([[], 0]);
    await rig.clock.advance(10 * MINUTE);
    await rig.drain();
    await rig.clock.advance(10 * MINUTE);
    await rig.drain();
    expect([written.length, rig.journal.count('completed'), (await rig.client.get(id))?.state]).toEqual([1, 1, 'finished']);
  });

  it('that the store can never take bury the job, because its handler has run', async () => {
    const rig = new Rig({ tables: createMemoryTables(), handlers: [first.handle(() => complete({ transact: [{}] }))] });
    const { id } = await rig.client.enqueue(first, {});
    await rig.drain();
    expect(await rig.client.get(id)).toMatchObject({ state: 'dead', reason: 'non-retryable', error: { name: 'InvalidVerdictError' } });
  });
});
