import type { Journal } from '../../../shared/ports/journal.ts';
import type { HandlerOptions } from '../../../functions/executor/configure-executor.ts';
import { createExecutor, type ExecutorHandler, type HandledJob } from '../../../functions/index.ts';
import { openLedger, startLine } from './ledger-file.ts';

/** Where the ledgers of this torture are. */
export const TORTURE_FOLDER: string = process.env['TORTURE_FOLDER'] ?? '.';

/** Options with which each run, and what the store answered, is written down in a ledger that outlives its process. */
export function ledgerOptions(): Required<Pick<HandlerOptions, 'log' | 'around'>> & { readonly journal: Journal } {
  const write = openLedger(TORTURE_FOLDER);
  const journal: Journal = {
    record: ({ event, job }) => {
      if (event === 'completed' && job) write({ what: event, id: job.id, at: Date.now() });
      if (event === 'lost-lease' || event === 'store-failed') write({ what: 'refused', id: job?.id ?? '', at: Date.now() });
    },
    gauge: () => {},
    flush: () => {},
  };
  return {
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
  };
}

/** An executor that keeps such a ledger. */
export function createExecutorWithLedger(handled: readonly HandledJob[]): ExecutorHandler {
  return createExecutor(handled, ledgerOptions());
}
