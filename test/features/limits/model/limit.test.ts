import { describe, expect, it } from 'vitest';
import { InvalidConfigurationError } from '../../../../shared/job/errors.ts';
import type { JobInfo } from '../../../../shared/job/job-info.ts';
import { appliedLimits, checkLimits, checkNames, defineLimit, tenantLimit } from '../../../../shared/job/limit.ts';

const job = { id: 'i', tenant: 'acme' } as unknown as JobInfo;

describe('a limit', () => {
  it.each([
    ['a concurrency of zero', { concurrency: 0 }, /concurrency: 0 is not valid.*suspend/],
    ['a fraction', { concurrency: 1.5 }, /concurrency/],
    ['more slots than a claim should read', { concurrency: 101 }, /maxConcurrency/],
    ['a rate above a hundred', { rate: 101, per: 'PT1M' }, /shorter period/],
    ['a rate without a period', { rate: 1 }, /^per: /],
    ['an unknown period', { rate: 1, per: 'minute' }, /^per: "minute"/],
    ['a period below a second', { rate: 1, per: 'PT0.5S' }, /^per: /],
    ['a concurrency with a period', { concurrency: 1, per: 'PT1M' }, /^per: .*with rate, not with concurrency/],
    ['both at once', { concurrency: 1, rate: 1, per: 'PT1M' }, /^limit: .*either/],
    ['neither', {}, /^limit: .*either/],
    ['a misspelt option', { concurency: 1 }, /^limit: .*concurency/],
  ])('is refused with %s, naming the fix', (_what, shape, message) => {
    expect(() => defineLimit('stripe', shape as never)).toThrow(message);
  });

  it('is refused with a key that is no function, and with a name that is none', () => {
    expect(() => defineLimit('stripe', { concurrency: 1 }, { key: 'customer' as never })).toThrow(/key/);
    expect(() => defineLimit('stripe', { concurrency: 1 }, { by: () => 'a' } as never)).toThrow(/^options: /);
    expect(() => defineLimit('tenant/default', { concurrency: 1 })).toThrow(/name/);
  });

  it.each([
    ['a name', 'stripe'],
    ['a list of names', ['stripe']],
    ['a list with a hole', [undefined]],
    ['a limit without a number', [{ name: 'stripe' }]],
    ['a limit without a name', [{ n: 1 }]],
    ['one limit that is none beside one that is', [{ name: 'stripe', n: 1 }, 'stripe']],
    ['a list-like object', { every: () => true }],
  ])('is refused in a list of limits that is %s, which is named', (_what, limits) => {
    expect(() => checkLimits(limits as never)).toThrow(/^limits: .*defineLimit/);
    expect(() => checkLimits(limits as never, 'workers.default.limits')).toThrow(/^workers\.default\.limits: /);
  });

  it('is refused beside another of its name with other numbers', () => {
    const stripe = defineLimit('stripe', { concurrency: 2 });
    expect(() => checkNames([stripe, defineLimit('stripe', { concurrency: 3 })])).toThrow(InvalidConfigurationError);
    expect(() => checkNames([stripe, defineLimit('stripe', { rate: 2, per: 'PT1S' })])).toThrow(/stripe/);
    expect(() => checkNames([stripe, defineLimit('stripe', { concurrency: 2 })])).not.toThrow();
  });

  it('is one limit for each key, and none for a job without a key', () => {
    const keyed = defineLimit('keyed', { concurrency: 1 }, { key: (payload: { customer?: string }) => payload.customer });
    const hash = (customer?: string): string | undefined => appliedLimits([keyed], { customer }, job)[0]?.hash;
    expect(hash('a')).toBe(hash('a'));
    expect(hash('a')).not.toBe(hash('b'));
    expect(hash()).toBeUndefined();
    expect(hash('')).toBeUndefined();
  });

  it('is taken in the order of names, rates last, and once if it is named twice', () => {
    const [rate, b, a] = [
      defineLimit('a-rate', { rate: 1, per: 'PT1M' }),
      defineLimit('b', { concurrency: 1 }),
      defineLimit('a', { concurrency: 1 }),
    ];
    expect(appliedLimits([rate, b, a, b], undefined, job).map(({ name }) => name)).toEqual(['a', 'b', 'a-rate']);
  });

  it('is taken in the same order by every job, however its type lists the limits', () => {
    const keyed = (key: string) => defineLimit('same', { concurrency: 1 }, { key: () => key });
    const all = [
      keyed('a'),
      keyed('b'),
      keyed('c'),
      defineLimit('other', { rate: 5, per: 'PT1S' }),
      defineLimit('last', { rate: 5, per: 'PT1S' }),
    ];
    const applied = appliedLimits(all, undefined, job);
    expect(appliedLimits(all.toReversed(), undefined, job)).toEqual(applied);
    expect(applied.map(({ perMs }) => perMs)).toEqual([undefined, undefined, undefined, 1_000, 1_000]);
    const hashes = applied.slice(0, 3).map(({ hash }) => hash);
    expect(hashes).toEqual(hashes.toSorted());
  });

  it('takes from one to a hundred, and a period of a second or more', () => {
    expect([1, 100].map((concurrency) => defineLimit('n', { concurrency }))).toStrictEqual([
      { name: 'n', n: 1 },
      { name: 'n', n: 100 },
    ]);
    expect(defineLimit('r', { rate: 100, per: 'PT1S' })).toStrictEqual({ name: 'r', n: 100, perMs: 1_000 });
  });

  it('has a period where it is met only if it is a rate', () => {
    const both = [defineLimit('n', { concurrency: 3 }), defineLimit('r', { rate: 5, per: 'PT2S' })];
    expect(appliedLimits(both, undefined, job)).toStrictEqual([
      { hash: expect.any(String) as string, name: 'n', n: 3 },
      { hash: expect.any(String) as string, name: 'r', n: 5, perMs: 2_000 },
    ]);
  });

  it('may stand in a list, or there is none', () => {
    const limits = [defineLimit('n', { concurrency: 3 })];
    expect(checkLimits(limits)).toBe(limits);
    expect(checkLimits(undefined)).toEqual([]);
  });

  it('refuses a key that is too long, and names it', () => {
    const keyed = defineLimit('keyed', { concurrency: 1 }, { key: () => 'x'.repeat(257) });
    expect(() => appliedLimits([keyed], {}, job)).toThrow(/limits\.keyed\.key/);
  });

  it('on tenants is keyed by the tenant, worker by worker', () => {
    const [one] = appliedLimits([tenantLimit('default', 3)], undefined, job);
    const [other] = appliedLimits([tenantLimit('other', 3)], undefined, job);
    expect(one).toMatchObject({ n: 3, name: 'tenant/default' });
    expect(() => tenantLimit('default', 0)).toThrow(/^tenantConcurrency: /);
    expect(other?.hash).not.toBe(one?.hash);
    expect(appliedLimits([tenantLimit('default', 3)], undefined, { id: 'i' } as never)).toEqual([]);
  });
});
