/** A template with faults. Each checker must find its own, or its silence about the others means nothing. */
export const PLANTED = {
  Resources: {
    Queue: { Type: 'AWS::SQS::Queue', Properties: { VisibilityTimeout: 43_201, SqsManagedSseEnabled: true } },
    Table: {
      Type: 'AWS::DynamoDB::Table',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'job', KeyType: 'HASH' }],
      },
    },
    Role: {
      Type: 'AWS::IAM::Role',
      Properties: {
        AssumeRolePolicyDocument: {
          Version: '2012-10-17',
          Statement: [{ Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' }],
        },
        Policies: [
          {
            PolicyName: 'everything',
            PolicyDocument: { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: '*', Resource: '*' }] },
          },
        ],
      },
    },
  },
} as const;

/** Rule and resource of the planted faults that must be found. */
export const PLANTED_FINDINGS = {
  'cfn-lint': ['E3034 Queue', 'E3039 Table', 'I3011 Table'],
  checkov: ['CKV_AWS_28 Table', 'CKV_AWS_63 Role'],
} as const;
