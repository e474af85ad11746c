import { isLate } from '../../../core/heartbeat.ts';
import { storedInstant } from '../../../core/instant.ts';
import { HEARTBEATS } from '../../../store/control-rows.ts';
import type { AdminDeps } from '../../../admin/admin-deps.ts';
import type { Heartbeat } from './statistics.ts';

const MOST = 100;

/** Who ticked when, of those that the deployment has: what an acquirer left that was taken away is late for ever. Late is who missed two ticks and a minute: three minutes where it ticks every minute. */
export async function readHeartbeats({ tables, clock, deployment }: AdminDeps): Promise<readonly Heartbeat[]> {
  const { rows } = await tables.query({ table: 'control', partition: HEARTBEATS, limit: MOST });
  const { acquirers, acquirerIntervalMs, sweeperIntervalMs } = deployment.settings;
  const there = rows.filter(({ sk }) => !(Number(/^acquirer\/(\d+)$/.exec(String(sk))?.[1]) >= acquirers));
  return there.map(({ pk: _pk, sk, at, expiresAt: _expiresAt, ...report }) => {
    const who = String(sk);
    const beatAt = storedInstant(at) ?? 0;
    const intervalMs = who === 'sweeper' ? sweeperIntervalMs : acquirerIntervalMs;
    return { who, at: new Date(beatAt), late: isLate(beatAt, intervalMs, clock.now()), report };
  });
}
