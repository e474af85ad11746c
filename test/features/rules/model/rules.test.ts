import { describe, expect, it } from 'vitest';
import { InvalidInputError } from '../../../../shared/job/errors.ts';
import {
  isInForce,
  isScope,
  NO_RULES,
  priorityFor,
  causeForLogs,
  type PriorityRule,
  priorityScope,
  type Rules,
  type Suspension,
  suspensionFor,
  suspensionScope,
  tenantOfScope,
  workerOfScope,
} from '../../../../shared/features/rules/model/rules.ts';

const ALONE = new Map();
const suspension = (scope: string, more: Partial<Suspension> = {}): Suspension => ({ scope, reason: 'r', actor: 'a', at: 0, ...more });
const suspended = (...list: readonly Suspension[]): Rules => ({ ...NO_RULES, suspensions: new Map(list.map((one) => [one.scope, one])) });
const rule = (scope: string, priority: number, more: Partial<PriorityRule> = {}): PriorityRule => ({
  scope,
  priority,
  actor: 'a',
  at: 100,
  cascade: false,
  ...more,
});
const ruled = (...list: readonly PriorityRule[]): Rules => ({ ...NO_RULES, priorities: new Map(list.map((one) => [one.scope, one])) });

describe('suspensionFor', () => {
  const job = { type: 't', worker: 'w', group: 'g', tenant: 'x', schedule: 's', batch: 'b', createdAt: 0 };

  it.each(['all', 'type#t', 'type#t@w', 'group#g', 'tenant#x', 'schedule#s', 'batch#b'])('finds a suspension of %s', (scope) => {
    expect(suspensionFor(job, suspended(suspension(scope)), 0, ALONE)?.scope).toBe(scope);
    expect(suspensionFor({ type: 'u', worker: 'w', createdAt: 0 }, suspended(suspension(scope)), 0, ALONE)?.scope).toBe(
      scope === 'all' ? 'all' : undefined,
    );
  });

  it('of a type on one worker leaves the type on others alone', () => {
    const rules = suspended(suspension('type#t@w'));
    expect(suspensionFor({ type: 't', worker: 'v', createdAt: 0 }, rules, 0, ALONE)).toBeUndefined();
    const both = suspended(suspension('type#t@w'), suspension('type#t'));
    expect(suspensionFor({ type: 't', worker: 'w', createdAt: 0 }, both, 0, ALONE)?.scope).toBe('type#t');
  });

  it('of a type on one worker holds under every name of the worker', () => {
    const workers = new Map([['mail', { formerly: ['post'] }]]);
    for (const scope of ['type#t@mail', 'type#t@post']) {
      expect(suspensionFor({ type: 't', worker: 'mail', createdAt: 0 }, suspended(suspension(scope)), 0, workers)?.scope).toBe(scope);
    }
    expect(suspensionFor({ type: 't', worker: 'w', createdAt: 0 }, suspended(suspension('type#t@post')), 0, workers)).toBeUndefined();
  });

  it('names the widest of several', () => {
    const both = suspended(suspension('type#t'), suspension('tenant#x'), suspension('all', { from: 10 }));
    expect(suspensionFor(job, both, 5, ALONE)?.scope).toBe('tenant#x');
    expect(suspensionFor(job, both, 10, ALONE)?.scope).toBe('all');
  });

  it('for new jobs leaves those alone that were there before, which a narrower one may still hold', () => {
    const fresh = suspension('tenant#x', { createdAfter: 10 });
    expect([9, 10, 11].map((createdAt) => suspensionFor({ ...job, createdAt }, suspended(fresh), 20, ALONE)?.scope)).toEqual([
      undefined,
      undefined,
      'tenant#x',
    ]);
    expect(suspensionFor({ ...job, createdAt: 10 }, suspended(fresh, suspension('type#t')), 20, ALONE)?.scope).toBe('type#t');
  });

  it('leaves a job alone that is to run now', () => {
    expect(suspensionFor({ ...job, runNow: true }, suspended(suspension('all')), 0, ALONE)).toBeUndefined();
  });

  it('finds none for a job without a tenant, schedule, batch or group, whatever those of others are called', () => {
    const others = ['tenant', 'schedule', 'batch', 'group'].map((kind) => suspension(`${kind}#undefined`));
    expect(suspensionFor({ type: 't', worker: 'w', createdAt: 0 }, suspended(...others), 0, ALONE)).toBeUndefined();
  });

  it('holds from its first millisecond to the one before its last', () => {
    const window = suspension('all', { from: 10, until: 20 });
    expect([9, 10, 19, 20].map((now) => isInForce(window, now))).toEqual([false, true, true, false]);
  });
});

