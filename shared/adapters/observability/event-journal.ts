import { defined } from '../../job/defined.ts';
import { errorText } from '../../job/error-text.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Entropy } from '../../ports/entropy.ts';
import { type EventSink, JOB_EVENTS, type JobEvent, type JobEventName, type OnEvent } from '../../ports/event-sink.ts';
import type { Journal, JournalEntry, JournalEvent } from '../../ports/journal.ts';
import { entryFields } from './log-fields.ts';

/** What events are made with. */
export interface EventJournalOptions {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly sinks: readonly EventSink[];
  readonly onEvent?: OnEvent;
  /** Whether a sink is switched on; asked once for each time that something is to be put. Default: it is. */
  readonly enabled?: (sink: string) => Promise<boolean>;
}

/** A journal that also publishes its entries about jobs as events, with a flush that delivers them. */
export interface EventJournal {
  readonly journal: Journal;
  /** Resolves when every event was taken or is counted as lost. Never rejects. */
  readonly flush: () => Promise<void>;
}

/** Events beyond this are delivered in the background, so that a large verb does not buffer all of its events. */
const CHUNK = 500;
const NAMES: ReadonlyMap<JournalEvent, JobEventName> = new Map<JournalEvent, JobEventName>([
  ...JOB_EVENTS.flatMap((name): [JournalEvent, JobEventName][] => (name === 'fired' ? [] : [[name, name]])),
  ['timers-fired', 'fired'],
]);

/** Derives events from the journal's entries that name a job, so that there is one place from which both come. */
export function openEventJournal(options: EventJournalOptions): EventJournal {
  const { journal, sinks, onEvent } = options;
  if (sinks.length === 0 && onEvent === undefined) return { journal, flush: async () => {} };
  let gathered: JobEvent[] = [];
  let pending: Promise<unknown>[] = [];
  const hookFailed = (error: unknown): void =>
    journal.record({ event: 'hook-failed', reason: 'onEvent', error: errorText(error, options.clock.now()) });
  const tell = (event: JobEvent): void => {
    try {
      const told: unknown = onEvent?.(event);
      if (told instanceof Promise) pending.push(told.catch(hookFailed));
    } catch (error) {
      hookFailed(error);
    }
  };
  const putGathered = (): void => {
    const events = gathered;
    gathered = [];
    if (events.length > 0) pending.push(...sinks.map(async (sink) => putTo(options, sink, events)));
  };
  return {
    journal: {
      record: (entry) => {
        journal.record(entry);
        for (const event of eventsOf(options, entry)) {
          tell(event);
          if (sinks.length > 0 && gathered.push(event) >= CHUNK) putGathered();
        }
      },
      gauge: (gauge) => journal.gauge(gauge),
      flush: () => journal.flush(),
    },
    flush: async () => {
      putGathered();
      const all = pending;
      pending = [];
      await Promise.all(all);
    },
  };
}

async function putTo({ journal, clock, enabled }: EventJournalOptions, sink: EventSink, events: readonly JobEvent[]): Promise<void> {
  try {
    if (enabled !== undefined && !(await enabled(sink.name))) return;
    const lost = await sink.put(events);
    if (lost > 0) journal.record({ event: 'events-lost', reason: sink.name, count: lost });
  } catch (error) {
    journal.record({ event: 'events-lost', reason: sink.name, count: events.length, error: errorText(error, clock.now()) });
  }
}

function eventsOf({ clock, entropy }: EventJournalOptions, entry: JournalEntry): readonly JobEvent[] {
  const event = NAMES.get(entry.event);
  if (event === undefined) return [];
  const { reason, errorName, queueDelayMs, runMs, timerLagMs } = entryFields(entry, false);
  return [...(entry.job === undefined ? [] : [entry.job]), ...(entry.jobs ?? [])].map((job) => ({
    id: entropy.token(),
    event,
    at: clock.now(),
    job,
    ...defined({ reason, errorName, queueDelayMs, runMs, timerLagMs }),
  }));
}
