import { CreateQueueCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { type EventSource, startEventSource } from '../../local/event-source.ts';
import type { Region } from '../../local/region.ts';
import type { SqsEvent } from '../../shared/adapters/sqs/event.ts';

/** The input of a hand-written handler: the bodies of a delivery batch. */
export type BodyHandler = (bodies: readonly string[]) => Promise<void>;

/** A queue and an event source like those of the region, with a hand-written handler; `create` is its module, loaded once per sandbox. */
export async function startPlainSource(
  { region, sqs }: { readonly region: Region; readonly sqs: SQSClient },
  name: string,
  create: () => BodyHandler,
): Promise<{ readonly queueUrl: string; readonly source: EventSource }> {
  const { executorTimeoutMs: functionTimeoutMs, batchSize, batchWindowMs, maxConcurrency, executorMemoryMb } = region.settings;
  const { QueueUrl: queueUrl = '' } = await sqs.send(
    new CreateQueueCommand({ QueueName: name, Attributes: { VisibilityTimeout: String((6 * functionTimeoutMs) / 1_000) } }),
  );
  const runtime = region.runtime({
    name,
    memoryMb: executorMemoryMb,
    create: () => {
      const handler = create();
      return async (event: SqsEvent) => {
        await handler(event.Records.map(({ body }) => body));
        return { batchItemFailures: [] };
      };
    },
  });
  const source = await startEventSource({
    sqs: region.sqs,
    queueUrl,
    runtime,
    functionTimeoutMs,
    batchSize,
    batchWindowMs,
    maxConcurrency,
  });
  return { queueUrl, source };
}
