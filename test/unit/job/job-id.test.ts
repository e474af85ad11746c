import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InvalidInputError } from '../../../shared/job/errors.ts';
import {
  checkJobId,
  dayPartOf,
  dayParts,
  dueAtOf,
  isJobId,
  jobIdFrom,
  leafOf,
  leaves,
  makeJobId,
  SHARDS,
  shardOf,
  shardsOf,
} from '../../../shared/job/job-id.ts';
import { seededEntropy } from '../../../shared/adapters/memory/seeded-entropy.ts';
import { NOON } from './sample-job.ts';

const dueTimes = fc.integer({ min: 0, max: 2 ** 48 - 1 });
const tenBytes = fc.uint8Array({ minLength: 10, maxLength: 10 });
const manyIds = (count: number, dueAt: (index: number) => number): string[] => {
  const entropy = seededEntropy(7);
  return Array.from({ length: count }, (_, index) => makeJobId(dueAt(index), entropy.bytes(10)));
};
const counts = (texts: readonly string[]): number[] => [...Map.groupBy(texts, (text) => text).values()].map((same) => same.length);

describe('a job id', () => {
  test('is a UUIDv7 that holds the time at which the job is first due', () => {
    fc.assert(
      fc.property(dueTimes, tenBytes, (dueAt, bytes) => {
        const id = makeJobId(dueAt, bytes);
        expect(isJobId(id)).toBe(true);
        expect(dueAtOf(id)).toBe(dueAt);
      }),
    );
  });

  test('keeps 74 random bits: two that differ in them differ', () => {
    const bits = manyIds(1_000, () => NOON);
    expect(new Set(bits).size).toBe(1_000);
    const ones = makeJobId(0, new Uint8Array(10).fill(255));
    expect(ones).toBe('00000000-0000-7fff-bfff-ffffffffffff');
  });

  test('sorts as text by due time', () => {
    fc.assert(
      fc.property(dueTimes, dueTimes, tenBytes, tenBytes, (a, b, x, y) => {
        fc.pre(a !== b);
        expect(makeJobId(a, x) < makeJobId(b, y)).toBe(a < b);
      }),
    );
  });

  test('of the same due time and text is the same, and of another text another', () => {
    expect(jobIdFrom(NOON, 'order 17')).toBe(jobIdFrom(NOON, 'order 17'));
    expect(jobIdFrom(NOON, 'order 17')).not.toBe(jobIdFrom(NOON, 'order 18'));
    expect(isJobId(jobIdFrom(NOON, ''))).toBe(true);
  });

  test('cannot be made for a time that is none', () => {
    expect(() => jobIdFrom(Number.NaN, 'x')).toThrow(InvalidInputError);
    expect(() => makeJobId(Number.POSITIVE_INFINITY, new Uint8Array(10))).toThrow(InvalidInputError);
  });

  test.each([
    undefined,
    null,
    7,
    {},
    [],
    '',
    'x',
    '019b7a2c-3c00-4000-8000-000000000000',
    '019B7A2C-3C00-7000-8000-00000000000A',
    '019b7a2c-3c00-7000-c000-000000000000',
    ' 019b7a2c-3c00-7000-8000-000000000000',
    '019b7a2c-3c00-7000-8000-000000000000\n',
    '019b7a2c3c0070008000000000000000',
  ])('is refused as %j', (value) => {
    expect(isJobId(value)).toBe(false);
    expect(() => checkJobId(value, 'id')).toThrow(/^id: .*UUIDv7/);
  });
});

