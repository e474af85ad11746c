import { describe, expect, it, vi } from 'vitest';
import type { Death } from '../../../../shared/features/error-groups/model/error-group.ts';
import { ErrorGroupSums, type WriteDeaths } from '../../../../shared/features/error-groups/store/error-group-sums.ts';

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

  it('of which it is not known whether they were applied are counted once, however often they are tried', async () => {
    const [sums, write] = [new ErrorGroupSums(), writer()];
    for (let attempt = 0; attempt < 3; attempt++) {
      void sums.enter(death('a'), 'a', 0, write);
      sums.undo(death('a'), 'a', false);
    }
    void sums.enter(death('a'), 'a', 0, write);
    await sums.flush(0, write, true);
    expect(seenBy(write)).toBe(1);
  });

  it('and were kept for long are told as late ones', async () => {
    const [sums, write] = [new ErrorGroupSums(), writer()];
    await sums.enter(death('a', 0), 'a', 0, write);
    void sums.enter(death('b', SECOND), 'b', SECOND, write);
    await sums.flush(3_600 * SECOND, write);
    expect(write.mock.calls.map(([, , recent]) => recent)).toEqual([true, false]);
  });

  it('with an unknown outcome are remembered until the next flush, no longer', async () => {
    const [sums, write] = [new ErrorGroupSums(), writer()];
    void sums.enter(death('a'), 'a', 0, write);
    sums.undo(death('a'), 'a', false);
    await sums.flush(0, write, true);
    void sums.enter(death('a'), 'a', 0, write);
    await sums.flush(0, write, true);
    expect(seenBy(write)).toBe(2);
  });

  it('that are being written are waited for by a flush', async () => {
    const sums = new ErrorGroupSums();
    let written = (): void => {};
    void sums.enter(death('a'), 'a', 0, async () => new Promise<void>((resolve) => (written = resolve)));
    let flushed = false;
    const flush = sums.flush(0, writer()).then(() => (flushed = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(flushed).toBe(false);
    written();
    await flush;
  });

  it('of a group that was flushed do not write it sooner than ten seconds later, whatever the clock says', async () => {
    const at = Date.UTC(2026, 0, 1);
    const [sums, write] = [new ErrorGroupSums(), writer()];
    await sums.enter(death('a', at), 'a', at, write);
    await sums.flush(at + 5 * SECOND, write);
    expect(sums.enter(death('b', at), 'b', at + 9_999, write)).toBeUndefined();
    expect(sums.enter(death('c', at), 'c', at - 1, write)).toBeDefined();
  });
});
