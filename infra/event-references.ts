import { defined } from '../shared/job/defined.ts';
import type { EventsProps } from './job-executor-props.ts';
import type { EventReferences } from './references.ts';

/** The package that sends events to a bus. Only loaded if there is one. */
export const EVENT_BUS_SDK = '@aws-sdk/client-eventbridge';

/** The destinations of events, as permissions and environments need them. */
export function eventReferences({ log, bus, on }: EventsProps): EventReferences {
  return {
    ...defined({ log }),
    ...(bus === undefined ? {} : { busArn: bus.eventBusArn }),
    ...defined({ on }),
  };
}

/** Packages left out of a function's bundle, so that unused features cost no start-up time. */
export function unusedPackages(events: EventsProps | EventReferences | undefined): readonly string[] {
  const hasBus = events !== undefined && ('busArn' in events || ('bus' in events && events.bus !== undefined));
  return hasBus ? [] : [EVENT_BUS_SDK];
}
