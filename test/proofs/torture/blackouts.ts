import { systemClock } from '../../../shared/adapters/system.ts';
import type { Entropy } from '../../../shared/ports/entropy.ts';
import { readLedger } from './ledger-file.ts';
import type { Machines } from './machines.ts';

/** What blackouts work with. */
export interface BlackoutsOptions {
  readonly machines: Machines;
  readonly folder: string;
  readonly entropy: Entropy;
  /** Mean time between two blows. */
  readonly everyMs: number;
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
}

/** `kill`: kill -9. `stop`: SIGTERM. `freeze`: for less than the lease. `zombie`: past the lease, so that it thaws into somebody else's. */
type Blow = 'kill' | 'stop' | 'freeze' | 'zombie';

/** Blows to machines that fall, or fell. */
export interface Blackouts {
  readonly blows: Record<Blow, number>;
  /** Processes that were frozen past their lease. */
  readonly zombies: ReadonlySet<number>;
  /** Resolves when the signal fired and everything frozen goes on or is dead. */
  readonly done: Promise<void>;
}

const BLOWS: readonly Blow[] = ['kill', 'kill', 'kill', 'stop', 'freeze', 'freeze', 'zombie'];
/** The local lease is 15 s, and a renewal may be 5 s old. */
const FREEZE_MOST_MS = 4_000;
const ZOMBIE_MS = 17_000;
/** What a zombie is left to do its harm in, before it is killed. */
const AWAKE_MS = 8_000;

/** Strikes machines at random until the signal fires. */
export function startBlackouts(options: BlackoutsOptions): Blackouts {
  const { machines, folder, entropy, everyMs, signal, log } = options;
  const blows: Record<Blow, number> = { kill: 0, stop: 0, freeze: 0, zombie: 0 };
  const zombies = new Set<number>();
  const frozen = new Set<number>();
  /** A second lost lease of one job might be its last: only jobs that crash by themselves may end as a crash loop. */
  const struck = new Set<string>();
  const thaws = new Set<Promise<void>>();
  const hit = async (blow: Blow, pid: number): Promise<void> => {
    if (blow === 'kill' || blow === 'stop') return machines.signal(pid, blow === 'kill' ? 'SIGKILL' : 'SIGTERM');
    frozen.add(pid);
    machines.signal(pid, 'SIGSTOP');
    await systemClock.wait(blow === 'freeze' ? entropy.random() * FREEZE_MOST_MS : ZOMBIE_MS);
    machines.signal(pid, 'SIGCONT');
    if (blow === 'zombie') {
      await systemClock.wait(AWAKE_MS);
      machines.signal(pid, 'SIGKILL');
    }
    frozen.delete(pid);
  };
  const strike = (): void => {
    const fits = machines.pids.filter((pid) => !frozen.has(pid) && !zombies.has(pid));
    const pid = fits[Math.floor(entropy.random() * fits.length)];
    const blow = BLOWS[Math.floor(entropy.random() * BLOWS.length)] ?? 'kill';
    if (pid === undefined) return;
    const open = openRuns(folder, pid);
    const costsLease = blow === 'kill' || blow === 'zombie';
    if (costsLease && (open.length === 0 || open.some((id) => struck.has(id)))) return;
    if (costsLease) for (const id of open) struck.add(id);
    if (blow === 'zombie') zombies.add(pid);
    blows[blow] += 1;
    log(`blackout: ${blow} machine ${pid} in ${open.join(' ')}`);
    const thaw: Promise<void> = hit(blow, pid).finally(() => thaws.delete(thaw));
    thaws.add(thaw);
  };
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      await systemClock.wait(entropy.random() * 2 * everyMs, signal);
      if (!signal.aborted) strike();
    }
    await Promise.all(thaws);
  };
  return { blows, zombies, done: run() };
}

function openRuns(folder: string, pid: number): readonly string[] {
  const open = new Set<string>();
  for (const line of readLedger(folder, pid)) {
    if (line.what === 'start') open.add(line.id);
    else open.delete(line.id);
  }
  return [...open];
}
