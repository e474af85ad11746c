import { Logger, run } from 'graphile-worker';
import { Pool } from 'pg';
import { CONCURRENCY, JOB } from '../system.ts';
import { noop, workOnCommand } from './work-on-command.ts';

const SPARE_CONNECTIONS = 2;
const pgPool = new Pool({ connectionString: process.env['PEER_URL'], max: CONCURRENCY + SPARE_CONNECTIONS });
const tell = (error: Error): void => void process.stderr.write(`${error.stack}\n`);
pgPool.on('error', tell);
pgPool.on('connect', (client) => client.on('error', tell));
const quiet = new Logger(() => () => {});

workOnCommand(async () => {
  const runner = await run({
    pgPool,
    logger: quiet,
    noHandleSignals: true,
    taskList: { [JOB]: async () => noop() },
    preset: {
      worker: {
        concurrentJobs: CONCURRENCY,
        localQueue: { size: 500 },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      },
    },
  });
  return () => runner.stop();
});
