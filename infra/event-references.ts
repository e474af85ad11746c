import { defined } from '../shared/core/defined.ts';
import type { EventsProps } from './job-executor-props.ts';
import type { EventReferences } from './references.ts';

/** What sends events to a bus. Loaded only where there is one. */
export const EVENT_BUS_SDK = '@aws-sdk/client-eventbridge';

/** Where events go, by what permissions and environments need of it. */
export function eventReferences({ log, bus, on }: EventsProps): EventReferences {
  return {
    ...defined({ log }),
    ...(bus === undefined ? {} : { busArn: bus.eventBusArn }),
    ...defined({ on }),
  };
}

/** What a function's bundle goes without: nobody pays in start-up time for what is not used. */
export function unusedPackages(events: EventsProps | EventReferences | undefined): readonly string[] {
  const hasBus = events !== undefined && ('busArn' in events || ('bus' in events && events.bus !== undefined));
  return hasBus ? [] : [EVENT_BUS_SDK];
}
