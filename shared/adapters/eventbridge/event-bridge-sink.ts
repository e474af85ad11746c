import type { PutEventsCommandOutput, PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import { chunks } from '../aws/backoff.ts';
import type { ClientPlace } from '../aws/client-place.ts';
import { timedRequestHandler } from '../aws/request-handler.ts';
import { RetryStrategy } from '../aws/retry-strategy.ts';
import { defined } from '../../job/defined.ts';
import { missingPackage } from '../../job/errors.ts';
import { mapLimited } from '../../job/map-limited.ts';
import { checkOptions } from '../../job/names.ts';
import type { EventSink, JobEvent } from '../../ports/event-sink.ts';

/** The part of the SDK's EventBridgeClient that is used, so that its types are not needed without an event bus. */
export interface EventBridgeCaller {
  send(command: never): Promise<unknown>;
}

/** Where events are put. */
export interface EventBridgeSinkOptions {
  /** Name or ARN of the event bus. */
  readonly bus: string;
  /** Distinguishes the events of several deployments on one bus. */
  readonly deployment?: string;
  /** Default: that of the environment. */
  readonly endpoint?: string;
  /** Your own client. Default: one with timeouts. */
  readonly client?: EventBridgeCaller;
}

/** EventBridge takes ten in one request. */
const ENTRIES = 10;
const PARALLEL = 4;
const TRIES = 3;
const MAX_ATTEMPTS = 2;

/**
 * Puts events on an event bus, as `source: nightcrew`, the event's name as `detail-type`. The SDK's client is loaded when the first
 * event comes: `@aws-sdk/client-eventbridge` has to be there only where a bus is used; without it `put` throws MissingPackageError.
 * An event may arrive twice, with the same id.
 */
export function createEventBridgeSink(options: EventBridgeSinkOptions): EventSink {
  checkOptions(options, ['bus', 'deployment', 'endpoint', 'client'], 'options');
  return eventBridgeSink(options, defined({ endpoint: options.endpoint }));
}

/** The same with a client of that endpoint, region and credentials, if `options` has none. */
export function eventBridgeSink(options: Omit<EventBridgeSinkOptions, 'endpoint'>, place: ClientPlace): EventSink {
  let client: EventBridgeCaller | undefined = options.client;
  return {
    name: 'bus',
    put: async (events) => {
      const sdk = await loadSdk();
      client ??= new sdk.EventBridgeClient({
        requestHandler: timedRequestHandler(),
        maxAttempts: MAX_ATTEMPTS,
        retryStrategy: new RetryStrategy({ maxAttempts: MAX_ATTEMPTS, baseMs: 50 }),
        ...place,
      });
      const bus = client;
      const lost = await mapLimited(chunks(events, ENTRIES), PARALLEL, async (some) =>
        putSome(
          some.map((event) => entryOf(event, options)),
          async (Entries) => ((await bus.send(new sdk.PutEventsCommand({ Entries }) as never)) as PutEventsCommandOutput).Entries ?? [],
        ),
      );
      return lost.reduce((sum, count) => sum + count, 0);
    },
  };
}

/** Inside `try`, because bundlers then leave out a package that is not installed instead of failing. */
async function loadSdk(): Promise<typeof import('@aws-sdk/client-eventbridge')> {
  try {
    return await import('@aws-sdk/client-eventbridge');
  } catch (error) {
    throw missingPackage(['@aws-sdk/client-eventbridge'], error);
  }
}

/** Puts again what EventBridge did not take of a request; how many it never took. A request that fails altogether was repeated by the SDK. */
async function putSome(
  entries: readonly PutEventsRequestEntry[],
  put: (entries: PutEventsRequestEntry[]) => Promise<readonly { readonly ErrorCode?: string | undefined }[]>,
): Promise<number> {
  let left = [...entries];
  for (let tries = 0; tries < TRIES && left.length > 0; tries++) {
    try {
      const answers = await put(left);
      // An entry without an answer counts as not taken.
      left = left.filter((_, index) => answers[index] === undefined || answers[index].ErrorCode !== undefined);
    } catch {
      return left.length;
    }
  }
  return left.length;
}

function entryOf(event: JobEvent, { bus, deployment }: EventBridgeSinkOptions): PutEventsRequestEntry {
  return {
    EventBusName: bus,
    Source: 'nightcrew',
    DetailType: event.event,
    Time: new Date(event.at),
    Detail: JSON.stringify({ ...event, at: new Date(event.at).toISOString(), ...defined({ deployment }) }),
  };
}
