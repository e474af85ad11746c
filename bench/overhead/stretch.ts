import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The cost per job of a measured piece of work. */
export type PerJob = Readonly<Record<'wall' | 'cpu', number>>;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Microseconds per job, by the clock and of this process' CPU (all its threads), from an empty nursery on: no side pays for the other's garbage. */
export async function perJob(jobs: number, work: () => Promise<void>): Promise<PerJob> {
  collect();
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  await work();
  const wallMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { wall: (wallMs * 1000) / jobs, cpu: (user + system) / jobs };
}
