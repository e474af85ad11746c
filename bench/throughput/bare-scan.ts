import { type AttributeValue, ScanCommand } from '@aws-sdk/client-dynamodb';
import type { BareClients, Place } from './emulated.ts';

/** The sweeper's settings. */
export interface ScanTerms {
  readonly segments: number;
  readonly pageSize: number;
}

/** The loop that one would write: all segments side by side for leases that ran out. Gives back how many rows the store looked at. */
export async function scanBare({ dynamo }: BareClients, { names }: Place, { segments, pageSize }: ScanTerms): Promise<number> {
  const scanned = Array.from({ length: segments }, async (_, Segment) => {
    let count = 0;
    let after: Record<string, AttributeValue> | undefined;
    do {
      const page = await dynamo.send(
        new ScanCommand({
          TableName: names.jobs,
          Segment,
          TotalSegments: segments,
          Limit: pageSize,
          FilterExpression: 'lockExpiresAt <= :now',
          ExpressionAttributeValues: { ':now': { S: new Date().toISOString() } },
          ...(after === undefined ? {} : { ExclusiveStartKey: after }),
        }),
      );
      if ((page.Items?.length ?? 0) > 0) throw new Error('A lease ran out although all are alive.');
      count += page.ScannedCount ?? 0;
      after = page.LastEvaluatedKey;
    } while (after !== undefined);
    return count;
  });
  return (await Promise.all(scanned)).reduce((sum, one) => sum + one, 0);
}
