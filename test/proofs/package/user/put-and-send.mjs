// What a user writes who enqueues by hand: one row and one message.
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';

const [dynamo, sqs] = [new DynamoDBClient({}), new SQSClient({})];

export const handler = async ({ name }) => {
  const id = crypto.randomUUID();
  await dynamo.send(
    new PutItemCommand({ TableName: process.env.TABLE, Item: { id: { S: id }, payload: { S: JSON.stringify({ name }) } } }),
  );
  await sqs.send(new SendMessageCommand({ QueueUrl: process.env.QUEUE, MessageBody: id }));
  return id;
};
