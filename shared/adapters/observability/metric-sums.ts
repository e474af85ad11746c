import type { MetricsMode } from '../../config/environment.ts';
import { defined } from '../../job/defined.ts';
import type { Gauge, JournalEntry } from '../../ports/journal.ts';
import { ALL_WORKERS } from '../../job/worker-names.ts';
import { COUNTED, COUNTED_APART, DURATIONS, GAUGES, type MetricName } from './names.ts';

/** What is published of one metric: a sum, or all values that were measured. */
export interface MetricValues {
  readonly name: MetricName;
  readonly unit: 'Count' | 'Milliseconds';
  readonly values: readonly number[];
}

/** Metrics of one combination of dimensions. */
export interface MetricSet {
  readonly worker: string;
  readonly type?: string;
  readonly metrics: readonly MetricValues[];
}

const MEASURED = Object.keys(DURATIONS) as (keyof typeof DURATIONS)[];

interface Gathering {
  readonly worker: string;
  readonly type?: string;
  readonly counts: Map<MetricName, number>;
  readonly durations: Map<MetricName, number[]>;
  readonly gauges: Map<Gauge['name'], number>;
}

/** Gathers the entries of an invocation, so that each metric is written out once. */
export class MetricSums {
  readonly #counts: (type: string) => boolean;
  readonly #worker: string | undefined;
  #sets = new Map<string, Gathering>();

  /** `worker`: for entries that name none. */
  constructor(mode: MetricsMode, worker: string | undefined) {
    const named = typeof mode === 'string' ? undefined : new Set(mode.types);
    this.#counts = (type) => named?.has(type) ?? mode === 'type';
    this.#worker = worker;
  }

  add(entry: JournalEntry): void {
    const worker = this.#nameOf(entry.worker ?? entry.job?.worker);
    addTo(this.#set(worker), entry);
    // The alarm on late timers watches the whole deployment.
    if (worker !== ALL_WORKERS && entry.timerLagMs !== undefined) addDuration(this.#set(ALL_WORKERS), 'timerLagMs', entry.timerLagMs);
    if (entry.job !== undefined && this.#counts(entry.job.type)) addTo(this.#set(worker, entry.job.type), entry);
    for (const [type, jobs] of Object.entries(Object.groupBy(entry.jobs ?? [], (job) => job.type))) {
      if (this.#counts(type)) addTo(this.#set(worker, type), { ...entry, count: jobs?.length ?? 0 });
    }
  }

  /** A worker's gauge also counts for the whole deployment, which shows the largest value: alarms use that one. */
  gauge(gauge: Gauge): void {
    if (!Number.isFinite(gauge.value)) return;
    for (const worker of new Set([this.#nameOf(gauge.worker), ALL_WORKERS])) {
      const { gauges } = this.#set(worker);
      gauges.set(gauge.name, Math.max(gauges.get(gauge.name) ?? Number.NEGATIVE_INFINITY, gauge.value));
    }
  }

  /** Gives out what was gathered and starts anew. */
  take(): readonly MetricSet[] {
    const sets = [...this.#sets.values()];
    this.#sets = new Map();
    return sets.map(({ worker, type, counts, durations, gauges }) => ({
      worker,
      ...defined({ type }),
      metrics: [
        ...[...counts].map(([name, sum]) => ({ name, unit: 'Count' as const, values: [sum] })),
        ...[...durations].map(([name, values]) => ({ name, unit: 'Milliseconds' as const, values })),
        ...[...gauges].map(([name, value]) => ({ name: GAUGES[name].metric, unit: GAUGES[name].unit, values: [value] })),
      ],
    }));
  }

  /** A dimension cannot be empty. */
  #nameOf(worker: string | undefined): string {
    return [worker, this.#worker].find((name) => name !== undefined && name !== '') ?? ALL_WORKERS;
  }

  #set(worker: string, type?: string): Gathering {
    const key = JSON.stringify([worker, type]);
    let set = this.#sets.get(key);
    if (set === undefined) {
      set = { worker, ...defined({ type }), counts: new Map(), durations: new Map(), gauges: new Map() };
      this.#sets.set(key, set);
    }
    return set;
  }
}

function addTo(set: Gathering, entry: JournalEntry): void {
  const count = entry.count ?? 1;
  if (!Number.isFinite(count)) return;
  for (const name of [COUNTED[entry.event], ...apart(entry)]) set.counts.set(name, (set.counts.get(name) ?? 0) + count);
  for (const field of MEASURED) addDuration(set, field, entry[field]);
}

function addDuration(set: Gathering, field: keyof typeof DURATIONS, value: number | undefined): void {
  if (value === undefined || !Number.isFinite(value)) return;
  const values = set.durations.get(DURATIONS[field]);
  if (values === undefined) set.durations.set(DURATIONS[field], [value]);
  else values.push(value);
}

/** Its worker does not know the type, or the version or the codec of the payload. */
const WITHOUT_HANDLER = /^(?:no-handler|newer-version|unknown-codec)/;

function apart(entry: JournalEntry): readonly MetricName[] {
  if (entry.event === 'dead-lettered' && entry.reason === 'crash-loop') return [COUNTED_APART.crashLoop];
  if (entry.event === 'dead-lettered' && entry.reason === 'chain-limit') return [COUNTED_APART.chainLimit];
  if (entry.event === 'suspended' && WITHOUT_HANDLER.test(entry.reason ?? '')) return [COUNTED_APART.noHandler];
  return [];
}
