import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { Settings } from '../shared/config/settings.ts';
import { DECLARED_SCHEDULES_FILE, type ScheduleDefinition } from '../shared/features/schedules/model/definition.ts';
import { ownCode } from './bundle.ts';
import { unusedPackages } from './event-references.ts';
import type { FunctionChoices } from './function-defaults.ts';
import { PERMISSIONS } from './permissions.ts';
import type { DeploymentReferences } from './references.ts';
import { TickFunction } from './tick-function.ts';

/** The parts of a deployment that the acquirer and the sweeper use. */
export interface DutyOptions {
  readonly settings: Settings;
  readonly deployment: DeploymentReferences;
  readonly environment: Readonly<Record<string, string>>;
  readonly failedTicks: IQueue;
  readonly choices: FunctionChoices;
}

/** The function that fires timers and brings the schedules of the code to Control. */
export function createAcquirer(scope: Construct, options: DutyOptions, schedules: readonly ScheduleDefinition[] = []): TickFunction {
  const beside = schedules.length === 0 ? {} : { [DECLARED_SCHEDULES_FILE]: JSON.stringify(schedules) };
  return new TickFunction(scope, 'Acquirer', {
    ...options,
    description: 'Nightcrew acquirer: fires timers that are due.',
    code: ownCode('acquirer', unusedPackages(options.deployment.events), beside),
    timeoutMs: options.settings.acquirerTimeoutMs,
    memoryMb: options.settings.acquirerMemoryMb,
    permissions: PERMISSIONS.acquirer,
  });
}
