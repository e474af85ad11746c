import { Described, InvalidInputError } from '../../../job/errors.ts';
import { type Instant, instantMs, iso } from '../../../job/instant.ts';
import { checkOptions } from '../../../job/names.ts';
import { type EventPage, readEvents } from '../store/event-log.ts';
import { type EventSwitch, writeEventSwitch } from '../store/event-switch.ts';
import type { OperatorDeps } from '../../../operator/operator-deps.ts';

/** Where to read the event log. */
export interface EventQuery {
  /** `after` of the previous read: continues after its last event. */
  readonly after?: string;
  /** Where to begin without `after`: events that were written from then on. Default an hour ago. */
  readonly from?: Instant;
  /** 1 to 1,000; default 100. */
  readonly limit?: number;
}

/** Which sinks to switch. */
export interface EventSinksSwitch {
  readonly log?: boolean;
  readonly bus?: boolean;
}

/** The verbs of an operator that concern events. */
export interface EventVerbs {
  /**
   * Events in the order in which they were written, none left out and none twice behind one cursor; those of the last 15 s come with a
   * later read. Bounded: call again with `after` until `upToDate`.
   */
  events(query?: EventQuery): Promise<EventPage>;
  /**
   * Switches the event log or the event bus on or off for the whole deployment, until it is switched again; functions go by it five
   * seconds later. Only what the deployment was given can be switched on. The answer is what operators have switched so far.
   */
  switchEvents(sinks: EventSinksSwitch): Promise<EventSwitch>;
}

const HOUR_MS = 3_600_000;
const CURSOR = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z/;

/** Creates the verbs for events. */
export function createEventVerbs({ tables, clock }: OperatorDeps): EventVerbs {
  return {
    events: async (query = {}) => {
      checkOptions(query, ['after', 'from', 'limit'], 'query');
      const { after, from, limit = 100 } = query;
      if (!Number.isInteger(limit) || limit < 1 || limit > 1_000) {
        throw new InvalidInputError('limit', limit, 'Use a whole number from 1 to 1000.');
      }
      if (after !== undefined && (typeof after !== 'string' || !CURSOR.test(after) || Number.isNaN(Date.parse(after.slice(0, 24))))) {
        throw new InvalidInputError('after', after, 'Give the `after` of the previous read.');
      }
      const now = clock.now();
      const begin = after ?? iso(from === undefined ? now - HOUR_MS : instantMs(from, 'from'));
      return readEvents(tables, begin, limit, now);
    },
    switchEvents: async (sinks) => {
      checkOptions(sinks, ['log', 'bus'], 'sinks');
      const change = Object.entries(sinks).filter(([, on]) => on !== undefined);
      if (change.length === 0) throw new InvalidInputError('sinks', new Described('{}'), 'Give log or bus, or both.');
      for (const [name, on] of change) if (typeof on !== 'boolean') throw new InvalidInputError(name, on, 'Use true or false.');
      return writeEventSwitch(tables, Object.fromEntries(change) as EventSwitch, clock.now());
    },
  };
}
