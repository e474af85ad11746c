import { describe, expect, it } from 'vitest';
import { queueOfJob } from '../../../shared/job/queue-of.ts';

describe('the queue of a job', () => {
  const job = { worker: 'mail', lane: 'default', priority: 0 };
  const queues = { lanes: { default: 'url', urgent: 'url' }, from: { urgent: 10 } };
  const withFifo = { ...queues, fifo: 'url' };

  it('is its lane of its worker', () => expect(queueOfJob(job, withFifo)).toEqual({ worker: 'mail', lane: 'default', kind: 'standard' }));

  it('is FIFO for a group whose jobs run one at a time, where the worker has such a queue', () => {
    expect(queueOfJob({ ...job, group: 'g' }, withFifo).kind).toBe('fifo');
    expect(queueOfJob({ ...job, group: 'g', exclusive: false }, withFifo).kind).toBe('standard');
    expect(queueOfJob({ ...job, group: 'g' }, queues).kind).toBe('standard');
    expect(queueOfJob({ ...job, group: 'g' }, undefined).kind).toBe('standard');
  });

  it('is the lane of its priority after a deployment took its own away, and its own where nothing is known of the worker', () => {
    const stranded = { ...job, lane: 'bulk', priority: 10 };
    expect(queueOfJob(stranded, queues).lane).toBe('urgent');
    expect(queueOfJob(stranded, undefined).lane).toBe('bulk');
  });
});
