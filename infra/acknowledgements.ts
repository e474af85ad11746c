import { Stack, Validations } from 'aws-cdk-lib';
import type { Bucket, CfnBucket } from 'aws-cdk-lib/aws-s3';
import type { IConstruct } from 'constructs';

/** The accepted findings of cdk-nag, with reasons; there are no others. Apps that run cdk-nag see them acknowledged. */
export const ACKNOWLEDGEMENTS = {
  anyResource: {
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason:
      'Traces (xray:PutTraceSegments, xray:PutTelemetryRecords) and, in a VPC, the network interfaces of Lambda have no resources to name; every other statement names its own.',
  },
  untraced: {
    id: 'Serverless-LambdaTracing',
    reason:
      'A tick or a poll that finds nothing would pay for a trace each: these functions are traced only if the deployment enables it (tracing).',
  },
  eventSource: {
    id: 'Serverless-LambdaEventSourceMappingDestination',
    reason: 'An SQS event source has no failure destination: what cannot be read goes to the dead-letter queue of the queue itself.',
  },
  deadLetterQueue: {
    id: 'Serverless-SQSRedrivePolicy',
    reason: 'This is a dead-letter queue: messages end here.',
  },
  tick: {
    id: 'Serverless-LambdaAsyncFailureDestination',
    reason: "A tick that failed goes to the function's dead-letter queue; a failure destination would get the same tick a second time.",
  },
  synchronous: {
    id: 'Serverless-LambdaDLQ',
    reason: 'A function URL invokes synchronously: the caller gets the error and sends its request again, so there is no event to keep.',
  },
  accessLogs: {
    id: 'AwsSolutions-S1',
    reason:
      'Server access logs of the bucket of payloads would be another bucket to pay and to protect; CloudTrail data events tell who read what.',
  },
  codeDeploy: {
    id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]',
    reason: 'CodeDeploy shifts aliases under the policy that AWS keeps for it, which is limited to aliases, alarms and hooks.',
  },
} as const;

/** Acknowledges for a construct and its children that a statement names all objects of a bucket. */
export function acknowledgeObjects(construct: IConstruct, bucket: Bucket): void {
  const name = Stack.of(bucket).getLogicalId(bucket.node.defaultChild as CfnBucket);
  Validations.of(construct).acknowledge({
    id: `AwsSolutions-IAM5[Resource::<${name}.Arn>/*]`,
    reason:
      'The keys of payloads are not known before there are jobs, so the statements name all objects of the bucket, which has nothing else.',
  });
}

/** Acknowledges a finding for a construct and its children. */
export function acknowledge(construct: IConstruct, finding: keyof typeof ACKNOWLEDGEMENTS): void {
  Validations.of(construct).acknowledge(ACKNOWLEDGEMENTS[finding]);
}
