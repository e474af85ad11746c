import { fileURLToPath } from 'node:url';
import { CfnOutput, CfnParameter, Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { AttributeType, Billing, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { defined } from '../shared/job/defined.ts';
import { TABLE_NAMES } from '../shared/ports/table-spec.ts';
import { acknowledge } from './acknowledgements.ts';
import type { AdoptedTables } from './adopted-tables.ts';
import { executorCode } from './bundle.ts';
import { createFunction } from './function-defaults.ts';
import { JobExecutor } from './job-executor.ts';
import type { TickSource } from './ticks.ts';

/** How the example is deployed. */
export interface OrderServiceProps extends StackProps {
  /** RETAIN keeps orders, jobs and logs when the stack is deleted; DESTROY is for tests. */
  readonly removalPolicy: RemovalPolicy;
  readonly ticks?: TickSource;
  /** What the names of restored tables begin with, which it adopts. */
  readonly restored?: string;
  /** False until restored tables have been reconciled. */
  readonly active?: boolean;
  /** Of its event sources. Default: that of the settings. */
  readonly batchSize?: number;
  /** False for emulators, which do not support alarms on metric math. */
  readonly alarms?: boolean;
}

const ENTRIES = fileURLToPath(new URL('../examples/order-service/', import.meta.url));

/** The example: a function that takes orders and enqueues jobs, and the executor that runs them. */
export class OrderServiceStack extends Stack {
  readonly jobs: JobExecutor;
  readonly orderFunction: LambdaFunction;

  constructor(scope: Construct, id: string, props: OrderServiceProps) {
    super(scope, id, props);
    const { removalPolicy } = props;
    const orders = this.#orders(removalPolicy);
    const environment = { ORDERS_TABLE: orders.tableName };
    this.jobs = new JobExecutor(this, 'Jobs', {
      workers: { default: { entry: `${ENTRIES}worker.ts`, groups: true, environment: { ...environment, ...this.#webhook() } } },
      // The longest handler is done within a minute, so a crashed job is noticed soon.
      settings: { executorTimeout: Duration.minutes(1), ...defined({ batchSize: props.batchSize }) },
      removalPolicy,
      ...defined({ ticks: props.ticks, active: props.active, tables: this.#restored(props.restored) }),
      alarms: props.alarms ?? true,
    });
    this.jobs
      .executorFunction()
      .addToRolePolicy(
        new PolicyStatement({ actions: ['dynamodb:GetItem', 'dynamodb:UpdateItem', 'dynamodb:Scan'], resources: [orders.tableArn] }),
      );
    this.orderFunction = this.#orderFunction(orders, environment, removalPolicy);
    this.jobs.connect(this.orderFunction, { cancel: true });
    new CfnOutput(this, 'OrderFunctionName', { value: this.orderFunction.functionName });
  }

  #restored(prefix: string | undefined): AdoptedTables | undefined {
    if (prefix === undefined) return undefined;
    return Object.fromEntries(TABLE_NAMES.map((name) => [name, TableV2.fromTableName(this, `Restored-${name}`, `${prefix}-${name}`)]));
  }

  #orders(removalPolicy: RemovalPolicy): TableV2 {
    return new TableV2(this, 'Orders', {
      partitionKey: { name: 'orderId', type: AttributeType.STRING },
      billing: Billing.onDemand(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: removalPolicy === RemovalPolicy.RETAIN,
      removalPolicy,
    });
  }

  /**
   * Only for the worker, which delivers webhooks. Without them everything but webhooks works, and those report the missing variable.
   * NoEcho keeps the secret out of template, history and console of CloudFormation, but anyone who may read the function's configuration sees
   * it. An example does with that; a shop reads it from Secrets Manager in the handler, which takes one more client and a cache.
   */
  #webhook(): Record<string, string> {
    const url = new CfnParameter(this, 'WebhookUrl', { default: '', description: "Where the example delivers its customers' webhooks." });
    const secret = new CfnParameter(this, 'WebhookSecret', { default: '', noEcho: true, description: 'Key that signs the webhooks.' });
    return { WEBHOOK_URL: url.valueAsString, WEBHOOK_SECRET: secret.valueAsString };
  }

  #orderFunction(orders: TableV2, environment: Record<string, string>, removalPolicy: RemovalPolicy): LambdaFunction {
    const scope = new Construct(this, 'OrderFunction');
    const failed = new Queue(scope, 'FailedOrders', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    acknowledge(failed, 'deadLetterQueue');
    const fn = createFunction(
      scope,
      {
        description: 'Takes orders of the example shop and enqueues their jobs.',
        code: executorCode(`${ENTRIES}order-function.ts`, 'entry'),
        timeoutMs: 30_000,
        memoryMb: 512,
        environment,
        statements: [
          new PolicyStatement({ actions: ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'], resources: [orders.tableArn] }),
        ],
        deadLetterQueue: failed,
      },
      { removalPolicy },
    );
    acknowledge(fn.role ?? fn, 'anyResource');
    return fn;
  }
}
