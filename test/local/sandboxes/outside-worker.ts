/** A worker outside Lambda in a process of its own; each start of a handler is a line on its standard output. */
import { silentJournal } from '../../../shared/adapters/observability/silent-journal.ts';
import { runWorker } from '../../../functions/index.ts';
import { brief, endless } from './outside-jobs.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

await runWorker(
  [
    brief.handle(({ payload, job }) => {
      say(`brief ${job.attempt}`);
      return new Promise((resolve) => setTimeout(resolve, payload.ms));
    }),
    endless.handle(({ job, signal }) => {
      say(`endless ${job.attempt}`);
      if (job.attempt > 1) return undefined;
      // A timer keeps the process alive, as work would.
      const work = setInterval(() => {}, 1_000);
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          clearInterval(work);
          reject(signal.reason as Error);
        });
      });
    }),
  ],
  { concurrency: 2, drain: 'PT4S', journal: silentJournal, log: () => silent },
);
say('ended');
