import { GetFunctionConfigurationCommand, InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import type { OrderReply, OrderRequest } from '../../../examples/order-service/order-function.ts';
import { type ActivationTargets, createActivation } from '../../../operate/index.ts';
import { type Operator, operatorOver } from './operator-over.ts';

/** Makes an operator from the outputs of the stack; the tables and queues are those that the order function was connected to. */
export async function createOperator(stack: string, outputs: Readonly<Record<string, string>>): Promise<Operator> {
  const lambda = new LambdaClient({});
  const FunctionName = output(outputs, 'OrderFunctionName');
  const { Environment } = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
  return operatorOver({
    stack,
    environment: Environment?.Variables ?? {},
    order: (request) => invoke(lambda, FunctionName, request),
    activation: createActivation({
      lambda,
      scheduler: new SchedulerClient({}),
      targets: JSON.parse(output(outputs, 'JobsActivation')) as ActivationTargets,
    }),
  });
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
