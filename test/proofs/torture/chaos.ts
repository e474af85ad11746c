import type { Region } from '../../../local/region.ts';
import type { SandboxView } from '../../../local/sandbox-process.ts';
import { systemClock } from '../../../shared/adapters/system.ts';
import type { Entropy } from '../../../shared/ports/entropy.ts';
import { readLedger } from './ledger-file.ts';

/** What chaos works with. */
export interface ChaosOptions {
  readonly region: Region;
  readonly folder: string;
  readonly entropy: Entropy;
  /** Mean time between two blows. */
  readonly everyMs: number;
  readonly signal: AbortSignal;
  /** Told each blow. */
  readonly log: (line: string) => void;
}

/** How often each blow fell. */
export type Blows = Record<Blow, number>;

/** Chaos that runs, or ran. */
export interface Chaos {
  readonly blows: Blows;
  /** Executors that were left alone because a job in them had its share. */
  readonly spared: number;
  /** Processes whose kill was put off past the lease. */
  readonly zombies: ReadonlySet<number>;
  /** Resolves when the signal fired and everything frozen goes on or is dead. */
  readonly done: Promise<void>;
}

/**
 * `kill`: at once. `freeze`: shorter than the deadline, then it goes on. `freezeToDeadline`: until the kill at the deadline.
 * `zombie`: past the lease, because its kill is put off; then it goes on and tries to record what nobody waits for any more. `zombieTick`: the same to an acquirer or sweeper.
 */
type Blow = 'kill' | 'killIdle' | 'freeze' | 'freezeToDeadline' | 'zombie' | 'zombieTick' | 'restartAcquirer' | 'restartSweeper';

const SHARES: readonly (readonly [Blow, number])[] = [
  ['kill', 32],
  ['killIdle', 5],
  ['freeze', 22],
  ['freezeToDeadline', 8],
  ['zombie', 22],
  ['zombieTick', 3],
  ['restartAcquirer', 9],
  ['restartSweeper', 9],
];
/** A zombie sleeps at least this long: the lease lasts 14 s from the start of its invocation. Others need time to do its work. */
const ZOMBIE_LEAST_MS = 16_000;
const ZOMBIE_MORE_MS = 20_000;
/** What it is left to do its harm in. */
const ZOMBIE_AWAKE_MS = 10_000;

/** Strikes sandboxes at random until the signal fires. */
export function startChaos(options: ChaosOptions): Chaos {
  const blows: Blows = {
    kill: 0,
    killIdle: 0,
    freeze: 0,
    freezeToDeadline: 0,
    zombie: 0,
    zombieTick: 0,
    restartAcquirer: 0,
    restartSweeper: 0,
  };
  const striker = new Striker(options);
  const thaws = new Set<Promise<void>>();
  const run = async (): Promise<void> => {
    const { entropy, everyMs, signal } = options;
    while (!signal.aborted) {
      await systemClock.wait(entropy.random() * 2 * everyMs, signal);
      const blow = draw(entropy);
      const struck = signal.aborted ? undefined : striker.strike(blow);
      if (struck === undefined) continue;
      blows[blow] += 1;
      const thaw: Promise<void> = struck.thawed.finally(() => thaws.delete(thaw));
      thaws.add(thaw);
    }
    await Promise.all(thaws);
  };
  return {
    blows,
    get spared() {
      return striker.spared;
    },
    zombies: striker.zombies,
    done: run(),
  };
}

function draw(entropy: Entropy): Blow {
  let at = entropy.random() * SHARES.reduce((sum, [, share]) => sum + share, 0);
  return SHARES.find(([, share]) => (at -= share) < 0)?.[0] ?? 'kill';
}

const isExecutor = (functionName: string): boolean => functionName.startsWith('executor');

class Striker {
  readonly zombies = new Set<number>();
  spared = 0;
  readonly #options: ChaosOptions;
  /** Jobs whose lease ran out because of a blow. Each has one such crash, far from the limit, so only poison may end as a crash loop. */
  readonly #struck = new Set<string>();

  constructor(options: ChaosOptions) {
    this.#options = options;
  }

  /** Strikes a sandbox that fits; undefined when there is none. */
  strike(blow: Blow): { readonly thawed: Promise<void> } | undefined {
    const sandbox = this.#pick(blow);
    if (sandbox === undefined || (blow !== 'freeze' && !this.#maySuffer(sandbox))) return undefined;
    this.#options.log(`chaos: ${blow} ${sandbox.functionName} ${sandbox.pid} in ${this.#openRuns(sandbox.pid).join(' ')}`);
    return { thawed: this.#hit(blow, sandbox) };
  }

  #pick(blow: Blow): SandboxView | undefined {
    const fits = this.#options.region.sandboxes.filter((sandbox) => !this.zombies.has(sandbox.pid) && this.#fits(blow, sandbox));
    return fits[Math.floor(this.#options.entropy.random() * fits.length)];
  }

  #fits(blow: Blow, { functionName, busy, pid }: SandboxView): boolean {
    if (blow === 'restartAcquirer') return functionName === 'acquirer';
    if (blow === 'restartSweeper') return functionName === 'sweeper';
    if (blow === 'killIdle') return !busy;
    if (blow === 'zombieTick') return busy && !isExecutor(functionName);
    // Only a handler that goes on when it thaws can do harm.
    return busy && (blow !== 'zombie' || this.#openRuns(pid).length > 0);
  }

  async #hit(blow: Blow, sandbox: SandboxView): Promise<void> {
    const { entropy } = this.#options;
    if (blow === 'freeze') {
      sandbox.signal('SIGSTOP');
      await systemClock.wait(500 + entropy.random() * 5_000);
      sandbox.signal('SIGCONT');
    } else if (blow === 'zombie' || blow === 'zombieTick') {
      this.zombies.add(sandbox.pid);
      const sleepMs = ZOMBIE_LEAST_MS + entropy.random() * ZOMBIE_MORE_MS;
      sandbox.putOffKill(systemClock.now() + sleepMs + ZOMBIE_AWAKE_MS);
      sandbox.signal('SIGSTOP');
      await systemClock.wait(sleepMs);
      sandbox.signal('SIGCONT');
    } else {
      sandbox.signal(blow === 'freezeToDeadline' ? 'SIGSTOP' : 'SIGKILL');
    }
  }

  #maySuffer({ functionName, pid }: SandboxView): boolean {
    if (!isExecutor(functionName)) return true;
    const open = this.#openRuns(pid);
    const may = open.every((id) => !this.#struck.has(id));
    if (may) for (const id of open) this.#struck.add(id);
    else this.spared += 1;
    return may;
  }

  #openRuns(pid: number): readonly string[] {
    const open = new Map<string, string>();
    for (const line of readLedger(this.#options.folder, pid)) {
      if (line.what === 'start') open.set(line.id, line.type);
      else open.delete(line.id);
    }
    return [...open].flatMap(([id, type]) => (type === 'poison' ? [] : [id]));
  }
}
