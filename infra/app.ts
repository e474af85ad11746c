import { App, RemovalPolicy } from 'aws-cdk-lib';
import { defined } from '../shared/job/defined.ts';
import { OrderServiceStack } from './order-service-stack.ts';

// `-c destroy=true` removes the tables with the stack; `-c ticks=rules` ticks with EventBridge rules; `-c alarms=false` is for emulators;
// `-c stack=<name>` is for a second deployment in one Region of an account; `-c tables=<prefix> -c active=false` is for restored tables,
// which are called <prefix>-jobs and so on; `-c batchSize=5` is for a deployment that changes event sources.
const app = new App();
const batchSize: unknown = app.node.tryGetContext('batchSize');
const destroy = String(app.node.tryGetContext('destroy')) === 'true';
new OrderServiceStack(app, String(app.node.tryGetContext('stack') ?? 'NightcrewOrderService'), {
  description: 'Nightcrew: the order service of the example with its job executor.',
  removalPolicy: destroy ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
  ...(app.node.tryGetContext('ticks') === 'rules' ? { ticks: 'rules' } : {}),
  ...defined({ restored: app.node.tryGetContext('tables') as string | undefined }),
  ...(batchSize === undefined ? {} : { batchSize: Number(batchSize) }),
  active: String(app.node.tryGetContext('active')) !== 'false',
  alarms: String(app.node.tryGetContext('alarms')) !== 'false',
});
app.synth();
