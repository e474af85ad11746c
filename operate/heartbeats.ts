import { isLate } from '../shared/job/late-tick.ts';
import { storedInstant } from '../shared/job/instant.ts';
import { HEARTBEATS } from '../shared/store/control-rows.ts';
import type { AdminDeps } from './admin-deps.ts';

/** When the acquirers and the sweeper last ended a run, and what they reported. */
export interface Heartbeat {
  readonly who: string;
  readonly at: Date;
  /** Overdue: it was not ticked, or it fails. */
  readonly late: boolean;
  readonly report: Readonly<Record<string, string | number | boolean>>;
}

/** Whether the deployment's functions are ticked. */
export interface HeartbeatVerbs {
  /** Of the sweeper and of the acquirers that the deployment has. */
  heartbeats(): Promise<readonly Heartbeat[]>;
}

const MOST = 100;

/** Heartbeats of the deployment's functions, without those of removed acquirers. A function is late if it missed two ticks and a minute: three minutes if it ticks every minute. */
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
