// A user's CDK app in plain JavaScript. Prints the resources of its template by type as JSON.
import { App, Stack } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { JobExecutor } from 'nightcrew/infra';

const app = new App({ outdir: process.argv[2] });
const stack = new Stack(app, 'Users');
new JobExecutor(stack, 'Jobs', { workers: { default: { code: Code.fromInline('exports.handler = async () => {};') } } });
const { template } = app.synth().getStackByName('Users');
const types = Object.values(template.Resources).map((resource) => resource.Type);
console.log(JSON.stringify(Object.fromEntries([...new Set(types)].map((type) => [type, types.filter((one) => one === type).length]))));
