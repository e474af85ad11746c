import { Logger } from '@aws-lambda-powertools/logger';
import { systemEnvironment } from '../system.ts';
import type { JobLog } from '../../job/job-log.ts';
import type { JobRef } from '../../ports/journal.ts';
import type { Tracing } from '../../ports/tracing.ts';
import { jobFields, traceFields } from './log-fields.ts';

/** The log of a handler: its lines with fields that identify the job, which the handler cannot overwrite. */
export function createJobLog(job: JobRef, tracing?: Pick<Tracing, 'current'>, logger: Logger = handlerLogger()): JobLog {
  const identity = jobFields(job);
  const write =
    (level: 'debug' | 'info' | 'warn' | 'error') =>
    (message: string, fields?: Readonly<Record<string, unknown>>): void =>
      logger[level](message, { ...fields, ...identity, ...traceFields(tracing?.current(), job) });
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

let shared: Logger | undefined;

/** Made once, when a handler is first run: a logger per job would read the environment for each. */
function handlerLogger(): Logger {
  shared ??= new Logger({ serviceName: systemEnvironment()['POWERTOOLS_SERVICE_NAME'] ?? 'handler' });
  return shared;
}
