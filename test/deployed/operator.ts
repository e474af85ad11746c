import { DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { GetFunctionConfigurationCommand, InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import type { OrderReply, OrderRequest } from '../../examples/order-service/order-function.ts';
import { openOrders, type Orders } from '../../examples/order-service/orders.ts';
import { type Activation, type ActivationTargets, type Admin, createActivation, createAdmin } from '../../shared/admin/index.ts';
import { ENVIRONMENT } from '../../shared/config/environment.ts';
import { createJobClient } from '../../shared/index.ts';
import { silentJournal } from '../../shared/observability/silent-journal.ts';

type Jobs = ReturnType<typeof createJobClient>;

/** What somebody with credentials of the account can do with the deployed example: nothing here reaches into it. */
export interface Operator {
  /** Invokes the order function. Throws when it failed. */
  order(request: OrderRequest): Promise<OrderReply>;
  readonly jobs: Jobs;
  /** The same with a delay horizon of a second: whatever it puts off lies in Timers, so that only a tick can fire it. */
  readonly patientJobs: Jobs;
  readonly admin: Admin;
  readonly activation: Activation;
  readonly orders: Orders;
  /** What a shop does about an order whose amount is wrong. */
  correctAmount(orderId: string, amountCents: number): Promise<void>;
}

/** Makes an operator from the outputs of the stack; the tables and queues are those that the order function was connected to. */
export async function createOperator(outputs: Readonly<Record<string, string>>): Promise<Operator> {
  const lambda = new LambdaClient({});
  const FunctionName = output(outputs, 'OrderFunctionName');
  const { Environment } = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
  const environment = Environment?.Variables ?? {};
  const client = (variables: Record<string, string>): Jobs => createJobClient({ environment: variables, journal: silentJournal });
  return {
    order: (request) => invoke(lambda, FunctionName, request),
    jobs: client(environment),
    patientJobs: client({ ...environment, [ENVIRONMENT.settings]: withShortHorizon(environment[ENVIRONMENT.settings]) }),
    admin: createAdmin({ environment }),
    activation: createActivation({
      lambda,
      scheduler: new SchedulerClient({}),
      targets: JSON.parse(output(outputs, 'JobsActivation')) as ActivationTargets,
    }),
    orders: openOrders(environment),
    async correctAmount(orderId, amountCents) {
      await new DynamoDBClient({}).send(
        new UpdateItemCommand({
          TableName: environment['ORDERS_TABLE'],
          Key: { orderId: { S: orderId } },
          UpdateExpression: 'SET amountCents = :cents',
          ExpressionAttributeValues: { ':cents': { N: String(amountCents) } },
        }),
      );
    },
  };
}

/** CloudFormation adds a hash to the names of outputs that a construct makes. */
function output(outputs: Readonly<Record<string, string>>, prefix: string): string {
  const found = Object.entries(outputs).find(([name]) => name.startsWith(prefix));
  if (found === undefined) throw new Error(`The stack has no output ${prefix}; it has: ${Object.keys(outputs).join(', ')}`);
  return found[1];
}

async function invoke(lambda: LambdaClient, FunctionName: string, request: OrderRequest): Promise<OrderReply> {
  const { FunctionError, Payload } = await lambda.send(new InvokeCommand({ FunctionName, Payload: JSON.stringify(request) }));
  const reply = new TextDecoder().decode(Payload);
  if (FunctionError !== undefined) throw new Error(`the order function failed (${FunctionError}): ${reply}`);
  return JSON.parse(reply) as OrderReply;
}

function withShortHorizon(settings: string | undefined): string {
  return JSON.stringify({ ...(JSON.parse(settings ?? '{}') as Record<string, number>), delayHorizonMs: 1_000 });
}
