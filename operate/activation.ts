import { systemClock } from '../shared/adapters/system.ts';
import { MissingPackageError } from '../shared/job/errors.ts';
import { checkedInUse, checkEachOption, listOf, nested, type OptionChecks, withMethods } from '../shared/job/option-checks.ts';
import type { Clock } from '../shared/ports/clock.ts';
import { getMapping, getSchedule, type SdkCaller, updateMapping, updateSchedule } from './activation-calls.ts';

/** What a deployment puts out as `Activation`: the ticks and the event sources that make it run. */
export interface ActivationTargets {
  readonly schedules: readonly { readonly name: string; readonly groupName: string }[];
  /** UUIDs. */
  readonly eventSourceMappings: readonly string[];
}

/** The operator's own clients. They need what `grantActivate` of the construct gives. */
export interface ActivationOptions {
  /** A `SchedulerClient` of `@aws-sdk/client-scheduler`. */
  readonly scheduler: SdkCaller;
  /** A `LambdaClient` of `@aws-sdk/client-lambda`. */
  readonly lambda: SdkCaller;
  readonly targets: ActivationTargets;
  /** Default: the machine's clock. */
  readonly clock?: Clock;
}

/** Whether a deployment runs: by schedule name and by mapping UUID. Both are `ENABLED` and `Enabled` when it does. */
export interface ActivationStatus {
  readonly schedules: Readonly<Record<string, string>>;
  readonly eventSourceMappings: Readonly<Record<string, string>>;
}

/** Switches a deployment on and off. While it is off, jobs can be enqueued; they wait, and their counters do not change. */
export interface Activation {
  /** Resolves when executors are fed again. Throws an AggregateError of what failed, each with its target, after having tried everything, or a MissingPackageError. */
  activate(): Promise<ActivationStatus>;
  /** Resolves when no further job starts; those that run are not stopped. Throws as `activate`. */
  deactivate(): Promise<ActivationStatus>;
  status(): Promise<ActivationStatus>;
}

/** Lambda refuses to change a mapping that is changing, and a change takes up to a minute. */
const LOOK_EVERY_MS = 2_000;
const LOOKS = 60;

const CLIENT_CHECK = withMethods(['send'], 'Give a client of the AWS SDK.');

const TARGET_CHECKS: OptionChecks<ActivationTargets> = {
  schedules: listOf(nested({ name: checkedInUse, groupName: checkedInUse })),
  eventSourceMappings: listOf(checkedInUse),
};

const CHECKS: OptionChecks<ActivationOptions> = {
  scheduler: CLIENT_CHECK,
  lambda: CLIENT_CHECK,
  targets: nested(TARGET_CHECKS),
  clock: withMethods(['now', 'wait'], 'Give a Clock, or leave it out.'),
};

/** An activation for one deployment. Repeating a switch changes nothing. It has no tables: call `switchDeployment` of `admin` too, so that it stays off after a deployment of the stack. */
export function createActivation(options: ActivationOptions): Activation {
  checkEachOption(options, CHECKS);
  const { scheduler, lambda, targets, clock = systemClock } = options;
  const switchSchedules = (on: boolean): readonly Step[] =>
    targets.schedules.map((one) => ({ target: `tick ${one.name}`, run: () => switchSchedule(scheduler, one, on) }));
  const switchMappings = (on: boolean): readonly Step[] =>
    targets.eventSourceMappings.map((uuid) => ({
      target: `event source mapping ${uuid}`,
      run: () => switchMapping({ lambda, clock, uuid, on }),
    }));
  const status = async (): Promise<ActivationStatus> => {
    const [schedules, mappings] = await Promise.all([
      Promise.all(targets.schedules.map((one) => getSchedule(scheduler, one))),
      Promise.all(targets.eventSourceMappings.map((uuid) => getMapping(lambda, uuid))),
    ]);
    return {
      schedules: Object.fromEntries(targets.schedules.map(({ name }, index) => [name, schedules[index]?.State ?? 'unknown'])),
      eventSourceMappings: Object.fromEntries(
        targets.eventSourceMappings.map((uuid, index) => [uuid, mappings[index]?.State ?? 'unknown']),
      ),
    };
  };
  return {
    // Executors first, so that what the ticks dispatch finds them.
    activate: () => all([...switchMappings(true), ...switchSchedules(true)]).then(status),
    deactivate: () => all([...switchSchedules(false), ...switchMappings(false)]).then(status),
    status,
  };
}

interface Step {
  readonly target: string;
  readonly run: () => Promise<void>;
}

/** One after the other, because the control planes allow few requests a second; an error does not keep the rest from being tried. */
async function all(steps: readonly Step[]): Promise<void> {
  const errors: unknown[] = [];
  for (const { target, run } of steps) {
    try {
      await run();
    } catch (error) {
      if (error instanceof MissingPackageError) throw error;
      errors.push(about(target, error));
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} of ${steps.length} switches failed.`);
}

/** An error of the same kind, identified by its name, which shows the missing permission. */
function about(target: string, cause: unknown): Error {
  const { name, message } = cause instanceof Error ? cause : new Error(String(cause));
  return Object.assign(new Error(`${target}: ${message}`, { cause }), { name });
}

/** An update replaces a schedule as a whole, so everything that it was is sent back with it. */
async function switchSchedule(scheduler: SdkCaller, target: ActivationTargets['schedules'][number], on: boolean): Promise<void> {
  const State = on ? 'ENABLED' : 'DISABLED';
  const { $metadata: _, Arn: __, CreationDate: ___, LastModificationDate: ____, ...schedule } = await getSchedule(scheduler, target);
  if (schedule.State === State) return;
  await updateSchedule(scheduler, { ...schedule, State });
}

async function switchMapping(mapping: {
  readonly lambda: SdkCaller;
  readonly clock: Clock;
  readonly uuid: string;
  readonly on: boolean;
}): Promise<void> {
  const { lambda, clock, uuid, on } = mapping;
  const wanted = on ? 'Enabled' : 'Disabled';
  for (let look = 0; look < LOOKS; look += 1) {
    const { State } = await getMapping(lambda, uuid);
    if (State === wanted) return;
    if (isSettled(State)) await tryUpdate(lambda, uuid, on);
    await clock.wait(LOOK_EVERY_MS);
  }
  throw new Error(`It is not ${wanted} after ${(LOOKS * LOOK_EVERY_MS) / 1_000} s.`);
}

function isSettled(state: string | undefined): boolean {
  return state === 'Enabled' || state === 'Disabled';
}

/** A mapping that began to change since it was looked at refuses; it is looked at again. */
async function tryUpdate(lambda: SdkCaller, uuid: string, on: boolean): Promise<void> {
  try {
    await updateMapping(lambda, uuid, on);
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ResourceInUseException') throw error;
  }
}
