import type { Deployment } from '../config/environment.ts';
import { defined } from '../job/defined.ts';
import { createEventBridgeSink } from '../adapters/eventbridge/event-bridge-sink.ts';
import type { EventSink } from '../ports/event-sink.ts';

/** The event bus that a deployment names, if it does. Made once in a process: it keeps its client. */
export function busSinks(
  { events, name }: Pick<Deployment, 'events' | 'name'>,
  environment: Readonly<Record<string, string | undefined>> = {},
): readonly EventSink[] {
  if (events?.bus === undefined) return [];
  // Two deployments in one process must not meet.
  const endpoint = environment['AWS_ENDPOINT_URL_EVENTBRIDGE'];
  return [
    createEventBridgeSink({
      bus: events.bus,
      ...defined({ deployment: name, endpoint }),
    }),
  ];
}
