import { expect, test } from 'vitest';
import { silentJournal } from '../../../shared/adapters/observability/silent-journal.ts';
import { systemClock, systemEntropy } from '../../../shared/adapters/system.ts';
import { decodeEnvironment } from '../../../shared/config/environment.ts';
import { deploymentEnvironment } from '../../../shared/config/own-deployment.ts';
import { type AwsClients, connectAws } from '../../../shared/lambda/connect.ts';
import { createMemoryHints, createMemoryTables } from '../../../testing/index.ts';

/** Says which clients were asked for. */
function watchedClients(): { readonly clients: AwsClients; readonly asked: string[] } {
  const asked: string[] = [];
  const client = (name: string): never => {
    asked.push(name);
    return {} as never;
  };
  return {
    asked,
    clients: {
      get dynamo() {
        return client('DynamoDB');
      },
      get sqs() {
        return client('SQS');
      },
      destroy: () => {},
    },
  };
}

test('a client of AWS is made for what has no port of its own, and for nothing else', () => {
  const deployment = decodeEnvironment(deploymentEnvironment());
  const terms = { clock: systemClock, entropy: systemEntropy, journal: silentJournal };
  const tables = createMemoryTables();
  const hints = createMemoryHints({ clock: systemClock, workers: deployment.workers, visibilityMs: 1_000 });
  const askedWith = (own: Parameters<typeof connectAws>[2]['own']): readonly string[] => {
    const { clients, asked } = watchedClients();
    connectAws(clients, deployment, { ...terms, ...(own === undefined ? {} : { own }) });
    return asked;
  };
  expect(askedWith({ tables, hints })).toEqual([]);
  expect(askedWith({ tables })).toEqual(['SQS']);
  expect(askedWith({ hints })).toEqual(['DynamoDB']);
  expect(askedWith(undefined)).toEqual(['DynamoDB', 'SQS']);
});
