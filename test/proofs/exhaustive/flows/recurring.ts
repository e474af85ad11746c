import { defineSchedule, type OverlapPolicy, type ScheduleOptions } from '../../../../shared/features/schedules/model/definition.ts';
import { type WorkItem, JOB_TYPES } from '../../simulation/workload/work-item-jobs.ts';
import type { Flow, Stage } from '../flow.ts';
import { workItemOf } from '../scripted-world.ts';

const SECOND = 1_000;
const MINUTE = 60_000;

/** A schedule that was put before the observation starts, and that ends by itself. */
async function put(stage: Stage, workItem: Partial<WorkItem>, options: Omit<Partial<ScheduleOptions>, 'job' | 'payload'>): Promise<void> {
  stage.source.on = false;
  const definition = defineSchedule('recurring', { job: JOB_TYPES.usual, payload: workItemOf(workItem), ...options });
  await stage.asOperator((admin) => admin.schedules.put(definition));
}

/** Occurrences that come each minute until then, of which the first snoozes for three. */
function overlapping(name: string, overlap: OverlapPolicy, minutes: number): Flow {
  return {
    name,
    observed: ['executor'],
    async script(stage) {
      const snoozing = { kind: 'snoozing', times: 1, delayMs: 3 * MINUTE } as const;
      await put(stage, snoozing, { every: 'PT1M', until: stage.now + minutes * MINUTE, overlap });
      stage.observe();
    },
  };
}

/** Flows of recurring schedules: the acquirer fires an occurrence, and an executor skips one that must not run, lets it wait, or cancels the other. */
export const RECURRING: readonly Flow[] = [
  {
    name: 'fire-an-occurrence',
    observed: ['acquirer'],
    async script(stage) {
      await put(stage, {}, { every: 'PT1H', until: stage.now + 150 * MINUTE });
      await stage.pass(56 * MINUTE - SECOND);
      stage.observe();
    },
  },
  {
    name: 'fire-occurrences-ahead',
    observed: ['acquirer'],
    async script(stage) {
      await put(stage, {}, { every: 'PT1M', until: stage.now + 4 * MINUTE, missed: 'all' });
      stage.observe();
    },
  },
  overlapping('skip-an-occurrence', 'skip', 3),
  overlapping('let-one-occurrence-wait', 'buffer-one', 4),
  overlapping('cancel-the-other-occurrence', 'cancel-other', 3),
];
