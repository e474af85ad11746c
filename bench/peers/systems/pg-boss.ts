import { Pool } from 'pg';
import { PgBoss } from 'pg-boss';
import { peerVersion } from '../package-versions.ts';
import { startPostgres } from '../stores/postgres.ts';
import { CONCURRENCY, JOB, payload, payloadBatches, type PeerSystem, type WorkerEntry } from '../system.ts';

const LEFT = `SELECT 1 FROM pgboss.job WHERE name = '${JOB}' AND state < 'completed' LIMIT 1`;

/** A system whose workers can also poll. */
export interface PolledSystem extends PeerSystem {
  readonly pollingWorker: WorkerEntry;
  readonly pollingMs: number;
}

const DEFAULT_POLLING_MS = 2_000;

/** Kept in PostgreSQL, including finished jobs, for its retention period. */
export async function startPgBoss(): Promise<PolledSystem> {
  const postgres = await startPostgres();
  const pool = new Pool({ connectionString: postgres.url });
  pool.on('error', () => {});
  const boss = new PgBoss({ connectionString: postgres.url, supervise: false, schedule: false });
  boss.on('error', () => {});
  await boss.start();
  await boss.createQueue(JOB, { notify: true });
  return {
    name: 'pg-boss',
    about: `${peerVersion('pg-boss')} on PostgreSQL ${postgres.version}, nothing tuned; batchSize ${CONCURRENCY}, burstWhenBatchFull, LISTEN/NOTIFY; insert`,
    storePids: [postgres.pid],
    worker: { file: 'pg-boss-worker.ts', environment: { PEER_URL: postgres.url, PEER_WAKE: 'notify' } },
    pollingWorker: { file: 'pg-boss-worker.ts', environment: { PEER_URL: postgres.url } },
    pollingMs: DEFAULT_POLLING_MS,
    async enqueueMany(count) {
      for (const batch of payloadBatches(count))
        await boss.insert(
          JOB,
          batch.map((data) => ({ data })),
        );
    },
    enqueueOne: async () => void (await boss.send(JOB, payload(0))),
    isEmpty: async () => (await pool.query(LEFT)).rows.length === 0,
    async stop() {
      await boss.stop({ graceful: false });
      await pool.end();
      await postgres.stop();
    },
  };
}
