import { Match, Template } from 'aws-cdk-lib/assertions';
import { AccountPrincipal, AnyPrincipal, Role, ServicePrincipal, StarPrincipal } from 'aws-cdk-lib/aws-iam';
import { describe, expect, it } from 'vitest';
import { mergePermissions, OUTSIDE_WORKER, PERMISSIONS, type Permissions } from '../../infra/permissions.ts';
import { apiOver, call, httpEvent } from '../support/http-api.ts';
import { Rig } from '../support/rig.ts';
import { notedTables } from './noted-tables.ts';
import { actionsOn, executorStack, executorTemplate, resources, statementsOf, WORKER_ENTRY } from './synth.ts';

const WORKERS = { default: { entry: WORKER_ENTRY }, scanner: { outside: true }, gpu: { outside: true, groups: true } } as const;
const { stack, jobs } = executorStack({ workers: WORKERS, externalApi: true });
const role = new Role(stack, 'Caller', { assumedBy: new ServicePrincipal('ec2.amazonaws.com') });
jobs.grantExternalApi(role);
const template = Template.fromStack(stack);

describe('the external API', () => {
  it('is a function behind a URL that IAM authorizes, at the alias of its release', () => {
    template.resourceCountIs('AWS::Lambda::Url', 1);
    template.hasResourceProperties('AWS::Lambda::Url', { AuthType: 'AWS_IAM', Qualifier: 'live', Cors: Match.absent() });
    template.hasResourceProperties('AWS::Lambda::Function', {
      Description: Match.stringLikeRegexp('external API'),
      Timeout: 60,
      MemorySize: 256,
      DeadLetterConfig: Match.absent(),
      Environment: { Variables: Match.objectLike({ NIGHTCREW_EXTERNAL_WORKERS: 'scanner,gpu', NIGHTCREW_TABLES: Match.anyValue() }) },
    });
    // No policy of the function opens it to anybody.
    template.resourceCountIs('AWS::Lambda::Permission', 0);
    const [output, ...others] = Object.entries(template.findOutputs('*')).filter(([id]) => id.includes('ExternalApi'));
    expect(others).toEqual([]);
    expect(JSON.stringify(output)).toContain('FunctionUrl');
  });

  it('is not there unless it is asked for, and then it changes nothing else', () => {
    const without = executorTemplate({ workers: WORKERS }).toJSON() as { Resources: Record<string, unknown> };
    for (const externalApi of [false, undefined]) {
      const { jobs: none, stack: other } = executorStack({ workers: WORKERS, ...(externalApi === undefined ? {} : { externalApi }) });
      expect(Template.fromStack(other).toJSON()).toEqual(without);
      expect(none.externalApi).toBeUndefined();
      expect(() => none.grantExternalApi(role)).toThrow('externalApi: the deployment has none');
    }
    const added = executorTemplate({ workers: WORKERS, externalApi: true }).toJSON() as typeof without;
    expect(JSON.stringify(without)).not.toMatch(/ExternalApi|EXTERNAL_WORKERS/);
    const rest = Object.entries(added.Resources).filter(([id]) => !id.startsWith('JobsExternalApi'));
    expect(Object.fromEntries(rest)).toEqual(without.Resources);
  });

  it('may be called by whom it was granted to, through its URL and in no other way', () => {
    const statements = statementsOf(template, 'Caller');
    expect(statements).toEqual([
      expect.objectContaining({
        Action: 'lambda:InvokeFunctionUrl',
        Condition: { StringEquals: { 'lambda:FunctionUrlAuthType': 'AWS_IAM' } },
      }),
      expect.objectContaining({ Action: 'lambda:InvokeFunction', Condition: { Bool: { 'lambda:InvokedViaFunctionUrl': true } } }),
    ]);
    for (const { Resource } of statements) expect(JSON.stringify(Resource)).toMatch(/^\{"Ref":"JobsExternalApiLive[0-9A-F]+"\}$/);
  });

  it('takes callers of another account by name, and refuses everybody', () => {
    const { stack: other, jobs: open } = executorStack({ workers: WORKERS, externalApi: {} });
    open.grantExternalApi(new AccountPrincipal('210987654321'));
    const shared = Template.fromStack(other);
    shared.resourceCountIs('AWS::Lambda::Permission', 2);
    shared.hasResourceProperties('AWS::Lambda::Permission', { Action: 'lambda:InvokeFunctionUrl', FunctionUrlAuthType: 'AWS_IAM' });
    shared.hasResourceProperties('AWS::Lambda::Permission', { Action: 'lambda:InvokeFunction', InvokedViaFunctionUrl: true });
    for (const everybody of [new AnyPrincipal(), new StarPrincipal()]) {
      expect(() => open.grantExternalApi(everybody)).toThrow(/^grantExternalApi: .* means everybody in every account/);
    }
  });

  it('receives from the queues of workers outside Lambda only, and sends to all', () => {
    const statements = statementsOf(template, 'JobsExternalApi');
    const own = ['ChangeMessageVisibility', 'DeleteMessage', 'ReceiveMessage', 'SendMessage'].map((action) => `sqs:${action}`);
    for (const queue of ['WorkerscannerQueuesLane', 'WorkergpuQueuesLane', 'WorkergpuQueuesFifo']) {
      expect([queue, [...new Set(actionsOn(statements, queue))]]).toEqual([queue, own]);
    }
    expect(actionsOn(statements, 'WorkerdefaultQueuesLane')).toEqual(['sqs:SendMessage']);
    expect(actionsOn(statements, 'WorkerscannerQueuesDeadLetterQueue')).toEqual(['sqs:SendMessage']);
    expect(actionsOn(statements, 'WorkerdefaultQueuesDeadLetterQueue')).toEqual([]);
    for (const { Action, Resource } of statements) {
      expect(JSON.stringify(Action)).not.toContain('*');
      if (JSON.stringify(Resource).includes('*')) expect(Action).toEqual(['xray:PutTraceSegments', 'xray:PutTelemetryRecords']);
    }
  });

  it('knows the dead-letter queues of workers outside Lambda, to reject messages that it cannot read, and no others', () => {
    const [fn] = Object.entries(resources(template, 'AWS::Lambda::Function')).filter(([id]) => id.includes('ExternalApi'));
    const known = JSON.stringify(fn?.[1].Properties['Environment']);
    expect(known).toContain('WorkerscannerQueuesDeadLetterQueue');
    expect(known).toContain('WorkergpuQueuesFifoDeadLetterQueue');
    expect(known).not.toContain('WorkerdefaultQueuesDeadLetterQueue');
  });

  it('takes overrides of its own, and rolls out as the other functions do', () => {
    const functionProps = { reservedConcurrentExecutions: 5 };
    const { stack: other, jobs: rolled } = executorStack({ workers: WORKERS, externalApi: { functionProps }, deployment: {} });
    Template.fromStack(other).hasResourceProperties('AWS::Lambda::Function', {
      Description: Match.stringLikeRegexp('external API'),
      ReservedConcurrentExecutions: 5,
    });
    expect([...rolled.deploymentGroups.keys()]).toContain('ExternalApi');
  });

  it('is there without a worker outside Lambda, for producers', () => {
    const plain = executorTemplate({ externalApi: true });
    const [fn] = Object.entries(resources(plain, 'AWS::Lambda::Function')).filter(([id]) => id.includes('ExternalApi'));
    expect(fn?.[1].Properties['Environment']).toMatchObject({ Variables: { NIGHTCREW_EXTERNAL_WORKERS: '' } });
  });
});

