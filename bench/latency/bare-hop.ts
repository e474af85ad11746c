import { SendMessageCommand } from '@aws-sdk/client-sqs';
import type { Region } from '../../local/region.ts';
import { createAwsClients } from '../../shared/lambda/connect.ts';
import type { Arrivals } from './arrivals.ts';
import type { RunningHop } from './hop.ts';
import { startPlainSource } from './plain-source.ts';

/** SendMessage and ReceiveMessage, with nothing before or after them. */
export async function startBareHop(region: Region, arrivals: Arrivals): Promise<RunningHop> {
  const { sqs } = createAwsClients(region.environment);
  const { queueUrl, source } = await startPlainSource({ region, sqs }, 'bare', () => async (bodies) => {
    for (const body of bodies) arrivals.arrive((JSON.parse(body) as { readonly n: number }).n);
  });
  return {
    send: (n) => sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: JSON.stringify({ n }) })),
    async stop() {
      await source.stop(5_000);
      sqs.destroy();
    },
  };
}