describe('the shards', () => {
  test('hold the same id forever in the same one', () => {
    // Stored rows lie by it: if this fails, the hash has changed and every waiting timer would be lost from sight.
    expect(shardOf('019b7a2c-3c00-7abc-8def-0123456789ab')).toBe('1f');
    expect(leafOf('019b7a2c-3c00-7abc-8def-0123456789ab')).toBe('f');
    expect(dayPartOf('019b7a2c-3c00-7abc-8def-0123456789ab')).toBe('05');
  });

  test('depend on the random bits alone, so that a moved due time would not matter', () => {
    fc.assert(fc.property(dueTimes, dueTimes, tenBytes, (a, b, bytes) => shardOf(makeJobId(a, bytes)) === shardOf(makeJobId(b, bytes))));
  });

  test('are met evenly, also by ids of one millisecond', () => {
    const met = counts(manyIds(6_400, () => NOON).map(shardOf));
    expect(met).toHaveLength(SHARDS);
    expect(Math.min(...met)).toBeGreaterThan(50);
    expect(Math.max(...met)).toBeLessThan(160);
  });

  test('are met evenly by ids made from counted texts', () => {
    const met = counts(Array.from({ length: 6_400 }, (_, index) => shardOf(jobIdFrom(NOON + index, `order-${index}`))));
    expect(met).toHaveLength(SHARDS);
    expect(Math.min(...met)).toBeGreaterThan(50);
  });

  test('are split among acquirers so that each is served by exactly one', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 64 }), (acquirers) => {
        const served = Array.from({ length: acquirers }, (_, index) => shardsOf(acquirers, index));
        expect(served.flat().toSorted()).toEqual(shardsOf());
        expect(served.every((shards) => shards.length > 0)).toBe(true);
      }),
    );
  });

  test('are named 00 to 3f, the leaves 0 to f', () => {
    expect([shardsOf()[0], shardsOf().at(-1), shardsOf().length]).toEqual(['00', '3f', 64]);
    expect(leaves().join('')).toBe('0123456789abcdef');
  });

  test('have leaves that are met evenly', () => {
    const met = counts(manyIds(1_600, (index) => NOON + index).map(leafOf));
    expect(met).toHaveLength(16);
    expect(Math.min(...met)).toBeGreaterThan(60);
  });
});

describe('the parts of a day', () => {
  test('are 64, met evenly also by the ids of one shard, which are fired and finish together', () => {
    const ids = manyIds(100_000, () => NOON).filter((id) => shardOf(id) === '07');
    const met = counts(ids.map(dayPartOf));
    expect(met).toHaveLength(dayParts().length);
    expect(Math.max(...met)).toBeLessThan((3 * ids.length) / dayParts().length);
    expect(ids.every((id) => dayParts().includes(dayPartOf(id)))).toBe(true);
  });
});

describe('the parts of a job id', () => {
  test('made from a text are the first bits of its SHA-256, on every machine and forever', () =>
    expect(jobIdFrom(NOON, 'order 17')).toBe('019b796d-d600-70bc-8920-e3938c1b86e3'));
  test('come from as many bytes as there are', () => {
    expect(makeJobId(0, new Uint8Array(0))).toBe('00000000-0000-7000-8000-000000000000');
    expect(makeJobId(0, new Uint8Array(40).fill(255))).toBe('00000000-0000-7fff-bfff-ffffffffffff');
  });
  test('say the last time there is for every time after it, and the first for every one before', () => {
    for (const dueAt of [2 ** 48 - 1, 2 ** 48, 2 ** 60])
      expect(makeJobId(dueAt, new Uint8Array(10))).toBe('ffffffff-ffff-7000-8000-000000000000');
    expect(dueAtOf(makeJobId(-5, new Uint8Array(10)))).toBe(0);
  });
  test('are given back by the check that takes them, which calls them id by default', () => {
    expect(checkJobId(jobIdFrom(NOON, 'x'))).toBe(jobIdFrom(NOON, 'x'));
    expect(() => checkJobId('x')).toThrow(/^id: "x"/);
    expect(() => makeJobId(Number.NaN, new Uint8Array(10))).toThrow(/^dueAt: NaN/);
  });
  test('lead to a shard of two digits', () => {
    for (let n = 0; n < 300; n++) expect(shardOf(jobIdFrom(NOON, String(n)))).toMatch(/^[0-3][0-9a-f]$/);
  });
});
