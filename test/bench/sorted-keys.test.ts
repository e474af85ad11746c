import { expect, test } from 'vitest';
import { stored, SortedRows } from '../../bench/scale/model/sorted-rows.ts';
import { quickEntropy } from '../../bench/scale/model/quick-entropy.ts';

test('rows are read in the order of their keys, whatever was added, removed and added again in between', () => {
  const entropy = quickEntropy(5);
  const [rows, plain] = [new SortedRows(), new Set<string>()];
  for (let step = 0; step < 3_000; step++) {
    const key = `k${Math.floor(entropy.random() * 200)}`;
    const goes = entropy.random() < 0.45;
    rows.set(key, goes ? undefined : stored({ id: key }));
    if (goes) plain.delete(key);
    else plain.add(key);
    if (step % 7 !== 0) continue;
    const from = `k${Math.floor(entropy.random() * 200)}`;
    const behind = entropy.random() < 0.5;
    const expected = [...plain].filter((one) => (behind ? one > from : one >= from)).toSorted();
    expect([...rows.from(from, behind)].map(([one]) => one)).toEqual(expected);
    expect(rows.size).toBe(plain.size);
  }
});
