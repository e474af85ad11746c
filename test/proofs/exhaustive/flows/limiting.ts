import type { Flow, Stage } from '../flow.ts';

const SECOND = 1_000;
const MINUTE = 60_000;

/** Three jobs under a limit of two: one of them parks. */
async function three(stage: Stage, workMs: number): Promise<void> {
  stage.source.on = false;
  for (let job = 0; job < 3; job++) await stage.enqueue('limited', { workMs });
}

/** Flows of limits in executors and acquirers. */
export const LIMITING: readonly Flow[] = [
  {
    name: 'park-and-hand-over',
    observed: ['executor'],
    batch: 1,
    async script(stage) {
      await three(stage, SECOND);
      stage.observe();
    },
  },
  {
    name: 'release-after-a-crash',
    observed: ['acquirer'],
    async script(stage) {
      await three(stage, 20 * SECOND);
      stage.source.on = true;
      stage.source.wake();
      await stage.until(() => stage.count('parked') > 0 && stage.count('running') === 2);
      stage.source.on = false;
      for (const process of stage.sandboxes.processes) process.kill();
      // The holders are gone for good, so their slots are not handed over.
      await stage.pass(5 * MINUTE);
      stage.observe();
      void stage.acquire();
      await stage.until(() => stage.count('parked') === 0, 2 * MINUTE);
    },
  },
  {
    name: 'hand-over-of-the-only-slot',
    observed: ['executor'],
    batch: 1,
    async script(stage) {
      stage.source.on = false;
      for (let job = 0; job < 2; job++) await stage.enqueue('limited', { workMs: 20 * SECOND, limitKey: 'k' });
      stage.source.on = true;
      stage.source.wake();
      await stage.until(() => stage.count('parked') > 0 && stage.count('running') === 1);
      stage.observe();
    },
  },
  {
    name: 'book-a-start',
    observed: ['executor'],
    batch: 1,
    race: true,
    async script(stage) {
      stage.source.on = false;
      for (let job = 0; job < 2; job++) await stage.enqueue('rated', { limitKey: 'k' });
      stage.observe();
    },
  },
];
