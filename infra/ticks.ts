import { Duration, Stack } from 'aws-cdk-lib';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnSchedule, CfnScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

/** What may start the acquirer and the sweeper: EventBridge Scheduler, or EventBridge rules where the Scheduler is not to be had. */
export const TICK_SOURCES = ['schedules', 'rules'] as const;

/** One of them. */
export type TickSource = (typeof TICK_SOURCES)[number];

/** One thing that happens every so many minutes. */
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

/** A tick is a hint: when it is late or fails, the next one does its work, so it is neither kept nor repeated. */
const MAX_AGE = Duration.minutes(1);

/** The ticks of a deployment. */
export class Ticks extends Construct {
  /** Empty with `rules`. */
  readonly schedules: readonly CfnSchedule[];
  readonly scheduleGroup?: CfnScheduleGroup;
  /** With which the schedules start their functions; whoever changes a schedule hands it on. */
  readonly role?: Role;
  /** Empty with `schedules`. */
  readonly rules: readonly Rule[];

  constructor(scope: Construct, id: string, options: TicksOptions) {
    super(scope, id);
    if (options.source === 'rules') {
      this.schedules = [];
      this.rules = options.ticks.map((tick) => createRule(this, tick, options));
      return;
    }
    const group = new CfnScheduleGroup(this, 'Group');
    const role = createRole(this, group, options.ticks);
    this.rules = [];
    this.role = role;
    this.scheduleGroup = group;
    this.schedules = options.ticks.map((tick) => createSchedule(this, tick, { group, role, active: options.active }));
  }
}

/** K acquirers share the shards; each has a tick of its own that says which share is its. */
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
function createRole(scope: Construct, group: CfnScheduleGroup, ticks: readonly Tick[]): Role {
  const role = new Role(scope, 'Role', {
    assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account, 'aws:SourceArn': group.attrArn } },
    }),
  });
  const functionArns = [...new Set(ticks.map(({ fn }) => fn.functionArn))];
  role.addToPolicy(new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: functionArns }));
  return role;
}

function createSchedule(
  scope: Construct,
  tick: Tick,
  { group, role, active }: { readonly group: CfnScheduleGroup; readonly role: Role; readonly active: boolean },
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
      retryPolicy: { maximumRetryAttempts: 0, maximumEventAgeInSeconds: MAX_AGE.toSeconds() },
    },
  });
  // The Scheduler tries the role when it creates a schedule.
  schedule.node.addDependency(role);
  return schedule;
}

function createRule(scope: Construct, tick: Tick, { active, failedTicks }: TicksOptions): Rule {
  return new Rule(scope, tick.id, {
    description: tick.description,
    schedule: Schedule.rate(Duration.millis(tick.everyMs)),
    enabled: active,
    targets: [
      new LambdaTarget(tick.fn, {
        event: RuleTargetInput.fromObject(tick.input),
        retryAttempts: 0,
        maxEventAge: MAX_AGE,
        deadLetterQueue: failedTicks,
      }),
    ],
  });
}

function rateOf(everyMs: number): string {
  const minutes = everyMs / 60_000;
  return minutes === 1 ? 'rate(1 minute)' : `rate(${minutes} minutes)`;
}
