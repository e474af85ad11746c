import { DYNAMO } from './aws-limits.ts';

/** Units are spent by writes or by reads; the two have limits of their own. */
export type UnitKind = 'writes' | 'reads';

/** Units a second that a table takes at first. */
export type StartThroughput = Readonly<Record<UnitKind, number>>;

/** A partition key and the most units it consumed within a second. */
export interface HotKey {
  readonly key: string;
  readonly unitsPerSecond: number;
}

const KEY_LIMIT: StartThroughput = { writes: DYNAMO.keyWrites, reads: DYNAMO.keyReads };
const MINUTE_MS = 60_000;

/** The throughput of one table: per key, and in total, which grows to twice a peak that is half an hour old. No splits for heat: a hot key stays at its limit. */
export class TableCapacity {
  readonly writes: UnitMeter;
  readonly reads: UnitMeter;

  constructor(start: StartThroughput = { writes: DYNAMO.freshWrites, reads: DYNAMO.freshReads }) {
    this.writes = new UnitMeter('writes', start.writes);
    this.reads = new UnitMeter('reads', start.reads);
  }
}

/** Counts units of one kind second by second, and refuses those above a limit. */
export class UnitMeter {
  /** Units that were consumed. */
  total = 0;
  /** Requests that were refused: because of one key, because of the whole table. */
  readonly throttled = { key: 0, table: 0 };
  hottest: HotKey = { key: '', unitsPerSecond: 0 };
  readonly #keyLimit: number;
  readonly #start: number;
  #second = Number.NaN;
  #spent = 0;
  #byKey = new Map<string, number>();
  #minute = Number.NaN;
  #ofMinute = 0;
  readonly #peaks: { readonly from: number; readonly perSecond: number }[] = [];

  constructor(kind: UnitKind, start: number) {
    this.#keyLimit = KEY_LIMIT[kind];
    this.#start = start;
  }

  /** Units a second that the table takes at this instant. */
  limit(now: number): number {
    let limit = this.#start;
    for (const { from, perSecond } of this.#peaks) if (from <= now) limit = Math.max(limit, 2 * perSecond);
    return limit;
  }

  /**
   * Consumes units of several keys, or of none: says which limit refuses them then. `loose` units belong to no key, as a scan's do. A
   * request that is larger than what is left of its second may be the first of it, as DynamoDB's buckets allow it.
   */
  take(byKey: ReadonlyMap<string, number>, now: number, loose = 0): 'key' | 'table' | undefined {
    this.#turn(now);
    let sum = loose;
    for (const [key, units] of byKey) {
      sum += units;
      const before = this.#byKey.get(key) ?? 0;
      if (before > 0 && before + units > this.#keyLimit) return this.#refuse('key');
    }
    if (this.#spent > 0 && this.#spent + sum > this.limit(now)) return this.#refuse('table');
    for (const [key, units] of byKey) this.#spend(key, (this.#byKey.get(key) ?? 0) + units);
    this.#add(sum);
    return undefined;
  }

  /** `take` for a request that is about one key. */
  takeOne(key: string, units: number, now: number): 'key' | 'table' | undefined {
    this.#turn(now);
    const before = this.#byKey.get(key) ?? 0;
    if (before > 0 && before + units > this.#keyLimit) return this.#refuse('key');
    if (this.#spent > 0 && this.#spent + units > this.limit(now)) return this.#refuse('table');
    this.#spend(key, before + units);
    this.#add(units);
    return undefined;
  }

  /** Whether `take` would be refused: for a transaction over several tables, which consumes everywhere or nowhere. */
  refuses(byKey: ReadonlyMap<string, number>, now: number): boolean {
    this.#turn(now);
    let sum = 0;
    for (const [key, units] of byKey) {
      sum += units;
      const before = this.#byKey.get(key) ?? 0;
      if (before > 0 && before + units > this.#keyLimit) return this.#refuse('key') !== undefined;
    }
    return this.#spent > 0 && this.#spent + sum > this.limit(now) && this.#refuse('table') !== undefined;
  }

  #spend(key: string, unitsPerSecond: number): void {
    this.#byKey.set(key, unitsPerSecond);
    if (unitsPerSecond > this.hottest.unitsPerSecond) this.hottest = { key, unitsPerSecond };
  }

  #add(units: number): void {
    this.#spent += units;
    this.#ofMinute += units;
    this.total += units;
  }

  #refuse(by: 'key' | 'table'): 'key' | 'table' {
    this.throttled[by]++;
    return by;
  }

  #turn(now: number): void {
    const second = Math.floor(now / 1000);
    if (second === this.#second) return;
    this.#second = second;
    this.#spent = 0;
    this.#byKey.clear();
    const minute = Math.floor(now / MINUTE_MS);
    if (minute === this.#minute) return;
    const perSecond = this.#ofMinute / 60;
    // A peak that is no higher than one before it grants nothing.
    if (perSecond * 2 > this.#start && perSecond > (this.#peaks.at(-1)?.perSecond ?? 0)) {
      this.#peaks.push({ from: (this.#minute + 1) * MINUTE_MS + DYNAMO.doublesAfterMs, perSecond });
    }
    this.#minute = minute;
    this.#ofMinute = 0;
  }
}
