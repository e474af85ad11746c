import { describe, expect, it, vi } from 'vitest';
import type { Death } from '../../../shared/core/error-group.ts';
import { ErrorGroupSums, type WriteDeaths } from '../../../shared/store/error-group-sums.ts';

const SECOND = 1_000;
const death = (id: string, at = 0, fingerprint = 'f'): Death => ({ fingerprint, type: 't', errorName: 'E', message: 'm', id, at });
const writer = () => vi.fn<WriteDeaths>(async () => {});
const seenBy = (write: ReturnType<typeof writer>): number => write.mock.calls.reduce((sum, [, seen]) => sum + seen, 0);

describe('deaths that a sandbox sums up', () => {
  it('are written with the first, and with the next one ten seconds later', async () => {
    const [sums, write] = [new ErrorGroupSums(), writer()];
    await sums.enter(death('a'), 'a', 0, write);
    expect(sums.enter(death('b'), 'b', 9_999, write)).toBeUndefined();
    await sums.enter(death('c'), 'c', 10 * SECOND, write);
    expect(write.mock.calls.map(([latest, seen]) => [latest.id, seen])).toEqual([
      ['a', 1],
      ['c', 2],
    ]);
  });

  it('of jobs that die side by side wait for one write together', async () => {
    const sums = new ErrorGroupSums();
    let written = (): void => {};
    const write = vi.fn<WriteDeaths>(async () => new Promise<void>((resolve) => (written = resolve)));
    const waits = [sums.enter(death('a'), 'a', 0, write), sums.enter(death('b'), 'b', 0, write)];
    expect(write).toHaveBeenCalledTimes(1);
    written();
    await Promise.all(waits.map(async (wait) => wait));
    const flushed = writer();
    await sums.flush(0, flushed);
    expect(flushed.mock.calls.map(([, seen]) => seen)).toEqual([1]);
  });

  it('are flushed once in ten seconds, or all of them at the end', async () => {
    const [sums, write] = [new ErrorGroupSums(), writer()];
    await sums.enter(death('a'), 'a', 0, write);
    void sums.enter(death('b'), 'b', 0, write);
    await sums.flush(0, write);
    void sums.enter(death('c'), 'c', SECOND, write);
    await sums.flush(SECOND, write);
    expect(seenBy(write)).toBe(2);
    await sums.flush(SECOND, write, true);
    expect(seenBy(write)).toBe(3);
    await sums.flush(60 * SECOND, write);
    expect(write).toHaveBeenCalledTimes(3);
  });

  it('are kept when the store refuses them, and burials do not ask it again for a second', async () => {
    const sums = new ErrorGroupSums();
    const refuse = vi.fn<WriteDeaths>(async () => Promise.reject(new Error('throttled')));
    await sums.enter(death('a'), 'a', 0, refuse);
    expect(sums.enter(death('b'), 'b', 999, refuse)).toBeUndefined();
    const write = writer();
    await sums.enter(death('c'), 'c', SECOND, write);
    expect(write.mock.calls.map(([, seen]) => seen)).toEqual([3]);
  });

  it('that did not come about are taken off again', async () => {
    const [sums, write] = [new ErrorGroupSums(), writer()];
    await sums.enter(death('a'), 'a', 0, write);
    sums.undo(death('a'), 'a', true);
    await sums.flush(0, write);
    expect(seenBy(write)).toBe(0);
  });

  it('of which nobody knows whether they came about are counted once, however often they are tried', async () => {
    const [sums, write] = [new ErrorGroupSums(), writer()];
    for (let attempt = 0; attempt < 3; attempt++) {
      void sums.enter(death('a'), 'a', 0, write);
      sums.undo(death('a'), 'a', false);
    }
    void sums.enter(death('a'), 'a', 0, write);
    await sums.flush(0, write, true);
    expect(seenBy(write)).toBe(1);
  });

  it('and were kept for long do not say when the group was last seen', async () => {
    const [sums, write] = [new ErrorGroupSums(), writer()];
    await sums.enter(death('a', 0), 'a', 0, write);
    void sums.enter(death('b', SECOND), 'b', SECOND, write);
    await sums.flush(3_600 * SECOND, write);
    expect(write.mock.calls.map(([, , recent]) => recent)).toEqual([true, false]);
  });
});
