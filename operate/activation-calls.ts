import type { UpdateScheduleCommandInput } from '@aws-sdk/client-scheduler';
import { missingPackage } from '../shared/job/errors.ts';

/** As much of a client of the SDK as is used. No type that is exported here names the SDK, because only some users install it. */
export interface SdkCaller {
  send(command: never): Promise<unknown>;
}

/** What can be switched, as far as it is known here. */
export interface Switchable {
  readonly State?: string | undefined;
}

/** A schedule with all its attributes. */
export type WholeSchedule = Switchable & Readonly<Record<string, unknown>>;

const PACKAGES = ['@aws-sdk/client-lambda', '@aws-sdk/client-scheduler'];

/** Awaited inside `try` just so, because bundlers then leave out a package that is not installed instead of failing. */
async function lambdaSdk(): Promise<typeof import('@aws-sdk/client-lambda')> {
  try {
    return await import('@aws-sdk/client-lambda');
  } catch (error) {
    throw missingPackage(PACKAGES, error);
  }
}

/** As `lambdaSdk`. */
async function schedulerSdk(): Promise<typeof import('@aws-sdk/client-scheduler')> {
  try {
    return await import('@aws-sdk/client-scheduler');
  } catch (error) {
    throw missingPackage(PACKAGES, error);
  }
}

/** Reads an event source mapping. */
export async function getMapping(lambda: SdkCaller, UUID: string): Promise<Switchable> {
  const { GetEventSourceMappingCommand } = await lambdaSdk();
  return (await lambda.send(new GetEventSourceMappingCommand({ UUID }) as never)) as Switchable;
}

/** Switches an event source mapping. */
export async function updateMapping(lambda: SdkCaller, UUID: string, Enabled: boolean): Promise<void> {
  const { UpdateEventSourceMappingCommand } = await lambdaSdk();
  await lambda.send(new UpdateEventSourceMappingCommand({ UUID, Enabled }) as never);
}

/** Reads a schedule of EventBridge Scheduler. */
export async function getSchedule(
  scheduler: SdkCaller,
  { name, groupName }: { readonly name: string; readonly groupName: string },
): Promise<WholeSchedule> {
  const { GetScheduleCommand } = await schedulerSdk();
  return (await scheduler.send(new GetScheduleCommand({ Name: name, GroupName: groupName }) as never)) as WholeSchedule;
}

/** Replaces a schedule of EventBridge Scheduler. */
export async function updateSchedule(scheduler: SdkCaller, schedule: WholeSchedule): Promise<void> {
  const { UpdateScheduleCommand } = await schedulerSdk();
  await scheduler.send(new UpdateScheduleCommand(schedule as unknown as UpdateScheduleCommandInput) as never);
}
