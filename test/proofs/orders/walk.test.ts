import { describe, expect, test } from 'vitest';
import type { Move } from './requests.ts';
import { type Choose, walk, type Walked } from './walk.ts';

const ROW = new Set(['jobs 1']);
const NOTHING: ReadonlySet<string> = new Set();

/** A program of reads and writes of one row each, in order. */
interface Actor {
  readonly name: string;
  readonly does: readonly ((memory: Map<string, number>) => void)[];
  readonly touches: readonly Pick<Move, 'reads' | 'writes'>[];
}

const reads = (rows: ReadonlySet<string>) => ({ reads: rows, writes: NOTHING });
const writes = (rows: ReadonlySet<string>) => ({ reads: NOTHING, writes: rows });

/** Lets actors act on a memory in the order that is chosen. */
const play =
  (actors: () => readonly Actor[]) =>
  async (choose: Choose): Promise<string> => {
    const memory = new Map<string, number>();
    const all = actors();
    const at = all.map(() => 0);
    for (;;) {
      const going = all.flatMap((_, index) => ((at[index] ?? 0) < (all[index]?.does.length ?? 0) ? [index] : []));
      if (going.length === 0) return JSON.stringify([...memory].map(([row, value]) => `${row}: ${value}`).toSorted());
      const moves = going.map((index): Move => {
        const { name, touches } = all[index] as Actor;
        const step = at[index] ?? 0;
        return {
          name: `${name}${step}`,
          actor: name,
          kind: '',
          what: '',
          queue: false,
          time: false,
          ...(touches[step] as Pick<Move, 'reads' | 'writes'>),
        };
      });
      const chosen = choose(moves);
      if (chosen === undefined) return 'broken off';
      const index = going[chosen] as number;
      all[index]?.does[at[index] ?? 0]?.(memory);
      at[index] = (at[index] ?? 0) + 1;
    }
  };

/** Reads a number and writes it back, one higher, without asking whether it is still the same. */
function adder(name: string, row = 'jobs 1'): Actor {
  let seen = 0;
  const rows = new Set([row]);
  return {
    name,
    touches: [reads(rows), writes(rows)],
    does: [(memory) => void (seen = memory.get(row) ?? 0), (memory) => void memory.set(row, seen + 1)],
  };
}

async function outcomes(actors: () => readonly Actor[], prune: boolean): Promise<Walked & { readonly seen: ReadonlySet<string> }> {
  const seen = new Set<string>();
  return { ...(await walk(play(actors), { prune, see: (outcome) => void seen.add(outcome) })), seen };
}

describe('a walk', () => {
  test('finds a race of two steps', async () => {
    const { seen } = await outcomes(() => [adder('A'), adder('B')], true);
    expect([...seen].toSorted()).toEqual(['["jobs 1: 1"]', '["jobs 1: 2"]']);
  });

  test('without pruning plays every order there is', async () => {
    const { orders, pruned, seen } = await outcomes(() => [adder('A'), adder('B'), adder('C')], false);
    expect({ orders, pruned }).toEqual({ orders: 90, pruned: 0 });
    expect(seen.size).toBe(3);
  });

  test('with pruning plays one order of actors whose rows no other actor reads, and their writes in every order', async () => {
    const readers = (): readonly Actor[] =>
      ['A', 'B'].map((name) => ({ name, touches: [reads(ROW), reads(ROW)], does: [() => {}, () => {}] }));
    expect((await outcomes(readers, true)).orders).toBe(1);
    const apart = await outcomes(() => [adder('A', 'jobs 1'), adder('B', 'jobs 2')], true);
    expect(apart.orders).toBe(2);
  });

  test('with pruning sees every outcome that there is without', async () => {
    const three = (): readonly Actor[] => [adder('A'), adder('B'), adder('C')];
    const mixed = (): readonly Actor[] => [adder('A', 'jobs 1'), adder('B', 'jobs 2'), adder('C', 'jobs 1')];
    for (const actors of [three, mixed]) {
      const [pruned, whole] = [await outcomes(actors, true), await outcomes(actors, false)];
      expect([...pruned.seen].toSorted()).toEqual([...whole.seen].toSorted());
      expect(pruned.orders).toBeLessThan(whole.orders);
    }
  });

  test('that ends before it has seen every order says so, and how much it has seen', async () => {
    const walked = await walk(
      play(() => [adder('A'), adder('B')]),
      { most: 2, see: () => {} },
    );
    expect(walked).toMatchObject({ orders: 2, capped: true });
    expect(walked.share).toBeGreaterThan(0);
    expect(walked.share).toBeLessThan(1);
  });

  test('tells the order by the choices alone', async () => {
    const orders: string[] = [];
    await walk(
      play(() => [adder('A'), adder('B')]),
      { prune: false, see: (_, order) => void orders.push(order.join('')) },
    );
    expect(orders).toContain('00');
    expect(new Set(orders).size).toBe(orders.length);
  });
});
