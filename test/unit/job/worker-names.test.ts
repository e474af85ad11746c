import { describe, expect, it } from 'vitest';
import { ALL_WORKERS, presentName, WorkersByName } from '../../../shared/job/worker-names.ts';

const workers = new WorkersByName([
  ['mail', { formerly: ['default', 'post'] }],
  ['reports', {}],
  ['slow', { formerly: ['reports', 'night'] }],
]);

describe('the name of a worker', () => {
  it.each([
    ['mail', 'mail'],
    ['default', 'mail'],
    ['post', 'mail'],
    ['night', 'slow'],
    ['nobody', 'nobody'],
  ])('%s is %s now', (name, present) => expect(presentName(workers, name)).toBe(present));

  it('is its own, although another worker had it before', () => {
    expect(presentName(workers, 'reports')).toBe('reports');
    expect(presentName([...workers].toReversed(), 'reports')).toBe('reports');
  });
});

describe('workers by name', () => {
  it('are found by a former name, and listed once', () => {
    expect(workers.get('post')).toBe(workers.get('mail'));
    expect(workers.get('night')).toEqual({ formerly: ['reports', 'night'] });
    expect(workers.get('nobody')).toBeUndefined();
    expect(['mail', 'default', 'nobody'].map((name) => workers.has(name))).toEqual([true, true, false]);
    expect([...workers.keys()]).toEqual(['mail', 'reports', 'slow']);
  });
});

it('what belongs to no worker is told under a name that no worker can have', () => expect(ALL_WORKERS).toBe('all'));