function granted({ tables, indexes = {} }: Permissions): Set<string> {
  return new Set([
    ...Object.entries(tables).flatMap(([table, actions]) => actions.map((action) => `${table} ${action}`)),
    ...Object.entries(indexes).flatMap(([table, names]) => names.map((name) => `${table} index ${name}`)),
  ]);
}

/** Every request that the API has, with answers in time and too late. */
async function walk(rig: Rig, noted: (call: string) => void): Promise<void> {
  const api = apiOver(rig, notedTables(rig.tables, noted, true));
  const post = async (path: string, body: object) => (await call(rig, api, httpEvent('POST', path, body))).body;
  const get = async (path: string) => call(rig, api, httpEvent('GET', path));
  const next = async () => (await post('/fetch-and-lock', { worker: 'default' })).jobs[0];
  await post('/jobs', { type: 'a', payloads: [1, 2, 3, 4, 5, 6], retry: 'R3/PT1M' });
  await post('/jobs', { type: 'a', payload: 1, key: 'k', group: 'g' });
  await post('/jobs', { type: 'a', payload: 1, delay: 'PT2H' });
  await post('/jobs', { type: 'a', payload: 1, delay: 'PT2H', key: 'guard' });
  for (const [verb, body] of [
    ['extend', {}],
    [
      'complete',
      {
        result: 1,
        enqueue: [
          { type: 'b', payload: 1 },
          { type: 'b', payload: 1, delay: 'PT1H' },
        ],
        cancel: [
          { type: 'a', key: 'guard' },
          { type: 'a', key: 'k' },
        ],
      },
    ],
    ['failure', { message: 'no' }],
    ['failure', { message: 'no', retryAfter: 'PT1H' }],
    ['error', { code: 'No' }],
    ['unlock', {}],
  ] as const) {
    const job = await next();
    await post(`/jobs/${job.id}/${verb}`, { lock: job.lock, ...body });
    await post(`/jobs/${job.id}/complete`, { lock: job.lock });
  }
  const filters = ['', 'state=waiting', 'state=parked', 'state=suspended', 'state=ready', 'state=running', 'state=dead', 'state=finished'];
  const fields = ['type=a', 'tenant=t', 'group=g', 'batch=b', 'errorName=No', 'worker=default', 'correlationId=c', 'from=2h'];
  for (const filter of [...filters, ...filters.flatMap((state) => fields.map((field) => `${state}&${field}`))]) {
    await get(`/jobs?${filter}`);
    await get(`/jobs/count?${filter}`);
  }
}

describe('the permissions of the external API', () => {
  it('are those of an outside worker and a producer, and beyond them exactly what lists call', async () => {
    const calls = new Set<string>();
    await walk(new Rig(), (one) => void calls.add(one));
    const rest = granted(mergePermissions(OUTSIDE_WORKER, PERMISSIONS.enqueue));
    expect([...calls].filter((one) => !rest.has(one)).toSorted()).toEqual([...granted(PERMISSIONS.list)].toSorted());
  });
});
