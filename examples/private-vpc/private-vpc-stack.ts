// A deployment in subnets without a way to the internet: two endpoints, and what each lets through.
import { Stack } from 'aws-cdk-lib';
import { GatewayVpcEndpointAwsService, InterfaceVpcEndpointAwsService, type IVpc, SubnetType, Vpc } from 'aws-cdk-lib/aws-ec2';
import { AnyPrincipal, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { JobExecutor, type WorkerProps } from '../../infra/index.ts';

export class PrivateVpcStack extends Stack {
  constructor(scope: Construct, id: string, workers: Readonly<Record<string, WorkerProps>>) {
    super(scope, id);
    const vpc = new Vpc(this, 'Vpc', {
      natGateways: 0,
      subnetConfiguration: [{ name: 'jobs', subnetType: SubnetType.PRIVATE_ISOLATED }],
    }) as IVpc;
    const jobs = new JobExecutor(this, 'Jobs', {
      workers,
      functionProps: { vpc, vpcSubnets: { subnetType: SubnetType.PRIVATE_ISOLATED } },
    });

    const dynamoDb = vpc.addGatewayEndpoint('DynamoDb', { service: GatewayVpcEndpointAwsService.DYNAMODB });
    dynamoDb.addToPolicy(
      new PolicyStatement({
        principals: [new AnyPrincipal()],
        actions: ['dynamodb:*Item', 'dynamodb:PartiQL*', 'dynamodb:Query', 'dynamodb:Scan'],
        resources: Object.values(jobs.tables).flatMap(({ tableArn }) => [tableArn, `${tableArn}/index/*`]),
      }),
    );

    const queues = [...jobs.workers.values()].flatMap((worker) => [...worker.queues.sources, ...worker.queues.deadLetterQueues]);
    const sqs = vpc.addInterfaceEndpoint('Sqs', { service: InterfaceVpcEndpointAwsService.SQS });
    sqs.addToPolicy(
      new PolicyStatement({
        principals: [new AnyPrincipal()],
        actions: ['sqs:SendMessage', 'sqs:DeleteMessage', 'sqs:ChangeMessageVisibility', 'sqs:GetQueueAttributes'],
        resources: queues.map(({ queueArn }) => queueArn),
      }),
    );
  }
}
