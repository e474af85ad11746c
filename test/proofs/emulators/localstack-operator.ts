import { LambdaClient } from '@aws-sdk/client-lambda';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import type { OrderReply } from '../../../examples/order-service/order-function.ts';
import { createActivation } from '../../../operate/index.ts';
import { type Operator, operatorOver } from '../deployed/operator-over.ts';
import type { DeployedFunctions } from './deployed-functions.ts';
import { STACK } from './example-on-localstack.ts';

const ORDER_TIMEOUT_MS = 30_000;

/** An operator who reads the example's tables and queues, and invokes its order function where it runs. */
export function createLocalStackOperator(functions: DeployedFunctions): Operator {
  const orders = functions.runtime('OrderFunction');
  return operatorOver({
    stack: STACK,
    environment: functions.environment('OrderFunction'),
    order: async (request) => (await orders.invoke(request, { timeoutMs: ORDER_TIMEOUT_MS })) as OrderReply,
    // Nothing that could be switched off is deployed.
    activation: createActivation({
      lambda: new LambdaClient({}),
      scheduler: new SchedulerClient({}),
      targets: { schedules: [], eventSourceMappings: [] },
    }),
  });
}
