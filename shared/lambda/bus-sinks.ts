import type { Deployment } from '../config/environment.ts';
import { defined } from '../job/defined.ts';
import { eventBridgeSink } from '../adapters/eventbridge/event-bridge-sink.ts';
import type { EventSink } from '../ports/event-sink.ts';
import { clientPlace } from '../adapters/aws/client-place.ts';

/** The event bus that a deployment names, if it does. Made once in a process: it keeps its client. */
export function busSinks(
  { events, name }: Pick<Deployment, 'events' | 'name'>,
  environment: Readonly<Record<string, string | undefined>> = {},
): readonly EventSink[] {
  if (events?.bus === undefined) return [];
  return [eventBridgeSink({ bus: events.bus, ...defined({ deployment: name }) }, clientPlace(environment, 'EVENTBRIDGE'))];
}
