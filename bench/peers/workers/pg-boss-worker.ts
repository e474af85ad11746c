import { PgBoss } from 'pg-boss';
import { CONCURRENCY, JOB } from '../system.ts';
import { noop, workOnCommand } from './work-on-command.ts';

// Without it a worker polls at its default interval, every two seconds.
const useListenNotify = process.env['PEER_WAKE'] === 'notify';
const boss = new PgBoss({ connectionString: process.env['PEER_URL'] ?? '', useListenNotify });
boss.on('error', (error) => process.stderr.write(`${error.stack}\n`));
await boss.start();

workOnCommand(async () => {
  const options = { batchSize: CONCURRENCY, burstWhenBatchFull: true };
  await boss.work(JOB, options, async (jobs) => {
    for (const _ of jobs) noop();
  });
  return () => boss.offWork(JOB, { wait: true });
});
