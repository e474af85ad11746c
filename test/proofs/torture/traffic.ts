import { TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import type { Region } from '../../../local/region.ts';
import { systemClock } from '../../../shared/adapters/system.ts';
import { StoreUnavailableError } from '../../../shared/job/errors.ts';
import { createJobClient, type EnqueueOptions } from '../../../shared/index.ts';
import { silentJournal } from '../../../shared/adapters/observability/silent-journal.ts';
import type { Entropy } from '../../../shared/ports/entropy.ts';
import type { AcceptedJob, JobEnding } from './audit.ts';
import {
  blocking,
  failing,
  grouped,
  groupedElsewhere,
  groupedOutside,
  hopeless,
  repaired,
  outside,
  overlong,
  overlongInGroup,
  poison,
  quick,
  selfKilling,
  slow,
  snoozing,
} from './jobs.ts';

/** What the traffic is made with. */
export interface TrafficOptions {
  readonly region: Region;
  readonly entropy: Entropy;
  /** Calls for jobs per second. */
  readonly rate: number;
  readonly signal: AbortSignal;
}

/** Traffic that runs, and what it was promised. */
export interface Traffic {
  readonly accepted: ReadonlyMap<string, AcceptedJob>;
  /** Calls that threw: whether they were accepted is unknown. */
  readonly refused: number;
  /** Keys that were taken. */
  readonly duplicates: number;
  /** Resolves when the signal fired and every call was answered; rejects when one was answered with anything but an outage. */
  readonly done: Promise<void>;
}

type Jobs = ReturnType<typeof createJobClient>;

/** Within the delay horizon of the local settings, and beyond it. */
const [SOON_MS, LATER_MS] = [1_500, 3_000];
const GROUPS = 10;
const KEYS = 40;

/** Calls for jobs of every kind until the signal fires. */
export function startTraffic({ region, entropy, rate, signal }: TrafficOptions): Traffic {
  const order = new Order(region, entropy);
  const calls = new Set<Promise<void>>();
  const failures: unknown[] = [];
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      const call: Promise<void> = order
        .place()
        .catch((error: unknown) => {
          // A store that did not answer says nothing of the job; anything else is a defect.
          if (!(error instanceof StoreUnavailableError)) failures.push(error);
          order.refused += 1;
        })
        .finally(() => calls.delete(call));
      calls.add(call);
      await systemClock.wait((entropy.random() * 2_000) / rate, signal);
    }
    await Promise.all(calls);
    if (failures.length > 0) throw new AggregateError(failures, 'Calls for jobs failed.');
  };
  const done = run();
  return {
    accepted: order.accepted,
    get refused() {
      return order.refused;
    },
    get duplicates() {
      return order.duplicates;
    },
    done,
  };
}

class Order {
  readonly accepted = new Map<string, AcceptedJob>();
  refused = 0;
  duplicates = 0;
  readonly #region: Region;
  readonly #entropy: Entropy;
  readonly #jobs: Jobs;
  readonly #kinds: readonly (readonly [share: number, place: () => Promise<unknown>])[];
  #placed = 0;

