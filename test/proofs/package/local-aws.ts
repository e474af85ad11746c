import { testDynamo, testSqs } from '../../support/emulators.ts';

/** The emulators of the tests, for a program of a user. */
export async function localAws(): Promise<Readonly<Record<string, string>>> {
  const [dynamo, sqs] = await Promise.all([testDynamo(), testSqs()]);
  return {
    AWS_ENDPOINT_URL_DYNAMODB: dynamo.endpoint,
    AWS_ENDPOINT_URL_SQS: sqs.endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  };
}
