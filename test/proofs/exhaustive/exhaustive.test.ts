import { describe, expect, test } from 'vitest';
import type { Flow } from './flow.ts';
import { explore } from './explore.ts';
import { FLOWS } from './flows/flows.ts';
import { runFlow } from './run-flow.ts';

const SINGLES = { paired: 0, base: 1 };
describe('an exploration', () => {
  const flow = FLOWS.find(({ name }) => name === 'complete') as Flow;

  test('repeats itself: the same faults at the same points, the same points after them', async () => {
    const chosen = [{ at: 2, fault: 'lost-reply' }] as const;
    const [first, second] = [await runFlow(flow, chosen), await runFlow(flow, chosen)];
    expect(second).toEqual(first);
    expect(first.points.length).toBeGreaterThan(3);
  });

  test('pairs as many first faults as it is told, spread over the flow', async () => {
    const [few, all] = [await explore(flow, { paired: 2, base: 1 }), await explore(flow, { paired: Number.MAX_SAFE_INTEGER, base: 1 })];
    expect(few.broken).toEqual([]);
    expect(few.singles).toBe(all.singles);
    expect(few.singles).toBeGreaterThanOrEqual(few.points * 3);
    expect(few.pairs).toBeGreaterThan(few.points);
    expect(few.pairs).toBeLessThan(all.pairs / 3);
  });

  test('fails a run whose fault never struck', async () => {
    const { findings } = await runFlow(flow, [{ at: 999, fault: 'crash-before' }]);
    expect(findings).toEqual(['never-struck: 1 of 1 faults']);
  });

  test('fails a run whose fault cannot strike where it is asked to: time that passes has no reply', async () => {
    const { points } = await runFlow(flow, []);
    const wait = points.find(({ what }) => what === 'wait')?.number ?? 0;
    const { findings } = await runFlow(flow, [{ at: wait, fault: 'lost-reply' }]);
    expect(findings).toEqual(['never-struck: 1 of 1 faults']);
  });

  test('sees two handlers at once where no sandbox is killed at its deadline, and still one completion', async () => {
    const report = await explore(flow, SINGLES);
    expect(report.overlaps).toBeGreaterThan(0);
    expect(report.broken).toEqual([]);
  });
});
