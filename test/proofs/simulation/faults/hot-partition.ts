import { shardsOf } from '../../../../shared/job/job-id.ts';
import { TABLE_SPECS } from '../../../../shared/ports/table-spec.ts';
import type { StoreRequest } from '../world/sim-tables.ts';
import type { Wide } from './wide-faults.ts';

/** Chance that the partition that a request is for becomes the hot one. */
const HEATS_UP = 0.003;
/** What passes while a partition is hot. */
const PASSES = 0.15;
const MOST_MS = 5 * 60_000;
const STUCK_MS = 2 * 60 * 60_000;

/** One partition of one table at a time takes hardly any request, while all others take theirs. */
export class HotPartition {
  readonly #wide: Wide;
  readonly #now: () => number;
  /** Takes nothing until then, also when everything else works again. */
  #stuck: { readonly partition: string; readonly until: number } | undefined;
  #hot: { readonly partition: string; readonly until: number } | undefined;

  constructor(wide: Wide, now: () => number) {
    this.#wide = wide;
    this.#now = now;
  }

  /** Whether the request is throttled: one of a transaction's partitions is enough. */
  throttles(request: StoreRequest): boolean {
    const partitions = partitionsOf(request);
    if (this.#stuck !== undefined && this.#now() < this.#stuck.until && partitions.includes(this.#stuck.partition)) return true;
    if (!this.#wide.has('hot-partition')) return false;
    if (this.#hot === undefined || this.#hot.until <= this.#now()) this.#heatUp(partitions);
    return this.#hot !== undefined && partitions.includes(this.#hot.partition) && this.#wide.strikes('hot-partition', 1 - PASSES);
  }

  /** One shard of the timers takes nothing for a while: all others must do without it. */
  stick(): void {
    if (!this.#wide.on.includes('hot-partition')) return;
    const shards = shardsOf(1, 0);
    const shard = shards[Math.floor(this.#wide.entropy.random() * shards.length)];
    this.#stuck = { partition: `timers ${shard}`, until: this.#now() + STUCK_MS };
  }

  #heatUp(partitions: readonly string[]): void {
    this.#hot = undefined;
    const { entropy } = this.#wide;
    const partition = partitions[Math.floor(entropy.random() * partitions.length)];
    if (partition !== undefined && entropy.random() < HEATS_UP)
      this.#hot = { partition, until: this.#now() + entropy.random() ** 2 * MOST_MS };
  }
}

function partitionsOf({ writes, reads }: StoreRequest): readonly string[] {
  const written = writes.map(
    (write) => `${write.table} ${(write.op === 'put' ? write.row : write.key)[TABLE_SPECS[write.table].partition]}`,
  );
  const read = reads?.partition === undefined ? [] : [`${reads.table} ${reads.partition}`];
  return [...written, ...read];
}
