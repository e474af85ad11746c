import type { Construct } from 'constructs';
import type { DutyOptions } from './acquirer-function.ts';
import { ownCode } from './bundle.ts';
import { unusedPackages } from './event-references.ts';
import { PERMISSIONS } from './permissions.ts';
import { TickFunction } from './tick-function.ts';

const TIMEOUT_MS = 900_000;
const MEMORY_MB = 256;

/** The function that removes payloads that no row refers to. */
export function createCleanerFunction(scope: Construct, options: DutyOptions): TickFunction {
  return new TickFunction(scope, 'Cleaner', {
    ...options,
    description: 'Nightcrew cleaner: removes large payloads that no job refers to.',
    code: ownCode('cleaner', unusedPackages(options.deployment.events)),
    timeoutMs: TIMEOUT_MS,
    memoryMb: MEMORY_MB,
    permissions: PERMISSIONS.cleaner,
  });
}
