/** The entry of a container: runs the jobs of worker `gpu` until it is stopped. Its environment is that of the deployment. */
import { complete, runWorker } from '../../functions/index.ts';
import { trainModel } from './jobs.ts';

await runWorker(
  [
    trainModel.handle(async ({ payload, signal, log }) => {
      for (let epoch = 1; epoch <= payload.epochs; epoch++) {
        // Fires when the job is cancelled, when the machine must stop, and when its lease is lost: stop at the next good moment.
        signal.throwIfAborted();
        await new Promise((resolve) => setTimeout(resolve, 20));
        log.info('epoch', { epoch });
      }
      return complete({ result: { epochs: payload.epochs } });
    }),
  ],
  { concurrency: 1, drain: 'PT20S' },
);
process.exit(0);
