import { Worker } from 'bullmq';
import { CONCURRENCY, JOB } from '../system.ts';
import { noop, workOnCommand } from './work-on-command.ts';

const connection = { host: '127.0.0.1', port: Number(process.env['PEER_PORT']) };

workOnCommand(async () => {
  const worker = new Worker(JOB, async () => noop(), { connection, concurrency: CONCURRENCY, autorun: false });
  await worker.waitUntilReady();
  void worker.run();
  return () => worker.close();
});
