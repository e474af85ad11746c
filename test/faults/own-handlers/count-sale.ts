import { ConditionalCheckFailedException, type DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';

export interface Sale {
  readonly productId: string;
  readonly jobId: string;
}

/** Counts a sale once, however often it is tried: the job's id is kept beside the count. */
export async function countSale(dynamo: DynamoDBClient, { productId, jobId }: Sale): Promise<void> {
  try {
    await dynamo.send(
      new UpdateItemCommand({
        TableName: 'sales',
        Key: { id: { S: productId } },
        UpdateExpression: 'ADD sold :one, jobs :jobs',
        ConditionExpression: 'NOT contains(jobs, :job)',
        ExpressionAttributeValues: { ':one': { N: '1' }, ':jobs': { SS: [jobId] }, ':job': { S: jobId } },
      }),
    );
  } catch (error) {
    // An earlier try counted it already.
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}
