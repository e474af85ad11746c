/** The executor under torture: its handlers do what their jobs are for, and its ledger outlives it. */
import type { Journal } from '../../shared/ports/journal.ts';
import { createExecutor, fail, snooze } from '../../shared/worker/index.ts';
import { blocking, failing, grouped, hopeless, mended, overlong, poison, quick, selfKilling, slow, snoozing } from './jobs.ts';
import { isMended, openLedger, startLine } from './ledger-file.ts';

const folder = process.env['TORTURE_FOLDER'] ?? '.';
const write = openLedger(folder);
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const killMyself = (): Promise<never> => {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => {});
};

const journal: Journal = {
  record: ({ event, job }) => {
    if ((event === 'completed' || event === 'lost-lease') && job) write({ what: event, id: job.id, at: Date.now() });
  },
  gauge: () => {},
  flush: () => {},
};

export const handler = createExecutor(
  [
    quick.handle(() => {}),
    slow.handle(({ payload }) => pause(payload.ms)),
    grouped.handle(({ payload }) => pause(payload.ms)),
    failing.handle(({ payload, job }) => {
      if (job.failures < payload.times) throw new Error('not yet');
    }),
    hopeless.handle(() => {
      throw new Error('never');
    }),
    mended.handle(({ job }) => (isMended(folder, job.id) ? undefined : fail('not mended'))),
    snoozing.handle(({ payload, job }) => (job.snoozes < payload.times ? snooze(payload.ms) : undefined)),
    overlong.handle(({ job }) => (job.attempt === 1 ? new Promise(() => {}) : undefined)),
    blocking.handle(({ job }) => {
      while (job.attempt === 1) Date.now();
    }),
    selfKilling.handle(({ job }) => (job.attempt === 1 ? killMyself() : undefined)),
    poison.handle(killMyself),
  ],
  {
    journal,
    log: () => ({ debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }),
    around: [
      async (job, next) => {
        write(startLine(job, Date.now()));
        try {
          return await next();
        } finally {
          write({ what: 'end', id: job.id, attempt: job.attempt, at: Date.now() });
        }
      },
    ],
  },
);
