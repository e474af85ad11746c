import { describe, expect, it } from 'vitest';
import { type Step, stepsOf, withActs } from '../../../console/jobs/attempt-timeline.ts';
import type { AttemptEntry } from '../../../shared/features/history/model/history-entry.ts';

const at = (second: number): Date => new Date(1_000 * second);
const ran = (attempt: number, from: number, to: number, outcome: AttemptEntry['outcome']): AttemptEntry => ({
  attempt,
  startedAt: at(from),
  endedAt: at(to),
  outcome,
  requestId: 'r',
});
const job = { createdAt: at(0), dueAt: at(0), state: 'waiting' } as const;

describe('the steps of a job', () => {
  it('have a wait between two attempts that says why', () => {
    const steps = stepsOf(job, [ran(1, 5, 6, 'snoozed'), ran(2, 66, 67, 'retried')]);
    expect(steps.map((step) => (step.kind === 'waited' ? `${step.why} ${step.forMs}` : step.kind))).toEqual([
      'created',
      'Waited for its time and its turn 5000',
      'ran',
      'Snoozed 60000',
      'ran',
    ]);
  });

  it('have no negative wait when the clocks of executors differ', () => {
    const steps = stepsOf(job, [ran(1, 5, 9, 'retried'), ran(2, 8, 7, 'retried'), ran(3, 8.5, 10, 'dead-lettered')]);
    expect(steps.flatMap((step) => (step.kind === 'waited' ? [step.forMs] : []))).toEqual([5_000, 500]);
  });

  it('name an attempt that left no record, because its process was killed, in place of the wait', () => {
    const steps = stepsOf(job, [ran(2, 130, 131, 'retried'), ran(5, 900, 901, 'completed')]);
    expect(steps.slice(1, 5)).toEqual([
      { kind: 'unknown', gap: { from: 1, to: 1 }, withinMs: 130_000 },
      { kind: 'ran', attempt: ran(2, 130, 131, 'retried') },
      { kind: 'unknown', gap: { from: 3, to: 4 }, withinMs: 769_000 },
      { kind: 'ran', attempt: ran(5, 900, 901, 'completed') },
    ]);
  });

  it('have what operators did before the run or the end that came next, behind the wait that it ended', () => {
    const act = (verb: string, second: number) => ({ verb, actor: 'anna', at: at(second) });
    const acts = [act('redrive', 60), act('setPriority', 3), act('delete', 99)];
    const kinds = (steps: readonly Step[]) => steps.map((step) => (step.kind === 'acted' ? step.act.verb : step.kind));
    const steps = stepsOf({ ...job, failedAt: at(71) }, [ran(1, 5, 6, 'dead-lettered'), ran(1, 61, 70, 'dead-lettered')]);
    const all = ['created', 'waited', 'setPriority', 'ran', 'waited', 'redrive', 'ran', 'ended', 'delete'];
    expect(kinds(withActs(steps, acts))).toEqual(all);
    expect(kinds(withActs(stepsOf({ ...job, state: 'running' }, []), acts))).toEqual([
      'created',
      'setPriority',
      'redrive',
      'delete',
      'runs',
    ]);
    expect(kinds(withActs([], acts))).toEqual(['setPriority', 'redrive', 'delete']);
    expect(withActs(steps, [])).toEqual(steps);
  });

  it('stand in the order in which they began, and end as the job did', () => {
    const steps = stepsOf({ ...job, failedAt: at(9), reason: 'failed' }, [ran(2, 7, 8, 'dead-lettered'), ran(1, 1, 2, 'retried')]);
    expect(steps.flatMap((step) => (step.kind === 'ran' ? [step.attempt.attempt] : []))).toEqual([1, 2]);
    expect(steps.at(-1)).toEqual({ kind: 'ended', at: at(9), as: 'dead: failed' });
  });
});
