import type { EventsProps } from './job-executor-props.ts';
import type { EventReferences } from './references.ts';

/** Loaded by executors only when they have an event bus. */
const EVENT_BUS_SDK = '@aws-sdk/client-eventbridge';

/** Where events go, by what permissions and environments need of it. */
export function eventReferences({ log, bus, on }: EventsProps): EventReferences {
  return {
    ...(log === undefined ? {} : { log }),
    ...(bus === undefined ? {} : { busArn: bus.eventBusArn }),
    ...(on === undefined ? {} : { on }),
  };
}

/** What an executor's bundle goes without: nobody pays in start-up time for what is not used. */
export function unusedPackages(events: EventsProps | undefined): readonly string[] {
  return events?.bus === undefined ? [EVENT_BUS_SDK] : [];
}
