import type { Construct } from 'constructs';
import type { DutyOptions } from './acquirer-function.ts';
import { ownCode } from './bundle.ts';
import { unusedPackages } from './event-references.ts';
import { PERMISSIONS } from './permissions.ts';
import { TickFunction } from './tick-function.ts';

/** The function that returns jobs with an expired lease. */
export function createSweeper(scope: Construct, options: DutyOptions): TickFunction {
  return new TickFunction(scope, 'Sweeper', {
    ...options,
    description: 'Nightcrew sweeper: returns jobs whose lease ran out to their queue.',
    code: ownCode('sweeper', unusedPackages(options.deployment.events)),
    timeoutMs: options.settings.sweeperTimeoutMs,
    memoryMb: options.settings.sweeperMemoryMb,
    permissions: PERMISSIONS.sweeper,
  });
}