describe('priorityFor', () => {
  const job = { type: 't', tenant: 'x', createdAt: 200 };

  it('says nothing where no rule concerns the job', () => {
    expect(priorityFor(job, NO_RULES)).toBeUndefined();
    expect(priorityFor(job, ruled(rule('type#u', 1), rule('tenant#y', 1)))).toBeUndefined();
  });

  it('says nothing for a job without a tenant, whatever the tenants of others are called', () => {
    expect(
      priorityFor({ type: 't', createdAt: 200 }, ruled(rule('tenant#undefined', 1), rule('tenant-default#undefined', 1))),
    ).toBeUndefined();
  });

  it('lets the override of a type go before that of a tenant, and an override before a default', () => {
    const rules = ruled(rule('type#t', 1), rule('tenant#x', 2), rule('tenant-default#x', 3));
    expect(priorityFor(job, rules)).toEqual({ priority: 1, from: 'override' });
    expect(priorityFor({ ...job, type: 'u' }, rules)).toEqual({ priority: 2, from: 'override' });
  });

  it('reaches older jobs only with cascade', () => {
    const old = { ...job, createdAt: 100 };
    expect(priorityFor(old, ruled(rule('type#t', 1)))).toBeUndefined();
    expect(priorityFor(old, ruled(rule('type#t', 1, { cascade: true })))).toEqual({ priority: 1, from: 'override' });
    expect(priorityFor(old, ruled(rule('type#t', 1), rule('tenant#x', 2, { cascade: true })))).toEqual({ priority: 2, from: 'override' });
  });

  it('never touches what setPriority set', () => {
    expect(priorityFor({ ...job, priorityFrom: 'set' }, ruled(rule('type#t', 1, { cascade: true })))).toBeUndefined();
  });

  it.each([
    [undefined, true],
    ['worker', true],
    ['tenant', true],
    ['type', false],
    ['option', false],
    ['override', false],
  ] as const)('a default of the tenant for a job whose priority is from %s: %s', (priorityFrom, given) => {
    const one = priorityFrom === undefined ? job : { ...job, priorityFrom };
    expect(priorityFor(one, ruled(rule('tenant-default#x', 3)))).toEqual(given ? { priority: 3, from: 'tenant' } : undefined);
  });
});

describe('a scope', () => {
  it('becomes the text that is the cause of its jobs', () => {
    expect(suspensionScope('all')).toBe('all');
    expect(suspensionScope({ group: 'a#b' })).toBe('group#a#b');
    expect(suspensionScope({ type: 't.u', worker: 'w-1' })).toBe('type#t.u@w-1');
    expect(priorityScope({ tenant: 'x' })).toBe('tenant#x');
    expect(priorityScope({ tenant: 'x' }, true)).toBe('tenant-default#x');
    expect(['all', 'type#t', 'batch#b'].every(isScope)).toBe(true);
    expect(['no-handler#t', 'breakpoint', 'allies'].some(isScope)).toBe(false);
  });

  it('says which tenant it is about, or which type on which worker, unless it is about something else of that name', () => {
    expect(['tenant#x', 'tenant-default#a#b\n', 'type#t', 'group#tenant#x'].map(tenantOfScope)).toEqual([
      'x',
      'a#b\n',
      undefined,
      undefined,
    ]);
    expect(workerOfScope('type#t.u@w-1')).toEqual({ type: 't.u', worker: 'w-1' });
    for (const scope of ['type#t', 'group#a@b', 'group#type#a@b', 'type#a@b@c']) expect(workerOfScope(scope)).toBeUndefined();
  });

  it.each([
    undefined,
    null,
    'type',
    {},
    { type: '' },
    { tenant: '' },
    { tenant: 7 },
    { tenant: '__proto__' },
    { type: 'a', group: 'b' },
    { type: 'a', worker: '' },
    { type: 'a', worker: 'W' },
    { worker: 'w' },
    { type: 'a', worker: 'w', group: 'b' },
    ['all'],
  ])('refuses %j', (given) => {
    expect(() => suspensionScope(given)).toThrow(InvalidInputError);
    expect(() => priorityScope(given)).toThrow(InvalidInputError);
  });
});

describe('a scope that is refused', () => {
  it.each([
    ['type', /^scope: .*Use 'all' or an object with one of type, group, tenant, schedule, batch/],
    [{}, /^scope: /],
    [null, /^scope: .*Use 'all' or an object with one of/],
    [{ worker: 'w' }, /^scope: .*Use 'all' or an object with one of/],
    [{ tpye: 'a' }, /^scope: "tpye" is not valid\. .*type/],
    [{ type: 'a', worker: undefined }, /^scope: /],
    [{ type: 'a b' }, /^scope\.type: /],
    [{ tenant: '' }, /^scope\.tenant: .*not empty/],
    [{ group: 7 }, /^scope\.group: /],
    [{ type: 'a b', worker: 'w' }, /^scope\.type: /],
    [{ type: 'a', worker: 'W' }, /^scope\.worker: /],
  ])('as %j is told why, and which part of it is wrong', (given, message) => expect(() => suspensionScope(given)).toThrow(message));

  it('names the field that its caller calls it by', () =>
    expect(() => suspensionScope({ tenant: '' }, 'cause')).toThrow(/^cause\.tenant: /));

  it('for a priority names only what has one, and a default only for a tenant', () => {
    expect(() => priorityScope({ worker: 'w' })).toThrow(/^scope: "worker" is not valid\. /);
    expect(() => priorityScope('all')).toThrow(/^scope: .*Use an object with one of type, tenant,/);
    expect(() => priorityScope({ type: 't' }, true)).toThrow(/^default: "type#t".*Only a tenant/);
  });
});

describe('a cause in logs and events', () => {
  it.each([
    ['type#invoice.send', 'type#invoice.send'],
    ['all', 'all'],
    ['no-handler#later', 'no-handler#later'],
    ['group#Müller & Söhne', 'group'],
    ['tenant#acme#2', 'tenant'],
  ])('of %s is %s: what users wrote stays out', (cause, told) => expect(causeForLogs(cause)).toBe(told));
});
