import { Duration, Stack } from 'aws-cdk-lib';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnSchedule, CfnScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import { type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { KEY_SEND_ACTIONS } from './key-policy.ts';
import { viaServices } from './key-references.ts';

/** The source of ticks: EventBridge Scheduler, or EventBridge rules where the Scheduler is not available. */
export const TICK_SOURCES = ['schedules', 'rules'] as const;

/** One of them. */
export type TickSource = (typeof TICK_SOURCES)[number];

/** A recurring tick. */
export interface Tick {
  readonly id: string;
  readonly description: string;
  readonly fn: IFunction;
  readonly everyMs: number;
  readonly input: Readonly<Record<string, number>>;
}

/** How ticks are sent. */
export interface TicksOptions {
  readonly ticks: readonly Tick[];
  readonly source: TickSource;
  readonly active: boolean;
  readonly failedTicks: IQueue;
}

/** A tick is a hint: when it is late, the next one does its work. */
const MAX_AGE = Duration.minutes(1);
/** Where Lambda does not take a tick at once. A run that fails is not repeated: that is Lambda's own count, in `TickFunction`. */
const RETRIES = 3;

/** The ticks of a deployment. Why they are L1: docs/decisions/0055-ticks-are-l1-schedules.md. */
export class Ticks extends Construct {
  /** Empty with `rules`. */
  readonly schedules: readonly CfnSchedule[];
  readonly scheduleGroup?: CfnScheduleGroup;
  /** The role with which the schedules start their functions; a change of a schedule must pass it on. */
  readonly role?: Role;
  /** Empty with `schedules`. */
  readonly rules: readonly Rule[];

  constructor(scope: Construct, id: string, options: TicksOptions) {
    super(scope, id);
    if (options.source === 'rules') {
      this.schedules = [];
      this.rules = createRules(this, options);
      return;
    }
    const group = new CfnScheduleGroup(this, 'Group');
    const role = createRole(this, group, options);
    this.rules = [];
    this.role = role;
    this.scheduleGroup = group;
    this.schedules = options.ticks.map((tick) => createSchedule(this, tick, { ...options, group, role }));
  }
}

/** K acquirers share the shards; each has its own tick, which contains its share. */
export function acquirerTicks(fn: IFunction, acquirers: number, everyMs: number): readonly Tick[] {
  return Array.from({ length: acquirers }, (_, acquirer) => ({
    id: `Acquirer${acquirer}`,
    description: `Starts acquirer ${acquirer + 1} of ${acquirers}.`,
    fn,
    everyMs,
    input: { acquirer, of: acquirers },
  }));
}

/** Only schedules of our own group may use the role. */
function createRole(scope: Construct, group: CfnScheduleGroup, { ticks, failedTicks }: TicksOptions): Role {
  const role = new Role(scope, 'Role', {
    assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account, 'aws:SourceArn': group.attrArn } },
    }),
  });
  const functionArns = [...new Set(ticks.map(({ fn }) => fn.functionArn))];
  role.addToPolicy(new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: functionArns }));
  role.addToPolicy(new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [failedTicks.queueArn] }));
  const { encryptionMasterKey: key } = failedTicks;
  if (key !== undefined) {
    const conditions = { StringEquals: { 'kms:ViaService': viaServices(scope, ['sqs']) } };
    role.addToPolicy(new PolicyStatement({ actions: [...KEY_SEND_ACTIONS], resources: [key.keyArn], conditions }));
  }
  return role;
}

function createSchedule(
  scope: Construct,
  tick: Tick,
  { group, role, active, failedTicks }: TicksOptions & { readonly group: CfnScheduleGroup; readonly role: Role },
): CfnSchedule {
  const schedule = new CfnSchedule(scope, tick.id, {
    description: tick.description,
    groupName: group.ref,
    scheduleExpression: rateOf(tick.everyMs),
    flexibleTimeWindow: { mode: 'OFF' },
    state: active ? 'ENABLED' : 'DISABLED',
    target: {
      arn: tick.fn.functionArn,
      roleArn: role.roleArn,
      input: JSON.stringify(tick.input),
      retryPolicy: { maximumRetryAttempts: RETRIES, maximumEventAgeInSeconds: MAX_AGE.toSeconds() },
      deadLetterConfig: { arn: failedTicks.queueArn },
    },
  });
  // The Scheduler tries the role when it creates a schedule.
  schedule.node.addDependency(role);
  return schedule;
}

/**
 * The target of a rule would add a statement of its own to the policy of `failedTicks`, and that of a queue takes 20. So the targets have
 * the queue as an imported one, and it has one statement for all of them, with the account for its condition as in `key-policy.ts`.
 */
function createRules(scope: Construct, { ticks, active, failedTicks }: TicksOptions): readonly Rule[] {
  const deadLetterQueue = Queue.fromQueueArn(scope, 'FailedTicks', failedTicks.queueArn);
  failedTicks.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal('events.amazonaws.com')],
      actions: ['sqs:SendMessage'],
      resources: [failedTicks.queueArn],
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
    }),
  );
  return ticks.map(
    ({ id, description, fn, everyMs, input }) =>
      new Rule(scope, id, {
        description,
        schedule: Schedule.rate(Duration.millis(everyMs)),
        enabled: active,
        targets: [
          new LambdaTarget(fn, {
            event: RuleTargetInput.fromObject(input),
            retryAttempts: RETRIES,
            maxEventAge: MAX_AGE,
            deadLetterQueue,
          }),
        ],
      }),
  );
}

function rateOf(everyMs: number): string {
  const minutes = everyMs / 60_000;
  return minutes === 1 ? 'rate(1 minute)' : `rate(${minutes} minutes)`;
}
