import { readFileSync } from 'node:fs';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { PrivateVpcStack } from '../../examples/private-vpc/private-vpc-stack.ts';
import { mergePermissions, PERMISSIONS } from '../../infra/permissions.ts';
import { resources, type Statement, statementsOf, validatedApp, WORKER_ENTRY } from './synth.ts';

const PAGE = readFileSync(new URL('../../docs/operate/vpc.md', import.meta.url), 'utf8');
const app = validatedApp();
const stack = new PrivateVpcStack(app, 'Shop', { default: { entry: WORKER_ENTRY, groups: true }, reports: { entry: WORKER_ENTRY } });
const template = Template.fromStack(stack);

/** Actions that Lambda's pollers take with the role of a function, outside its VPC. */
const BY_POLLERS = ['sqs:ReceiveMessage'];

interface Call {
  readonly action: string;
  readonly resource: string;
}

const listed = <Value>(value: Value | readonly Value[]): readonly Value[] => (Array.isArray(value) ? value : [value as Value]);
const callsOf = ({ Action, Resource }: Statement): readonly Call[] =>
  listed(Action).flatMap((action) => listed(Resource).map((resource) => ({ action, resource: JSON.stringify(resource) })));

/** What the roles of the functions allow on tables and queues of the deployment. */
const needed = statementsOf(template, 'Jobs')
  .flatMap(callsOf)
  .filter(({ action, resource }) => /^(dynamodb|sqs):/.test(action) && !BY_POLLERS.includes(action) && !resource.includes('FailedTicks'));
const passes = Object.values(resources(template, 'AWS::EC2::VPCEndpoint')).flatMap(({ Properties }) =>
  (Properties['PolicyDocument'] as { Statement: Statement[] }).Statement.flatMap(callsOf),
);

const matches = (pattern: string, text: string): boolean =>
  new RegExp(`^${pattern.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll('*', '.*')}$`).test(text);
const lets = (pass: Call, call: Call): boolean => matches(pass.action, call.action) && matches(pass.resource, call.resource);
const shown = ({ action, resource }: Call): string => `${action} ${resource}`;

describe('a deployment in a VPC without a way to the internet', () => {
  it("passes CloudFormation's own schemas", () => expect(() => app.synth()).not.toThrow());

  it('has every function in the subnets without a route to anywhere', () => {
    const functions = Object.values(resources(template, 'AWS::Lambda::Function'));
    expect(functions).toHaveLength(4);
    for (const { Properties } of functions) expect(Properties).toHaveProperty('VpcConfig.SubnetIds');
    expect(resources(template, 'AWS::EC2::InternetGateway')).toEqual({});
    expect(resources(template, 'AWS::EC2::NatGateway')).toEqual({});
  });

  it('reaches through its endpoints whatever its roles allow', () => {
    expect(needed.length).toBeGreaterThan(50);
    expect(needed.filter((call) => !passes.some((pass) => lets(pass, call))).map(shown)).toEqual([]);
  });

  it('reaches only its own tables and queues through them, by actions that some function needs', () => {
    const own = ['AWS::DynamoDB::GlobalTable', 'AWS::SQS::Queue'].flatMap((type) =>
      Object.keys(resources(template, type)).map((id) => `"${id}"`),
    );
    expect(passes.filter(({ resource }) => !own.some((id) => resource.includes(id)))).toEqual([]);
    const actions = [...new Set(passes.map(({ action }) => action))];
    expect(actions.filter((pattern) => !needed.some(({ action }) => matches(pattern, action)))).toEqual([]);
    expect(actions.filter((pattern) => matches(pattern, 'dynamodb:DeleteTable') || matches(pattern, 'sqs:PurgeQueue'))).toEqual([]);
  });

  it('calls no service that docs/operate/vpc.md does not name', () => {
    const named: Readonly<Record<string, readonly string[]>> = {
      s3: Object.values(PERMISSIONS).flatMap(({ payloads = [], payloadBucket = [] }) => [...payloads, ...payloadBucket]),
      events: mergePermissions(...Object.values(PERMISSIONS)).eventBus ?? [],
    };
    const wanted = Object.entries(named).flatMap(([service, actions]) => actions.map((action) => `${service}:${action}`));
    expect(wanted.filter((action) => !PAGE.includes(`\`${action}\``))).toEqual([]);
    const services = new Set(statementsOf(template, 'Jobs').flatMap(({ Action }) => listed(Action).map((action) => action.split(':')[0])));
    expect([...services].filter((service) => !PAGE.includes(`\`${service}\``))).toEqual([]);
  });
});
