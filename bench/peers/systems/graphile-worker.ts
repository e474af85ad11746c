import { makeWorkerUtils } from 'graphile-worker';
import { Pool } from 'pg';
import { peerVersion } from '../package-versions.ts';
import { startPostgres } from '../stores/postgres.ts';
import { CONCURRENCY, JOB, payload, payloadBatches, type PeerSystem } from '../system.ts';

const LEFT = 'SELECT 1 FROM graphile_worker._private_jobs LIMIT 1';

/** Kept in PostgreSQL, woken by LISTEN/NOTIFY, finished jobs deleted. */
export async function startGraphileWorker(): Promise<PeerSystem> {
  const postgres = await startPostgres();
  const pool = new Pool({ connectionString: postgres.url });
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const utils = await makeWorkerUtils({ pgPool: pool });
  await utils.migrate();
  return {
    name: 'graphile-worker',
    about: `${peerVersion('graphile-worker')} on PostgreSQL ${postgres.version}, nothing tuned; concurrentJobs ${CONCURRENCY}, a local queue of 500 and completions in batches, as its performance page recommends; addJobs`,
    storePids: [postgres.pid],
    worker: { file: 'graphile-worker-worker.ts', environment: { PEER_URL: postgres.url } },
    async enqueueMany(count) {
      for (const batch of payloadBatches(count)) await utils.addJobs(batch.map((one) => ({ identifier: JOB, payload: one })));
    },
    enqueueOne: async () => void (await utils.addJob(JOB, payload(0))),
    isEmpty: async () => (await pool.query(LEFT)).rows.length === 0,
    async stop() {
      await utils.release();
      await pool.end();
      await postgres.stop();
    },
  };
}
