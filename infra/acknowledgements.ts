import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** The findings of cdk-nag that stand, and why; there are no others. Apps that run cdk-nag see them acknowledged. */
export const ACKNOWLEDGEMENTS = {
  xray: {
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason: 'xray:PutTraceSegments and xray:PutTelemetryRecords know no resources; every other statement names its own.',
  },
  untraced: {
    id: 'Serverless-LambdaTracing',
    reason: 'A tick a minute that finds nothing would pay for a trace each: they are traced where the deployment asks for it (tracing).',
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
} as const;

/** Acknowledges a finding for a construct and what is in it. */
export function acknowledge(construct: IConstruct, finding: keyof typeof ACKNOWLEDGEMENTS): void {
  Validations.of(construct).acknowledge(ACKNOWLEDGEMENTS[finding]);
}
