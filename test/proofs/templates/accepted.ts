import type { Accepted } from './finding.ts';

const FUNCTION = 'AWS::Lambda::Function';

/** The findings of cfn-lint and checkov that stand, each with its reason. */
export const ACCEPTED: readonly Accepted[] = [
  {
    rule: 'W3005',
    types: [FUNCTION, 'AWS::Scheduler::Schedule'],
    reason: "The CDK names a role and its policy together in DependsOn. The policy is needed there, the role's line is harmless.",
  },
  {
    rule: 'I1022',
    reason: 'The CDK writes Fn::Join where Fn::Sub would do the same.',
  },
  {
    rule: 'CKV_AWS_27',
    types: ['AWS::SQS::Queue'],
    template: 'example',
    reason: 'The queues are encrypted with keys of SQS (SqsManagedSseEnabled), which the check does not know. encryptionKey sets a key.',
  },
  {
    rule: 'CKV_AWS_158',
    types: ['AWS::Logs::LogGroup'],
    template: 'example',
    reason: 'CloudWatch encrypts log groups with its own keys. encryptionKey sets a key, which costs a dollar a month and each request.',
  },
  {
    rule: 'CKV_AWS_173',
    types: [FUNCTION],
    template: 'example',
    reason: 'Lambda encrypts environments with its own key. They hold names and numbers; encryptionKey sets a key.',
  },
  {
    rule: 'CKV_AWS_117',
    types: [FUNCTION],
    template: 'example',
    reason: 'The functions call AWS only, so a VPC would add endpoints and protect nothing. functionProps.vpc sets one.',
  },
  {
    rule: 'CKV_AWS_115',
    types: [FUNCTION],
    reason:
      'Event sources bound how many executors run (maxConcurrency); reserving would take concurrency from the account. reserveTicks and functionProps reserve.',
  },
  {
    rule: 'CKV_AWS_111',
    types: ['AWS::IAM::Policy'],
    template: 'all-options',
    reason:
      'In a VPC Lambda makes and deletes network interfaces with the role of the function, and looks for no resource. AWS has the same statement in its managed policy.',
  },
  {
    rule: 'CKV_AWS_116',
    types: [FUNCTION],
    template: 'all-options',
    reason: 'The function of the external API is invoked by its URL only, synchronously: its caller gets the error, and no event is left.',
  },
  {
    rule: 'CKV_AWS_18',
    types: ['AWS::S3::Bucket'],
    template: 'all-options',
    reason:
      'Access logs of the bucket of payloads would be another bucket to pay and to protect; CloudTrail data events tell who read what.',
  },
  {
    rule: 'E3006',
    types: ['AWS::Lambda::Url'],
    template: 'all-options',
    reason: 'Some Regions have no function URLs. Only who asks for externalApi has one, and its guide says so.',
  },
];
