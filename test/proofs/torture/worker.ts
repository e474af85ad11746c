/** The executor under torture: its handlers do what their jobs are for. */
import { fail, snooze } from '../../../functions/index.ts';
import { createExecutorWithLedger, TORTURE_FOLDER } from './executor-with-ledger.ts';
import { blocking, failing, grouped, hopeless, repaired, overlong, poison, quick, selfKilling, slow, snoozing } from './jobs.ts';
import { isMended } from './ledger-file.ts';

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const killMyself = (): Promise<never> => {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => {});
};

export const handler = createExecutorWithLedger([
  quick.handle(() => {}),
  slow.handle(({ payload }) => pause(payload.ms)),
  grouped.handle(({ payload }) => pause(payload.ms)),
  failing.handle(({ payload, job }) => {
    if (job.failures < payload.times) throw new Error('not yet');
  }),
  hopeless.handle(() => {
    throw new Error('never');
  }),
  repaired.handle(({ job }) => (isMended(TORTURE_FOLDER, job.id) ? undefined : fail('not repaired'))),
  snoozing.handle(({ payload, job }) => (job.snoozes < payload.times ? snooze(payload.ms) : undefined)),
  overlong.handle(({ job }) => (job.attempt === 1 ? new Promise(() => {}) : undefined)),
  blocking.handle(({ job }) => {
    while (job.attempt === 1) Date.now();
  }),
  selfKilling.handle(({ job }) => (job.attempt === 1 ? killMyself() : undefined)),
  poison.handle(killMyself),
]);
