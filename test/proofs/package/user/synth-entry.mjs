// A user's CDK app whose worker is bundled from its entry, with an event bus if it is asked for.
import { App, Stack } from 'aws-cdk-lib';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { JobExecutor } from 'nightcrew/infra';

const stack = new Stack(new App({ outdir: process.argv[2] }), 'Users');
const events = process.argv[3] === 'bus' ? { events: { bus: new EventBus(stack, 'Bus') } } : {};
new JobExecutor(stack, 'Jobs', { workers: { default: { entry: 'without-peers.mjs' } }, ...events });
