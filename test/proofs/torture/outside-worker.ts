/** A worker outside Lambda under torture, in a process of its own. */
import { runWorker } from '../../../functions/index.ts';
import { ledgerOptions } from './executor-with-ledger.ts';
import { groupedOutside, outside } from './jobs.ts';

/** Ends early when its signal fires, as a handler should. */
const work = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(end);
      reject(signal.reason as Error);
    });
  });

await runWorker(
  [
    outside.handle(({ payload, signal }) => work(payload.ms, signal)),
    groupedOutside.handle(({ payload, signal }) => work(payload.ms, signal)),
  ],
  { ...ledgerOptions(), concurrency: 4, drain: 'PT3S' },
);
