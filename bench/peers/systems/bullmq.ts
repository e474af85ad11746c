import { Queue } from 'bullmq';
import { peerVersion } from '../package-versions.ts';
import { startRedis } from '../stores/redis.ts';
import { CONCURRENCY, JOB, payload, payloadBatches, type PeerSystem } from '../system.ts';

/** Kept in Redis, one Lua script to take a job and to finish it and take the next. */
export async function startBullmq(): Promise<PeerSystem> {
  const redis = await startRedis();
  const queue = new Queue(JOB, {
    connection: { host: '127.0.0.1', port: redis.port },
    // Its guide: keep finished jobs only if they are needed.
    defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
  });
  await queue.waitUntilReady();
  return {
    name: 'bullmq',
    about: `${peerVersion('bullmq')} on Redis ${redis.version} with appendonly yes, appendfsync everysec; concurrency ${CONCURRENCY}, removeOnComplete; addBulk`,
    storePids: [redis.pid],
    worker: { file: 'bullmq-worker.ts', environment: { PEER_PORT: String(redis.port) } },
    async enqueueMany(count) {
      for (const batch of payloadBatches(count)) await queue.addBulk(batch.map((data) => ({ name: JOB, data })));
    },
    enqueueOne: async () => void (await queue.add(JOB, payload(0))),
    isEmpty: async () => (await queue.getJobCountByTypes('wait', 'active')) === 0,
    async stop() {
      await queue.close();
      await redis.stop();
    },
  };
}
