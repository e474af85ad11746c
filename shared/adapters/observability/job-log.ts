import { Logger } from '@aws-lambda-powertools/logger';
import { systemEnvironment } from '../../config/system.ts';
import type { JobLog } from '../../core/job-type.ts';
import type { JobRef } from '../../ports/journal.ts';
import { jobFields } from './log-fields.ts';

/** The log of a handler: what the handler says, with the fields that say which job it ran for, which it cannot overwrite. */
export function createJobLog(job: JobRef, logger: Logger = handlerLogger()): JobLog {
  const identity = jobFields(job);
  const write =
    (level: 'debug' | 'info' | 'warn' | 'error') =>
    (message: string, fields?: Readonly<Record<string, unknown>>): void =>
      logger[level](message, { ...fields, ...identity });
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

let shared: Logger | undefined;

/** Made once, when a handler is first run: a logger per job would read the environment for each. */
function handlerLogger(): Logger {
  shared ??= new Logger({ serviceName: systemEnvironment()['POWERTOOLS_SERVICE_NAME'] ?? 'handler' });
  return shared;
}