  constructor(region: Region, entropy: Entropy) {
    this.#region = region;
    this.#entropy = entropy;
    this.#jobs = createJobClient({ environment: region.environment, journal: silentJournal });
    const short = (): EnqueueOptions => ({ delay: this.#upTo(SOON_MS) });
    const long = (): EnqueueOptions => ({ delay: LATER_MS + this.#upTo(6_000) });
    const runMs = (): number => this.#upTo(1_500);
    const group = (): string => `group ${this.#upTo(GROUPS)}`;
    const one =
      (kind: string, enqueue: () => ReturnType<Jobs['enqueue']>, end: JobEnding = 'completed') =>
      async (): Promise<unknown> =>
        this.#accept(kind, await enqueue(), end);
    this.#kinds = [
      [26, one('plain', () => this.#jobs.enqueue(quick, {}))],
      [12, one('slow', () => this.#jobs.enqueue(slow, { ms: runMs() }))],
      [12, one('grouped', () => this.#jobs.enqueue(grouped, { group: group(), ms: this.#upTo(800) }))],
      [9, one('grouped elsewhere', () => this.#jobs.enqueue(groupedElsewhere, { group: group(), ms: this.#upTo(800) }))],
      [3, one('outside', () => this.#jobs.enqueue(outside, { ms: this.#upTo(12_000) }))],
      [4, one('grouped outside', () => this.#jobs.enqueue(groupedOutside, { group: group(), ms: this.#upTo(800) }))],
      [3, one('grouped timer', () => this.#jobs.enqueue(grouped, { group: group(), ms: this.#upTo(800) }, long()))],
      [6, one('keyed', () => this.#jobs.enqueue(quick, {}, { key: `key ${this.#upTo(KEYS)}`, ...short() }))],
      [6, one('delayed', () => this.#jobs.enqueue(quick, {}, short()))],
      [8, one('timer', () => this.#jobs.enqueue(quick, {}, long()))],
      [5, one('failing', () => this.#jobs.enqueue(failing, { times: 1 + this.#upTo(2) }))],
      [2, one('hopeless', () => this.#jobs.enqueue(hopeless, {}), 'dead: retries-exhausted')],
      [2, one('repaired', () => this.#jobs.enqueue(repaired, {}))],
      [4, one('snoozing', () => this.#jobs.enqueue(snoozing, { times: 2, ms: 1_000 + this.#upTo(3_000) }))],
      [1.5, one('time-limit-passing', () => this.#jobs.enqueue(overlong, {}))],
      [1.5, () => this.#overlongInGroup()],
      [0.6, one('blocking', () => this.#jobs.enqueue(blocking, {}))],
      [0.8, one('self-killing', () => this.#jobs.enqueue(selfKilling, {}))],
      [3, () => this.#cancelled()],
      [3, () => this.#rescheduled(long)],
      [2, () => this.#undispatched()],
      [1, () => this.#many()],
    ];
  }

  /** Some poison at first, because a crash loop takes a minute; then what chance says. */
  async place(): Promise<void> {
    this.#placed += 1;
    if (this.#placed % 20 === 1 && this.#placed <= 60) {
      this.#accept('poison', await this.#jobs.enqueue(poison, {}), 'dead: crash-loop');
      return;
    }
    let at = this.#entropy.random() * this.#kinds.reduce((sum, [share]) => sum + share, 0);
    const [, place] = this.#kinds.find(([share]) => (at -= share) < 0) ?? [];
    await place?.();
  }

  #upTo(most: number): number {
    return Math.floor(this.#entropy.random() * most);
  }

  #accept(kind: string, { id, duplicate }: { readonly id: string; readonly duplicate: boolean }, ...ends: readonly JobEnding[]): string {
    if (duplicate) this.duplicates += 1;
    else this.accepted.set(id, { kind, ends });
    return id;
  }

  /** One that waits, is ready, or runs already, as chance has it. */
  async #cancelled(): Promise<void> {
    const options = this.#entropy.random() < 0.4 ? { delay: LATER_MS } : {};
    const id = this.#accept('cancelled', await this.#jobs.enqueue(slow, { ms: 2_000 }, options), 'completed', 'cancelled');
    await systemClock.wait(this.#upTo(1_500));
    const outcome = await this.#jobs.cancel(id);
    if (outcome === 'cancelled' || outcome === 'cancel-requested') this.accepted.set(id, { kind: 'cancelled', ends: ['cancelled'] });
    else if (outcome === 'finished') this.accepted.set(id, { kind: 'cancelled', ends: ['completed'] });
  }

  /** In a group of its own, with a job of another worker that must wait for its end: a failed FIFO batch holds its groups up for 44 s. */
  async #overlongInGroup(): Promise<void> {
    const alone = `overlong group ${this.#placed}`;
    this.#accept('time-limit-passing in group', await this.#jobs.enqueue(overlongInGroup, { group: alone, ms: 0 }), 'completed');
    await systemClock.wait(1_000);
    this.#accept('grouped', await this.#jobs.enqueue(grouped, { group: alone, ms: this.#upTo(800) }), 'completed');
  }

  async #rescheduled(later: () => EnqueueOptions): Promise<void> {
    const id = this.#accept('rescheduled', await this.#jobs.enqueue(quick, {}, later()), 'completed');
    await systemClock.wait(this.#upTo(3_000));
    await this.#jobs.reschedule(id, { delay: this.#upTo(2 * LATER_MS) });
  }

  /** Committed by the caller, who dies before the dispatch. */
  async #undispatched(): Promise<void> {
    const { id, items } = this.#jobs.prepare(quick, {});
    await this.#region.dynamo.send(new TransactWriteItemsCommand({ TransactItems: items }));
    this.#accept('undispatched', { id, duplicate: false }, 'completed');
  }

  async #many(): Promise<void> {
    const payloads = Array.from({ length: 15 }, () => ({}));
    const { ids } = await this.#jobs.enqueueMany(quick, payloads);
    for (const id of ids) if (id !== undefined) this.#accept('one of many', { id, duplicate: false }, 'completed');
  }
}
