import { App, RemovalPolicy } from 'aws-cdk-lib';
import { OrderServiceStack } from './order-service-stack.ts';

// `-c destroy=true` removes the tables with the stack; `-c ticks=rules` ticks with EventBridge rules; `-c alarms=false` is for emulators;
// `-c stack=<name>` is for a second deployment in one Region of an account.
const app = new App();
const destroy = String(app.node.tryGetContext('destroy')) === 'true';
new OrderServiceStack(app, String(app.node.tryGetContext('stack') ?? 'NightcrewOrderService'), {
  description: 'Nightcrew: the order service of the example with its job executor.',
  removalPolicy: destroy ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
  ...(app.node.tryGetContext('ticks') === 'rules' ? { ticks: 'rules' } : {}),
  alarms: String(app.node.tryGetContext('alarms')) !== 'false',
});
app.synth();
