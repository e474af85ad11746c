import type { Deployment } from '../config/environment.ts';
import { defined } from '../job/defined.ts';
import { type EventJournal, openEventJournal } from '../adapters/observability/event-journal.ts';
import type { Clock } from '../ports/clock.ts';
import type { Entropy } from '../ports/entropy.ts';
import type { EventSink, OnEvent } from '../ports/event-sink.ts';
import type { Journal } from '../ports/journal.ts';
import type { Tables } from '../ports/tables.ts';
import { eventLogSink } from '../features/events/store/event-log.ts';
import { type EventSwitch, isSwitched, readEventSwitch } from '../features/events/store/event-switch.ts';

/** Dependencies of events. `sinks`: in addition to the deployment's log. */
export interface EventDeps {
  readonly deployment: Pick<Deployment, 'events' | 'settings'>;
  readonly tables: Tables;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly sinks?: readonly EventSink[];
  readonly onEvent?: OnEvent | undefined;
}

/** Events of one process, over all its invocations. */
export type ConnectEvents = (deps: EventDeps) => EventJournal;

const SWITCH_TTL_MS = 5_000;

/** A process's events: what operators switched is read at most every 5 s, and only for a sink named `log` or `bus`. */
export function createEvents(): ConnectEvents {
  let known: { readonly readAt: number; readonly state: EventSwitch } | undefined;
  const sequence = { next: 0 };
  return ({ deployment, sinks = [], onEvent, ...deps }) => {
    const { tables, clock } = deps;
    const { log = false, on = true } = deployment.events ?? {};
    const days = deployment.settings.historyDays;
    const all = [...(log ? [eventLogSink({ tables, clock, days, sequence })] : []), ...sinks];
    const enabled = async (sink: string): Promise<boolean> => {
      // A sink with a name of its own has no switch.
      if (!isSwitched(sink)) return true;
      const now = clock.now();
      if (known === undefined || now < known.readAt || now - known.readAt >= SWITCH_TTL_MS) {
        // An unreadable switch keeps its last position.
        const state = await readEventSwitch(tables).catch(() => known?.state ?? {});
        known = { readAt: now, state };
      }
      return known.state[sink] ?? on;
    };
    return openEventJournal({ ...deps, sinks: all, enabled, ...defined({ onEvent }) });
  };
}
