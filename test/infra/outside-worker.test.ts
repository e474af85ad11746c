import { Duration } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { decodeEnvironment } from '../../shared/config/environment.ts';
import { actionsOn, executorStack, resources, statementsOf, WORKER_ENTRY } from './synth.ts';

const gpu = { outside: true, groups: true } as const;
const { stack, jobs } = executorStack({ workers: { default: { entry: WORKER_ENTRY }, gpu } });
const role = new Role(stack, 'Task', { assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com') });
jobs.grantRun(role, 'gpu');
const template = Template.fromStack(stack);

describe('a worker outside Lambda', () => {
  it('has queues, and neither a function nor an event source', () => {
    expect(Object.keys(resources(template, 'AWS::SQS::Queue')).filter((id) => id.includes('Workergpu'))).toHaveLength(4);
    expect(Object.keys(resources(template, 'AWS::Lambda::Function')).filter((id) => id.includes('gpu'))).toEqual([]);
    expect(Object.values(resources(template, 'AWS::Lambda::EventSourceMapping'))).toHaveLength(1);
    expect(() => jobs.executorFunction('gpu')).toThrow('runs outside Lambda');
  });

  it('hides messages for longer than its lease, and a minute is its lease', () => {
    const hidden = Object.entries(resources(template, 'AWS::SQS::Queue'))
      .filter(([id]) => /Workergpu.*(Lane|Fifo[A-F0-9])/.test(id))
      .flatMap(([, { Properties }]) => Properties['VisibilityTimeout'] ?? []);
    expect(new Set(hidden)).toEqual(new Set([300, 90]));
  });

  it('may be run with a grant: its own queues, the executor’s tables, nothing more', () => {
    const statements = statementsOf(template, 'Task');
    expect(actionsOn(statements, 'JobsWorkergpuQueuesLanedefault')).toEqual([
      'sqs:ChangeMessageVisibility',
      'sqs:DeleteMessage',
      'sqs:ReceiveMessage',
      'sqs:SendMessage',
    ]);
    expect(actionsOn(statements, 'JobsWorkerdefaultQueuesLanedefault')).toEqual(['sqs:SendMessage']);
    expect(actionsOn(statements, 'JobsTablesJobs')).toEqual(expect.arrayContaining(['dynamodb:UpdateItem', 'dynamodb:DeleteItem']));
    // It renews the slots of its jobs, several in one request.
    expect(actionsOn(statements, 'JobsTablesControl')).toContain('dynamodb:PartiQLUpdate');
    expect(JSON.stringify(statements)).not.toContain('*');
    expect(() => jobs.grantRun(role, 'cpu')).toThrow('cpu is not a worker');
  });

  it('puts out the environment that runWorker reads', () => {
    const outputs = template.findOutputs('*');
    const [name] = Object.keys(outputs).filter((id) => id.includes('Environment'));
    expect(name).toContain('gpu');
    const deployment = decodeEnvironment(jobs.workerEnvironment('gpu'));
    expect(deployment.worker).toBe('gpu');
    expect(deployment.workers.get('gpu')).toMatchObject({ fifo: expect.any(String), deadLetterQueue: expect.any(String) });
  });

  it.each([
    ['a file for its function', { gpu: { outside: true, entry: WORKER_ENTRY } }, 'workers.gpu.entry'],
    ['overrides of its function', { gpu: { outside: true, functionProps: {} } }, 'workers.gpu.functionProps'],
    ['pollers', { gpu: { outside: true, pollers: { minimum: 2 } } }, 'workers.gpu.pollers'],
    ['a limit of its event source', { gpu: { outside: true, settings: { maxConcurrency: 5 } } }, 'workers.gpu.settings.maxConcurrency'],
    [
      'the share of a lane',
      { gpu: { outside: true, lanes: { gold: { from: 1, maxConcurrency: 5 }, default: { to: 0 } } } },
      'workers.gpu.lanes.gold.maxConcurrency',
    ],
    ['neither a file nor outside', { gpu: {} }, 'outside: true'],
    [
      'a lease that cannot be renewed',
      { gpu: { outside: true, settings: { workerLease: Duration.seconds(15) } } },
      'workerLease: 15000 ms',
    ],
  ])('is refused with %s', (_, workers, message) => {
    expect(() => executorStack({ workers })).toThrow(message);
  });
});
