import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  type KeySchemaElement,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { missingPermission } from '../../shared/job/missing-permission.ts';
import { createAwsClients } from '../../shared/lambda/connect.ts';
import type { Environment } from '../command-io.ts';
import { placeOf } from '../deployments/place-of.ts';
import type { DoctorLooks, Look, TableShape } from './check.ts';

const ABSENT = /ResourceNotFound|QueueDoesNotExist|NonExistentQueue|TableNotFound/;
const NOT_SEEN = /AccessDenied|UnknownOperation|NotImplemented|InvalidAction|UnrecognizedClient|Validation|Serialization|SyntaxError/;

/** Reads a deployment through AWS's describe calls, which change nothing. */
export function lookAtAws(environment: Environment, now: () => number): DoctorLooks {
  const { dynamo, sqs } = createAwsClients(environment);
  return {
    local: placeOf(environment).local,
    table: async (TableName) =>
      look(async () => {
        const { Table: table = {} } = await dynamo.send(new DescribeTableCommand({ TableName }));
        return {
          status: table.TableStatus ?? 'unknown',
          key: keyAttributes(table.KeySchema),
          indexes: Object.fromEntries(
            (table.GlobalSecondaryIndexes ?? []).map(({ IndexName = '', IndexStatus = 'ACTIVE' }) => [IndexName, IndexStatus]),
          ),
          deletionProtection: table.DeletionProtectionEnabled === true,
          onDemand: table.BillingModeSummary?.BillingMode === 'PAY_PER_REQUEST',
          sizeBytes: table.TableSizeBytes ?? 0,
          shape: shapeOf(table),
        };
      }),
    timeToLive: async (TableName) =>
      look(async () => {
        const { TimeToLiveDescription: ttl } = await dynamo.send(new DescribeTimeToLiveCommand({ TableName }));
        return ttl?.TimeToLiveStatus === 'ENABLED' || ttl?.TimeToLiveStatus === 'ENABLING' ? ttl.AttributeName : undefined;
      }),
    pointInTimeRecovery: async (TableName) =>
      look(async () => {
        const { ContinuousBackupsDescription: backups } = await dynamo.send(new DescribeContinuousBackupsCommand({ TableName }));
        return backups?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus === 'ENABLED';
      }),
    queue: async (QueueUrl) =>
      look(async () => (await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }))).Attributes ?? {}),
    clock: async () => clockLook(dynamo, environment, now),
  };
}

/** Partition key, then sort key. */
function keyAttributes(schema: readonly KeySchemaElement[] = []): readonly string[] {
  const of = (kind: string) => schema.flatMap(({ KeyType, AttributeName = '' }) => (KeyType === kind ? [AttributeName] : []));
  return [...of('HASH'), ...of('RANGE')];
}

function shapeOf({ AttributeDefinitions = [], GlobalSecondaryIndexes = [], Replicas = [] }: TableDescription): TableShape {
  return {
    types: Object.fromEntries(AttributeDefinitions.map(({ AttributeName = '', AttributeType = '' }) => [AttributeName, AttributeType])),
    indexes: Object.fromEntries(
      GlobalSecondaryIndexes.map(({ IndexName = '', KeySchema, Projection: { ProjectionType, NonKeyAttributes = [] } = {} }) => [
        IndexName,
        { key: keyAttributes(KeySchema), projects: ProjectionType === 'ALL' ? 'all' : NonKeyAttributes },
      ]),
    ),
    replicas: Replicas.flatMap(({ RegionName }) => RegionName ?? []),
  };
}

async function look<Seen>(at: () => Promise<Seen>): Promise<Look<Seen>> {
  try {
    return { saw: await at() };
  } catch (error) {
    const name = error instanceof Error ? error.name : 'unknown';
    if (ABSENT.test(name)) return { absent: true };
    if (!NOT_SEEN.test(name)) return { silent: name };
    const lacks = error instanceof Error ? missingPermission(error.message) : undefined;
    return { unknown: lacks === undefined ? name : `${name}: ${lacks}` };
  }
}

/** From the Date header of a reply, which has whole seconds; the request's travel time is the uncertainty. */
async function clockLook(dynamo: DynamoDBClient, environment: Environment, now: () => number): ReturnType<DoctorLooks['clock']> {
  let date: string | undefined;
  const tables = JSON.parse(environment['NIGHTCREW_TABLES'] ?? '{}') as Readonly<Record<string, string>>;
  dynamo.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      date = (result.response as { readonly headers?: Readonly<Record<string, string>> } | undefined)?.headers?.['date'];
      return result;
    },
    { step: 'deserialize', priority: 'low', name: 'nightcrewDate', override: true },
  );
  const began = now();
  const seen = await look(async () => dynamo.send(new DescribeTableCommand({ TableName: tables['jobs'] ?? '-' })));
  const ended = now();
  if ('silent' in seen || 'unknown' in seen) return seen;
  const at = Date.parse(date ?? '');
  if (Number.isNaN(at)) return { unknown: 'no Date in the reply' };
  return { saw: { aheadMs: Math.round((began + ended) / 2 - (at + 500)), withinMs: 500 + Math.ceil((ended - began) / 2) } };
}
